#include "benchmarks/twins/d3q19_list.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/benchmark.hpp"
#include "benchmarks/kernels.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/goban.hpp"

namespace goban::benchmarks {
namespace {

/// Between grains that touch, spheres of 32 cells on a body-centred lattice: a third of the box.
bool is_between_grains(Index3 i) {
  constexpr Index period = 37;
  const auto distance = [&](Index shift) {
    double square = 0;
    for (const Index x : i) {
      const auto from_grain = static_cast<double>((x + shift) % period) - period / 2;
      square += from_grain * from_grain;
    }
    return square;
  };
  constexpr double radius = 16;
  return std::min(distance(0), distance(period / 2)) > radius * radius;
}

class Flow {
 public:
  Flow(Index cells, int threads)
      : runtime_(settings(threads)),
        grid_(runtime_,
              {.cells = {cells, cells, cells}, .boundary = periodic, .active = is_between_grains}),
        u_(grid_, "u"),
        next_(grid_, "next") {
    u_.inactive(bounce_back).fill([](Index3 i, int c) {
      return (1.0 + 0.01 * static_cast<double>((i[0] * 7 + i[1] * 13 + i[2] * 29 + c * 3) % 31)) /
             19;
    });
    next_.inactive(bounce_back);
    Program step("step");
    step.apply(Bgk{1.2f}, in(u_), out(next_));
    step.swap(u_, next_);
    engine_ = std::make_unique<Engine>(step);
    engine_->prepare();
  }

  Index size() const { return grid_.active()->size(); }
  void run(Index steps) { engine_->run(steps, clock_); }
  void by_hand(Index steps) {
    FieldBinding from = binding(u_), to = binding(next_);
    for (Index n = 0; n < steps; ++n) {
      by_hand(from, to);
      std::swap(from, to);
    }
  }
  bool agrees() {
    run(1);
    const auto expected = u_.active_values();
    by_hand(binding(next_), binding(u_));
    return u_.active_values() == expected;
  }

 private:
  static Settings settings(int threads) {
    Settings s;
    s.threads = threads;
    return s;
  }
  FieldBinding binding(const FieldRecord& field) {
    Domain& domain = domain_of(*grid_.state());
    return domain.bind(domain.buffer(field.id), 0);
  }
  FieldBinding binding(const Field<float, 19>& field) { return binding(*field.record()); }
  /// goban's own, with offsets in rising order.
  const FieldRecord& table() const {
    const auto& fields = grid_.state()->fields;
    return **std::find_if(fields.begin(), fields.end(), [](const auto& f) { return f->is_table; });
  }
  void by_hand(const FieldBinding& from, const FieldBinding& to) {
    const FieldBinding tables = binding(table());
    if (neighbors_.empty()) sort_tables(tables);
    runtime_.team().run([&](int thread) {
      twins::d3q19_list(reinterpret_cast<const float*>(from.read),
                        reinterpret_cast<float*>(to.write), from.component_stride,
                        neighbors_.data(), table_, size(), 1.2f, thread, runtime_.team().size());
    });
  }
  void sort_tables(const FieldBinding& tables) {
    table_ = tables.component_stride;
    neighbors_.resize(static_cast<std::size_t>(18 * table_));
    std::vector<std::array<int, 3>> offsets;
    for (std::size_t q = 1; q < 19; ++q) {
      const auto& c = twins::d3q19_velocity[q];
      offsets.push_back({-c[0], -c[1], -c[2]});
    }
    auto sorted = offsets;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t q = 0; q < 18; ++q) {
      const auto at = std::find(sorted.begin(), sorted.end(), offsets[q]) - sorted.begin();
      std::copy_n(reinterpret_cast<const int*>(tables.read) + at * table_, size(),
                  neighbors_.begin() + static_cast<Index>(q) * table_);
    }
  }

  Runtime runtime_;
  Grid grid_;
  Field<float, 19> u_, next_;
  std::unique_ptr<Engine> engine_;
  StepClock clock_;
  std::vector<int> neighbors_;
  Index table_ = 0;
};

}  // namespace

Benchmark d3q19_list(Index cells, int threads) {
  constexpr Index steps = 4;
  auto flow = std::make_shared<Flow>(cells, threads);
  Benchmark b;
  b.bytes_per_update = 2 * 19 * sizeof(float) + 18 * sizeof(int);
  b.updates = static_cast<double>(steps) * static_cast<double>(flow->size());
  b.goban = [flow] { flow->run(steps); };
  b.twin = [flow] { flow->by_hand(steps); };
  b.same_bits = [flow] { return flow->agrees(); };
  return b;
}

}  // namespace goban::benchmarks
