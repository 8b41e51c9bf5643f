#pragma once
// Loops that devices repeat by themselves: what their tests share.

#include <gmock/gmock.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/gpu.hpp"

namespace goban::test {

struct Product {
  GOBAN_FUNCTION auto operator()(auto a, auto b) const { return a() * b(); }
};
struct Value {
  GOBAN_FUNCTION auto operator()(auto a) const { return a(); }
};
struct Shifted {
  GOBAN_FUNCTION void operator()(auto p, auto q) const {
    q = 6.5 * p() - p(1, 0, 0) - p(-1, 0, 0) - p(0, 1, 0) - p(0, -1, 0) - p(0, 0, 1) - p(0, 0, -1);
  }
};
struct AddScaled {
  GOBAN_FUNCTION void operator()(auto a, auto factor, auto b) const { b += factor() * a(); }
};
struct Follow {
  GOBAN_FUNCTION void operator()(auto r, auto beta, auto p) const { p = r() + beta() * p(); }
};
inline Settings one_device() {
  Settings settings;
  settings.backend = Backend::emulated;
  settings.devices = {0};
  return settings;
}

/// Devices of which each computes alone.
inline std::vector<Settings> devices() {
  std::vector<Settings> all{one_device(), one_device()};
  all.back().delay_seed = 3;
  all.back().delay_microseconds = 20;
  if (has_gpu()) {
    Settings settings;
    settings.backend = Backend::cuda;
    settings.devices = {0};
    all.push_back(settings);
    settings.launches = "1x1 32x4x1";
    all.push_back(settings);
  }
  return all;
}

inline void expect_bits(const Experiment& experiment) {
  const Results expected = experiment(plainest());
  EXPECT_EQ(experiment(plain_schedule()), expected);
  for (const Settings& settings : devices()) {
    EXPECT_EQ(experiment(settings), expected) << options_of(settings);
  }
}

inline void expect_loops(Engine& engine, const Settings& settings) {
  const bool is_device = settings.backend == Backend::emulated || settings.backend == Backend::cuda;
  if (!is_device) return;
  EXPECT_THAT(engine.describe(), testing::HasSubstr("is repeated by the device"));
  EXPECT_GT(engine.cycles_replayed(), 0);
}

/// What conjugate gradients need; numbers in three kinds of stages.
struct Solve {
  explicit Solve(Runtime& runtime)
      : grid(runtime, {.cells = {9, 7, 12}, .boundary = {periodic, constant(0), periodic}}) {
    r.fill(pattern);
    p.fill(pattern);
    iteration.apply(Shifted{}, in(p), out(q));
    iteration.reduce(Product{}, in(p), in(q), sum, into(pq));
    iteration.reduce(Product{}, in(r), in(r), sum, into(before));
    iteration.compute(
        [](auto s, auto d, auto& a, auto& m) {
          a = select(d == 0, 0, s / d);
          m = -a;
        },
        in(before), in(pq), out(alpha), out(minus));
    iteration.apply(AddScaled{}, in(p), param(alpha), inout(x));
    iteration.apply(AddScaled{}, in(q), param(minus), inout(r));
    iteration.reduce(Product{}, in(r), in(r), sum, into(rr));
    iteration.compute(
        [](auto s, auto d, auto& b, auto& count) {
          b = select(d == 0, 0, s / d);
          count += 1;
        },
        in(rr), in(before), out(beta), inout(rounds));
    iteration.apply(Follow{}, in(r), param(beta), inout(p));
  }
  Results results() const {
    return {{"x", x.checksum()},
            {"r", r.checksum()},
            {"p", p.checksum()},
            {"rr", bits(rr.value())},
            {"rounds", static_cast<std::uint64_t>(rounds.value())}};
  }

  Grid grid;
  Field<double> x{grid, "x"}, r{grid, "r"}, p{grid, "p"}, q{grid, "q"};
  Parameter<double> rr{"rr", 1}, pq{"pq"}, alpha{"alpha"}, minus{"minus"}, beta{"beta"},
      before{"before"};
  Parameter<int> rounds{"rounds"};
  Program iteration{"iteration"};
};

}  // namespace goban::test
