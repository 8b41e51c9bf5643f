#pragma once
// A thread sweeps a column, one after the other; what it keeps of every level for the way back lies
// in shared memory, numbers of neighbouring columns side by side. Before it the generated text
// says: arguments `Arguments`, the constants column_axis (1: the middle one, 2: the slowest) and
// levels_ahead, the type `Scratch` of what is kept, and the sweeps, `Forward` and `Backward`, or
// `NoSweep` for one that there is not.
//
// While a thread goes back along one column it goes forth along the next: what the one has read for
// the last time makes room for the other, so that one column's shared memory is enough for two,
// whose chains of dependent operations run side by side.

#include "turn.cuh"

namespace goban::device {

/// Where a thread keeps its numbers.
struct ColumnMemory {
  Scratch* first;  ///< number 0 of level 0
  int stride;      ///< to those of the next level
  int count;       ///< levels
};

/// A column and how it is walked.
struct Column {
  Place foot;
  ColumnMemory memory;
  bool is_flipped;  ///< its first level is kept last
};

/// At a level, counted from the foot.
GOBAN_DEVICE Place level_of(const Column& column, int level) {
  Place at = column.foot;
  (column_axis == 1 ? at.middle : at.slow) += level;
  return at;
}

/// Number n that is kept of a level.
GOBAN_DEVICE Scratch* kept_at(const Column& column, int level, int n) {
  const ColumnMemory& m = column.memory;
  const int slot = column.is_flipped ? m.count - 1 - level : level;
  return m.first + static_cast<Index>(n * m.count + slot) * m.stride;
}

/// A sweep under way: the values of some levels to come are on their way already.
template <class Sweep>
struct Walk {
  const Arguments& a;
  Column column;
  Sweep sweep{};
  typename Sweep::Level ahead[levels_ahead];

  GOBAN_DEVICE int level(int n) const {
    return Sweep::is_backward ? column.memory.count - 1 - n : n;
  }
  GOBAN_DEVICE void fetch(int n, typename Sweep::Level& to) const {
    if (n < column.memory.count) Sweep::fetch(a, level_of(column, level(n)), to);
  }
  GOBAN_DEVICE void begin() {
    unroll<levels_ahead>([&](auto i) { fetch(i, ahead[i]); });
  }
  GOBAN_DEVICE void step(int n, typename Sweep::Level& values) {
    sweep.compute(a, column, level_of(column, level(n)), level(n), values);
    fetch(n + levels_ahead, values);
  }
};

/// Both at once, the first one ahead at every level.
template <class First, class Second>
GOBAN_DEVICE void walk_both(First& first, Second& second, int count) {
  first.begin();
  second.begin();
#pragma unroll 1
  for (int n = 0; n < count; n += levels_ahead) {
    unroll<levels_ahead>([&](auto i) {
      if (n + i >= count) return;
      first.step(n + i, first.ahead[i]);
      second.step(n + i, second.ahead[i]);
    });
  }
}
template <class One>
GOBAN_DEVICE void walk(One& one, int count) {
  one.begin();
#pragma unroll 1
  for (int n = 0; n < count; n += levels_ahead) {
    unroll<levels_ahead>([&](auto i) {
      if (n + i < count) one.step(n + i, one.ahead[i]);
    });
  }
}

struct NoSweep {};
template <class Sweep>
inline constexpr bool is_sweep = !same<Sweep, NoSweep>;
template <class A, class B>
struct Either {
  using Type = A;
};
template <class B>
struct Either<NoSweep, B> {
  using Type = B;
};

/// All columns of a thread.
template <class Forth, class Back>
GOBAN_DEVICE void sweep_columns(const Arguments& a, Scratch* shared) {
  const SweepCommon& c = a.common;
  constexpr int beside = column_axis == 1 ? 2 : 1;
  const int row = c.high[0] - c.low[0], count = c.high[column_axis] - c.low[column_axis];
  const auto rows = static_cast<uint32>(c.high[beside] - c.low[beside]);
  const uint32 columns = static_cast<uint32>(row) * rows, threads = gridDim.x * blockDim.x;
  uint32 n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= columns) return;
  const auto column = [&](uint32 number, bool is_flipped) {
    const auto other = static_cast<int>(number / static_cast<uint32>(row));
    const int fast = c.low[0] + static_cast<int>(number) - other * row;
    const ColumnMemory memory{shared + threadIdx.x, static_cast<int>(blockDim.x), count};
    if (column_axis == 1) return Column{{fast, c.low[1], c.low[2] + other}, memory, is_flipped};
    return Column{{fast, c.low[1] + other, c.low[2]}, memory, is_flipped};
  };
  if constexpr (is_sweep<Forth> && is_sweep<Back>) {
    Walk<Forth> first{a, column(n, false)};
    walk(first, count);
    bool is_flipped = false;
#pragma unroll 1
    for (; n + threads < columns; n += threads) {
      Walk<Back> back{a, column(n, is_flipped)};
      is_flipped = !is_flipped;
      Walk<Forth> forth{a, column(n + threads, is_flipped)};
      walk_both(back, forth, count);
    }
    Walk<Back> last{a, column(n, is_flipped)};
    walk(last, count);
  } else {
    using Only = typename Either<Forth, Back>::Type;
#pragma unroll 1
    for (; n < columns; n += threads) {
      Walk<Only> only{a, column(n, false)};
      walk(only, count);
    }
  }
}

}  // namespace goban::device

extern "C" __global__ void __launch_bounds__(128)
    goban_kernel(const __grid_constant__ goban::device::Arguments a) {
  using namespace goban::device;
  extern __shared__ __align__(16) unsigned char shared[];
  let_next_launch();
  wait_for_turn();
  sweep_columns<Forward, Backward>(a, reinterpret_cast<Scratch*>(shared));
}
