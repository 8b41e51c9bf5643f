// What docs/limits.md says of GPUs, on GPUs that are not there.

#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/driver/rehearsal.hpp"
#include "goban/backend/cuda/executor.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/error_text.hpp"
#include "tests/limits_table.hpp"

namespace goban::limits_test {
namespace {

using test::LimitsOf;

struct Pull {
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    next[0] = f[1](1, 0, 0);
    next[1] = f[0](0, -1, 0);
  }
};
struct Conduct {
  GOBAN_FUNCTION void operator()(auto u, auto c, auto next) const {
    next = u() + 0.1f * c(1, 0, 0) * (u(1, 0, 0) + u(-1, 0, 0) - 2.0f * u());
  }
};
struct Grow {
  GOBAN_FUNCTION void operator()(auto u) const { u += 1.0f; }
};

class LimitsOnGpus : public testing::Test {
 protected:
  void SetUp() override {
    // Refused where another test of this process has loaded the driver: ctest runs each in its own.
    static const std::string refusal =
        cuda::is_rehearsal() ? "" : test::error_of([] { cuda::rehearse(90, 2); });
    if (!refusal.empty()) GTEST_SKIP() << refusal;
  }
};

/// A GPU that is named twice would wait for itself, and is treated like that.
TEST_F(LimitsOnGpus, CyclesAreRecordedExceptAsTheTableSays) {
  const auto refusal = [](const std::vector<int>& gpus) -> std::string {
    const auto all = cuda::make_executors(
        gpus, [](Index n, const std::function<void(Index, Index)>& work) { work(0, n); }, "preset");
    return all.front()->recorder() ? "" : "they do not record";
  };
  test::expect_refusals("Recorded cycles", LimitsOf::gpus,
                        {{"some GPUs of a process do not reach each other's memory", [&] {
                            return refusal({0, 0});
                          }}});
  EXPECT_EQ(refusal({0}), "");
  EXPECT_EQ(refusal({0, 1}), "");
}

/// With passes of so many steps asked for.
template <class Add>
std::string refusal_of_passes(const Add& add, const BoundarySet& boundary, int steps) {
  Settings settings;
  settings.backend = Backend::cuda;
  settings.devices = {0};
  settings.temporal_blocking = settings.steps_per_exchange = steps;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {64, 32, 32}, .boundary = boundary});
  const Field<float> u(grid, "u"), next(grid, "next"), c(grid, "c");
  Program step("step");
  add(step, u, next, c);
  step.swap(u, next);
  Engine engine(step);
  engine.prepare();
  EXPECT_EQ(engine.steps_per_pass() > 1, engine.pass_refusal().empty());
  return engine.pass_refusal();
}

void diffuse(Program& step, const auto& u, const auto& next, const auto& /*c*/) {
  step.apply(test::Diffusion<float>{}, in(u), out(next));
}

TEST_F(LimitsOnGpus, StepsShareAPassExceptAsTheTableSays) {
  const std::string several = "on GPUs: a step is more than one stage over all cells";
  const auto passes = [](const auto& add, const BoundarySet& boundary = periodic, int steps = 4) {
    return refusal_of_passes(add, boundary, steps);
  };
  const auto plain = [](auto& step, const auto& u, const auto& next, const auto& c) {
    diffuse(step, u, next, c);
  };
  test::expect_refusals(
      "Several steps in one pass (temporal blocking)", LimitsOf::gpus,
      {{several,
        [&] {
          return passes([](auto& step, const auto& u, const auto& next, const auto& c) {
            diffuse(step, u, next, c);
            step.apply(Grow{}, inout(next));
          });
        }},
       {several,
        [&] {
          return passes([](auto& step, const auto& u, const auto& next, const auto&) {
            step.apply(test::Diffusion<float>{}, in(u), out(next)).over({{0, 0, 0}, {9, 9, 9}});
          });
        }},
       {"on GPUs: fields that are not renewed are read at neighbours",
        [&] {
          return passes([](auto& step, const auto& u, const auto& next, const auto& c) {
            step.apply(Conduct{}, in(u), in(c), out(next));
          });
        }},
       {"on GPUs: a pass is of other than 4 steps, 2 where several fields are renewed",
        [&] { return passes(plain, periodic, 3); }},
       {"on GPUs: walls are neither constant nor periodic", [&] {
          return passes(plain, {mirror, periodic, periodic});
        }}});
  EXPECT_EQ(passes(plain), "");
  EXPECT_EQ(passes(plain, {constant(1), periodic, constant(0)}), "");
}

TEST_F(LimitsOnGpus, OthersAreAsTheTableSays) {
  test::expect_refusals("Others", LimitsOf::gpus,
                        {{"in place and GPUs beside the CPU", [] {
                            Settings settings;
                            settings.backend = Backend::cuda;
                            settings.devices = {0, cpu_device};
                            Runtime runtime(settings);
                            Grid grid(runtime, {.cells = {64, 32, 32}});
                            const Field<InPlace<float>, 2> f(grid, "f"), after(f, "after");
                            Program step("pull");
                            step.apply(Pull{}, in(f), out(after));
                            step.swap(f, after);
                            return test::error_of([&] { Engine(step).prepare(); });
                          }}});
}

}  // namespace
}  // namespace goban::limits_test
