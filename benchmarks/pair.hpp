#pragma once
// A program u -> next, swap on a periodic cube beside its twin on the same buffers.

#include "benchmarks/benchmark.hpp"
#include "benchmarks/twins/grid.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/goban.hpp"

namespace goban::benchmarks {

/// A program u -> next, swap on a cube, and its twin on the very same buffers.
template <class T, int C, class Functor>
class Pair {
 public:
  Pair(Index3 cells, int threads, int steps_per_pass, const BoundarySet& boundary,
       const Functor& functor)
      : runtime_(settings(threads, steps_per_pass)),
        grid_(runtime_, {.cells = cells, .boundary = boundary}),
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

  /// Calls twin(u, next, component stride, grid, thread, threads) on every thread, `calls` times,
  /// back and forth between the two buffers.
  template <class Twin>
  void by_hand(Index calls, Twin&& twin) {
    FieldBinding from = binding(u_);
    FieldBinding to = binding(next_);
    for (Index n = 0; n < calls; ++n) {
      by_hand(from, to, twin);
      std::swap(from, to);
    }
  }

  /// Some steps through goban leave the values they started from, ghosts and all, in the other
  /// buffer; the twin starts there.
  template <class Twin>
  bool agrees(Index steps, Twin&& twin) {
    run(steps);
    const auto expected = u_.copy_out();
    by_hand(binding(next_), binding(u_), twin);
    return u_.copy_out() == expected;
  }

  /// The same for steps in passes, which compute in both buffers: the twin is given the values they
  /// started from, with as many layers of periodic ghosts.
  template <class Twin>
  bool agrees_in_passes(Index steps, Twin&& twin) {
    static_assert(C == 1);
    const auto start = u_.copy_out();
    run(steps);
    const auto expected = u_.copy_out();
    const FieldBinding to = binding(next_);
    const Index3 n = grid_.cells();
    const auto wrapped = [](Index i, Index cells) { return (i + cells) % cells; };
    for (Index z = -steps; z < n[2] + steps; ++z) {
      for (Index y = -steps; y < n[1] + steps; ++y) {
        const T* from = start.data() + n[0] * (wrapped(y, n[1]) + n[1] * wrapped(z, n[2]));
        T* row = reinterpret_cast<T*>(to.write) + y * to.stride[1] + z * to.stride[2];
        for (Index x = -steps; x < n[0] + steps; ++x) row[x] = from[wrapped(x, n[0])];
      }
    }
    by_hand(to, binding(u_), twin);
    return u_.copy_out() == expected;
  }

  twins::TwinGrid layout() {
    const FieldBinding b = binding(u_);
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

  static FieldBinding binding(const Field<T, C>& field) {
    Domain& domain = domain_of(*field.grid());
    return domain.bind(domain.buffer(field.record()->id), 0);
  }

  template <class Twin>
  void by_hand(const FieldBinding& from, const FieldBinding& to, Twin&& twin) {
    const twins::TwinGrid layout{grid_.cells(), from.stride[1], from.stride[2]};
    runtime_.team().run([&](int thread) {
      twin(reinterpret_cast<const T*>(from.read), reinterpret_cast<T*>(to.write),
           from.component_stride, layout, thread, runtime_.team().size());
    });
  }

  Runtime runtime_;
  Grid grid_;
  Field<T, C> u_, next_;
  std::unique_ptr<Engine> engine_;
  StepClock clock_;
};

/// Some sweeps of a functor, and the same by hand. Twins leave ghosts as they are: with constant
/// ones they do the same work as goban, with periodic ones goban makes them anew in every step.
template <class T, int C, class Functor, class Twin>
Benchmark sweeps(Index cells, int threads, const BoundarySet& boundary, const Functor& functor,
                 Twin twin) {
  constexpr Index steps = 4;
  auto pair = std::make_shared<Pair<T, C, Functor>>(Index3{cells, cells, cells}, threads, 0,
                                                    boundary, functor);
  Benchmark b;
  b.bytes_per_update = 2.0 * sizeof(T) * C;
  b.updates = static_cast<double>(steps) * static_cast<double>(cells * cells * cells);
  b.goban = [pair] { pair->run(steps); };
  b.twin = [pair, twin] { pair->by_hand(steps, twin); };
  b.same_bits = [pair, twin] { return pair->agrees(1, twin); };
  return b;
}

}  // namespace goban::benchmarks
