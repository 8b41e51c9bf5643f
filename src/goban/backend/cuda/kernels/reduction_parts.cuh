#pragma once
// What kernels of reductions are made of: a thread at some planes, what a block has of a reduction,
// what all of them have. Before it the generated text says the constants pack_width and planes.

#include "exact_sum.cuh"
#include "outputs.cuh"

namespace goban::device {

/// A thread's part of a reduction, by ReductionView::kind.
template <int Kind>
struct Partial : PartialExtremum {
  GOBAN_DEVICE Partial() : PartialExtremum(Kind == 1) {}
};
template <>
struct Partial<0> : PartialSum {};

/// A thread at some planes of one place. Lanes of a warp walk together, those without cells, too.
struct Walker {
  Place at;
  int next, end;  ///< planes that are still to be added
  bool has_cells;

  template <class Part>
  GOBAN_DEVICE void store(const typename Part::Arguments& a) const {
    if (!has_cells) return;
    typename Part::Results results[planes];
    Part::evaluate(a, at, results);
    const typename Part::Targets targets(a, at);
    unroll<planes>([&](auto plane) {
      const bool are_plain = is_plain<pack_width>(a.common, at.fast, at.middle, at.slow + plane);
      targets.store(a, at, 0, plane, results[plane], are_plain);
    });
    // The next part may read it, as values of another type.
    asm volatile("" ::: "memory");
  }

  template <class Part>
  GOBAN_DEVICE void add(const typename Part::Arguments& a, Partial<Part::kind>& partial,
                        uint64* limbs) const {
    const SweepCommon& c = a.common;
    typename Part::Results results[planes];
    if (has_cells) Part::evaluate(a, at, results);
    const auto for_each_term = [&](auto&& take) {
      if (!has_cells) return;
      unroll<planes>([&](auto plane) {
        if (at.slow + plane < next || at.slow + plane >= end) return;
        const Pack<double, pack_width>& values = results[plane].p0[0];
        const uint8* mask = c.mask.read;
        if (mask) {
          mask += at.fast + at.middle * static_cast<Index>(c.mask.middle) +
                  (at.slow + plane) * c.mask.slow;
        }
        unroll<pack_width>([&](auto i) {
          if (at.fast + i < c.low[0] || at.fast + i >= c.high[0]) return;
          if (mask && mask[i] == 0) return;
          take(values[i]);
        });
      });
    };
    if constexpr (Part::kind != 0) {
      for_each_term([&](double term) { partial.add(term); });
    } else {
      if (partial.is_open()) {
        int limb = -1;
        for_each_term([&](double term) { limb = max(limb, limb_of(term)); });
        partial.begin(most_of_warp(limb));
      }
      for_each_term([&](double term) { partial.add(term, limbs); });
    }
  }
};

/// What a block has of a reduction, for the others to see.
template <int Kind>
GOBAN_DEVICE void hand_over(const uint64* limbs, uint64* state, int thread, int threads) {
  if constexpr (Kind != 0) {
    if (thread == 0) atomicMax(state, limbs[0]);
  } else {
    for (int i = thread; i < state_size; i += threads) {
      const auto part = static_cast<uint64>(with_carries(limbs, i));
      if (part != 0) atomicAdd(state + i, part);
    }
  }
}

/// What all blocks have of it.
template <int Kind>
GOBAN_DEVICE void gather(const ReductionView& r, uint64* limbs, int thread, int threads) {
  for (int i = thread; i < state_size; i += threads) {
    uint64 all = 0;
    for (int copy = 0; copy < state_copies; ++copy) {
      uint64* const part = r.state + copy * state_size + i;
      const uint64 value = __ldcg(part);
      if (value == 0) continue;
      *part = 0;
      all = Kind == 0 ? all + value : max(all, value);
    }
    (r.value ? limbs : r.result)[i] = all;
  }
}

/// The number it becomes; a warp calls it together.
template <int Kind>
GOBAN_DEVICE void round_result(uint64* limbs, double* value, int lane) {
  int lowest = limb_count, highest = -1;
  for (int i = lane; i < limb_count; i += 32) {
    if (limbs[i] == 0) continue;
    lowest = min(lowest, i);
    highest = max(highest, i);
  }
  for (int step = 16; step > 0; step /= 2) {
    lowest = min(lowest, __shfl_xor_sync(0xffffffffu, lowest, step));
    highest = max(highest, __shfl_xor_sync(0xffffffffu, highest, step));
  }
  if (lane > 0) return;
  *value = Kind == 0 ? value_of_sum(reinterpret_cast<int64*>(limbs), lowest, highest)
                     : value_of_extremum(limbs[0], Kind == 1);
}

}  // namespace goban::device
