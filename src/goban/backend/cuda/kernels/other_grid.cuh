#pragma once
// What a functor reads of a field on another grid than the one it works on: cell i of a patch
// stands for cell (i + its global index) scale >> halving there, see grid/index_map.hpp. The
// pointer of such a field is to global cell (0, 0, 0).

#include "cells.cuh"

namespace goban::device {

/// The index on the other grid along one axis.
template <int Scale, int Halving>
struct OtherIndex {
  static GOBAN_DEVICE Index of(Index i) { return (i * Scale) >> Halving; }
};

/// Offsets from what the cells of a pack stand for are in memory order, as the indices are. Lanes
/// beyond the cells to update read what their neighbours do.
template <class S, int N, int Order, class Fast, class Middle, class Slow>
GOBAN_DEVICE Pack<Arithmetic<S>, N> on_other_grid(const FieldView& f, const SweepCommon& c,
                                                  const Place& at, int component, int fast,
                                                  int middle, int slow) {
  const Index* const first = c.site.index;
  const S* const row =
      reinterpret_cast<const S*>(f.read) + component * f.component +
      (Middle::of(first[Order >> 2 & 3] + at.middle) + middle) * static_cast<Index>(f.middle) +
      (Slow::of(first[Order >> 4 & 3] + at.slow) + slow) * f.slow + fast;
  Pack<Arithmetic<S>, N> values;
  unroll<N>([&](auto i) {
    const int cell = max(c.low[0], min(at.fast + i, c.high[0] - 1));
    values.set(i, load_constant<1>(row + Fast::of(first[Order & 3] + cell))[0]);
  });
  return values;
}

}  // namespace goban::device
