#include "benchmarks/benchmark.hpp"
#include "benchmarks/kernels.hpp"
#include "benchmarks/twins/heat25.hpp"
#include "benchmarks/twins/heat7.hpp"
#include "benchmarks/twins/heat7_temporal.hpp"
#include "benchmarks/twins/life.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/goban.hpp"
#include "life/stencils.hpp"

namespace goban::benchmarks {
namespace {

/// A program u -> next, swap on a periodic cube, and its twin on the very same buffers.
template <class T, int C, class Functor>
class Pair {
 public:
  Pair(Index3 cells, int threads, int steps_per_pass, const Functor& functor)
      : runtime_(settings(threads, steps_per_pass)),
        grid_(runtime_, {.cells = cells}),
        u_(grid_, "u"),
        next_(grid_, "next") {
    u_.fill([](Index3 i, int c) {
      const Index v = (i[0] * 7 + i[1] * 13 + i[2] * 29 + c * 3) % 31;
      if constexpr (std::is_same_v<T, std::uint8_t>)
        return v < 5 ? 1 : 0;
      else
        return (1.0 + 0.01 * static_cast<double>(v)) / C;
    });
    Program step("step");
    step.apply(functor, in(u_), out(next_));
    step.swap(u_, next_);
    engine_ = std::make_unique<Engine>(step);
    engine_->prepare();
  }

  void run(Index steps) { engine_->run(steps, clock_); }

  /// Calls twin(u, next, component stride, grid, thread, threads) on every thread, `steps` times,
  /// back and forth between the two buffers.
  template <class Twin>
  void by_hand(Index calls, Twin&& twin) {
    Domain& domain = domain_of(*u_.grid());
    FieldBinding from = domain.bind(domain.buffer(u_.record()->id), 0);
    FieldBinding to = domain.bind(domain.buffer(next_.record()->id), 0);
    for (Index n = 0; n < calls; ++n) {
      const twins::TwinGrid layout{grid_.cells(), from.stride[1], from.stride[2]};
      runtime_.team().run([&](int thread) {
        twin(reinterpret_cast<const T*>(from.read), reinterpret_cast<T*>(to.write),
             from.component_stride, layout, thread, runtime_.team().size());
      });
      std::swap(from, to);
    }
  }

  /// Some steps through goban leave the values they started from, ghosts and all, in the other
  /// buffer; the twin starts there.
  template <class Twin>
  bool agrees(Index steps, Twin&& twin) {
    run(steps);
    const auto expected = u_.copy_out();
    Domain& domain = domain_of(*u_.grid());
    domain.exchange_buffers(u_.record()->id, next_.record()->id);
    by_hand(1, twin);
    domain.exchange_buffers(u_.record()->id, next_.record()->id);
    return u_.copy_out() == expected;
  }

  twins::TwinGrid layout() {
    Domain& domain = domain_of(*u_.grid());
    const FieldBinding b = domain.bind(domain.buffer(u_.record()->id), 0);
    return {grid_.cells(), b.stride[1], b.stride[2]};
  }
  int threads() { return runtime_.team().size(); }

 private:
  static Settings settings(int threads, int steps_per_pass) {
    Settings s;
    s.threads = threads;
    s.temporal_blocking = steps_per_pass;
    return s;
  }

  Runtime runtime_;
  Grid grid_;
  Field<T, C> u_, next_;
  std::unique_ptr<Engine> engine_;
  StepClock clock_;
};

template <class T, int C, class Functor, class Twin>
Benchmark sweeps(Index cells, int threads, const Functor& functor, Twin twin) {
  constexpr Index steps = 4;
  auto pair =
      std::make_shared<Pair<T, C, Functor>>(Index3{cells, cells, cells}, threads, 0, functor);
  Benchmark b;
  b.bytes_per_update = 2.0 * sizeof(T) * C;
  b.updates = static_cast<double>(steps) * static_cast<double>(cells * cells * cells);
  b.goban = [pair] { pair->run(steps); };
  b.twin = [pair, twin] { pair->by_hand(steps, twin); };
  b.same_bits = [pair, twin] { return pair->agrees(1, twin); };
  return b;
}

template <class T>
Benchmark heat7(Index cells, int threads) {
  constexpr T r = T(0.1);
  return sweeps<T, 1>(cells, threads, Heat7<T>{r},
                      [](const T* u, T* next, Index, const twins::TwinGrid& g, int t, int n) {
                        twins::heat7(u, next, r, g, t, n);
                      });
}

Benchmark heat25(Index cells, int threads) {
  static constexpr std::array<float, 5> c = {0.2f, 0.1f, 0.02f, 0.01f, 0.003f};
  return sweeps<float, 1>(cells, threads, Heat25{c},
                          [](const float* u, float* next, Index, const twins::TwinGrid& g, int t,
                             int n) { twins::heat25(u, next, c, g, t, n); });
}

Benchmark life(Index cells, int threads) {
  return sweeps<std::uint8_t, 1>(
      cells, threads, life::LiveInRanges::with(life::bays_rule("2755")),
      [](const std::uint8_t* u, std::uint8_t* next, Index, const twins::TwinGrid& g, int t, int n) {
        twins::life(u, next, {2, 7, 5, 5}, g, t, n);
      });
}

Benchmark d3q19(Index cells, int threads) {
  return sweeps<float, 19>(
      cells, threads, Bgk{1.2f},
      [](const float* u, float* next, Index population, const twins::TwinGrid& g, int t, int n) {
        twins::d3q19(u, next, population, 1.2f, g, t, n);
      });
}

Benchmark heat7_pass(Index cells, int threads) {
  constexpr int steps = twins::Heat7Temporal::steps;
  using PassPair = Pair<float, 1, Heat7<float>>;
  auto pair =
      std::make_shared<PassPair>(Index3{cells, cells, cells}, threads, steps, Heat7<float>{0.1f});
  auto by_hand = std::make_shared<twins::Heat7Temporal>(pair->layout(), pair->threads());
  auto twin = [by_hand](const float* u, float* next, Index, const twins::TwinGrid&, int t, int n) {
    (*by_hand)(u, next, 0.1f, t, n);
  };
  Benchmark b;
  b.bytes_per_update = 8;
  b.updates = 2.0 * steps * static_cast<double>(cells * cells * cells);
  b.goban = [pair] { pair->run(2 * steps); };
  b.twin = [pair, twin] { pair->by_hand(2, twin); };
  b.same_bits = [pair, twin] { return pair->agrees(steps, twin); };
  return b;
}

}  // namespace

const std::vector<NamedBenchmark>& all_benchmarks() {
  static const std::vector<NamedBenchmark> all = {
      {"heat7", "7 points, float, one sweep", 512, heat7<float>},
      {"heat7_double", "7 points, double, one sweep", 512, heat7<double>},
      {"heat7_pass", "7 points, float, four steps a pass through cache", 512, heat7_pass},
      {"heat25", "25 points (order 8), float, one sweep", 512, heat25},
      {"d3q19", "lattice Boltzmann, 19 populations, float, two lattices", 256, d3q19},
      {"life", "26 neighbours, bytes, one sweep", 512, life},
  };
  return all;
}

}  // namespace goban::benchmarks
