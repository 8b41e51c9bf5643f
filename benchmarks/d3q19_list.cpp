#include "benchmarks/twins/d3q19_list.hpp"

#include <algorithm>
#include <type_traits>

#include "benchmarks/benchmark.hpp"
#include "benchmarks/kernels.hpp"
#include "benchmarks/list_cells.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/goban.hpp"

namespace goban::benchmarks {
namespace {

using IsActive = bool (*)(Index3 cell);

template <class T>
class Flow {
 public:
  Flow(Index cells, int threads, IsActive is_active)
      : runtime_(settings(threads)),
        grid_(runtime_,
              {.cells = {cells, cells, cells}, .boundary = periodic, .active = is_active}),
        u_(grid_, "u"),
        next_(grid_, "next") {
    u_.inactive(bounce_back).fill([](Index3 i, int c) {
      return (1.0 + 0.01 * static_cast<double>((i[0] * 7 + i[1] * 13 + i[2] * 29 + c * 3) % 31)) /
             19;
    });
    next_.inactive(bounce_back);
    Program step("step");
    step.apply(Bgk{T(1.2)}, in(u_), out(next_));
    step.swap(u_, next_);
    engine_ = std::make_unique<Engine>(step);
    engine_->prepare();
  }

  Index size() const { return grid_.active()->size(); }
  /// Populations to and fro, and the table of neighbours.
  double bytes_per_update() const {
    const auto& fields = grid_.state()->fields;
    const auto table =
        std::find_if(fields.begin(), fields.end(), [](const auto& f) { return f->is_table; });
    return 2 * 19 * sizeof(T) + static_cast<double>((*table)->components) * sizeof(std::int32_t);
  }
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
  FieldBinding binding(const Field<T, 19>& field) {
    Domain& domain = domain_of(*grid_.state());
    return domain.bind(domain.buffer(field.record()->id), 0);
  }
  void by_hand(const FieldBinding& from, const FieldBinding& to) {
    if (neighbors_.empty()) find_neighbors();
    runtime_.team().run([&](int thread) {
      twins::d3q19_list(reinterpret_cast<const float*>(from.read),
                        reinterpret_cast<float*>(to.write), from.component_stride,
                        neighbors_.data(), table_, size(), 1.2f, thread, runtime_.team().size());
    });
  }
  void find_neighbors() {
    constexpr Index page = 1024, line = 16;  // numbers
    const ActiveCells& list = *grid_.active();
    table_ = round_up(size(), page) + 17 * line;
    neighbors_.resize(static_cast<std::size_t>(18 * table_));
    runtime_.team().run_split(size(), [&](Index begin, Index end, int) {
      for (Index n = begin; n < end; ++n) {
        const Index3 cell = list[n];
        for (std::size_t q = 1; q < 19; ++q) {
          Index3 from = cell;
          for (std::size_t a = 0; a < 3; ++a) {
            const Index along = grid_.cells()[a];
            from[a] = (from[a] - twins::d3q19_velocity[q][a] + along) % along;
          }
          neighbors_[(q - 1) * static_cast<std::size_t>(table_) + static_cast<std::size_t>(n)] =
              static_cast<int>(list.find(from));
        }
      }
    });
  }

  Runtime runtime_;
  Grid grid_;
  Field<T, 19> u_, next_;
  std::unique_ptr<Engine> engine_;
  StepClock clock_;
  std::vector<int> neighbors_;
  Index table_ = 0;
};

template <class T>
Benchmark on_list(Index cells, int threads, IsActive is_active) {
  constexpr Index steps = 4;
  auto flow = std::make_shared<Flow<T>>(cells, threads, is_active);
  Benchmark b;
  b.bytes_per_update = flow->bytes_per_update();
  b.updates = static_cast<double>(steps) * static_cast<double>(flow->size());
  b.goban = [flow] { flow->run(steps); };
  if constexpr (std::is_same_v<T, float>) {
    b.twin = [flow] { flow->by_hand(steps); };
    b.same_bits = [flow] { return flow->agrees(); };
  }
  return b;
}

}  // namespace

Benchmark d3q19_list(Index cells, int threads) {
  return on_list<float>(cells, threads, is_between_grains);
}
Benchmark d3q19_list_box(Index cells, int threads) {
  return on_list<float>(cells, threads, is_anywhere);
}
Benchmark d3q19_list_pipe(Index cells, int threads) {
  return on_list<float>(cells, threads, is_in_pipe);
}
Benchmark d3q19_list_double(Index cells, int threads) {
  return on_list<double>(cells, threads, is_in_pipe);
}

}  // namespace goban::benchmarks
