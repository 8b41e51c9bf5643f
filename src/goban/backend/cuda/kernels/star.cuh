#pragma once
// What kernels that march through the planes share: the values around a pack of cells and where the
// functor is evaluated on them. The generated text says before: `Scalar`, what fields that march
// store; constants pack_width, steps, pairs, fast_reach, middle_reach, slow_reach, tile_rows,
// warps, ahead, blocks, sends_planes; arrays march_in, march_out, arguments that march by pair;
// `Arguments`, a MarchArguments, of those that send planes a SendingMarchArguments.

#include "cells.cuh"
#include "copies.cuh"
#include "dependent_launch.cuh"

namespace goban::device {

using Value = Pack<Scalar, pack_width>;
static_assert(sizeof(Value) == 16);

/// The values around one pack of cells.
struct Star {
  Value center, before, after;  ///< in the row
  Value middle[2 * middle_reach + 1], slow[2 * slow_reach + 1];
};

/// `along` cells further in the row, up to a pack.
template <int Along>
GOBAN_DEVICE Value in_row(const Star& star) {
  if constexpr (Along >= 0) {
    if constexpr (Along == pack_width) return star.after;
    return window<Along % pack_width>(star.center, star.after);
  } else {
    return window<Along + pack_width>(star.before, star.center);
  }
}

/// Evaluates one step's functor for a pack; gives what takes the places of fields that march.
GOBAN_DEVICE void evaluate(const Arguments& a, int level, const Place& at,
                           const Star (&stars)[pairs], Value (&results)[pairs]);

/// Where a functor is evaluated for the pack at x of a row and plane that may not count.
GOBAN_DEVICE Place needed_place(const MarchCommon& a, int x, int row, int plane) {
  const int first = a.needed_low[0] & -pack_width, last = (a.needed_high[0] - 1) & -pack_width;
  return {min(max(x, first), last), min(max(row, a.needed_low[1]), a.needed_high[1] - 1),
          min(max(plane, a.needed_low[2]), a.needed_high[2] - 1)};
}

/// Lanes First ... First + Count - 1 of the pack beside, from the lane below or above.
template <int First, int Count, bool Up>
GOBAN_DEVICE Value shuffled(const Value& pack) {
  constexpr int bytes = static_cast<int>(sizeof(Scalar));
  uint32 word[4];
  memcpy(word, &pack, sizeof(word));
  unroll<4>([&](auto w) {
    constexpr int at = w;
    if constexpr (4 * at + 4 > First * bytes && 4 * at < (First + Count) * bytes) {
      word[at] = Up ? __shfl_up_sync(0xffffffffu, word[at], 1)
                    : __shfl_down_sync(0xffffffffu, word[at], 1);
    }
  });
  Value result;
  memcpy(&result, word, sizeof(word));
  return result;
}

/// Rows of packs in shared memory.
GOBAN_DEVICE Value load_row(const uint4& from) {
  return load<pack_width>(reinterpret_cast<const Scalar*>(&from));
}
GOBAN_DEVICE void store_row(uint4& to, const Value& pack) {
  device::store(reinterpret_cast<Scalar*>(&to), pack);
}

/// The block's dynamic shared memory.
template <class T>
GOBAN_DEVICE T& shared_memory() {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  return *reinterpret_cast<T*>(shared_bytes);
}

/// Where the planes of a window lie that has moved on by Turn.
template <int Planes, int Turn>
struct Window {
  static constexpr __device__ int at(int k) { return (k + Turn) % Planes; }
};

}  // namespace goban::device
