#pragma once
// A thread sweeps a column, one after the other; what it keeps of every level for the way back lies
// in shared memory, numbers of neighbouring columns side by side. Before it the generated text
// says: arguments `Arguments`, the constants column_axis (1: the middle one, 2: the slowest),
// levels_ahead, kept_count (numbers kept of a level) and in_segments, the type `Scratch` of what is
// kept, and the sweeps, `Forward` and `Backward`, or `NoSweep` for one that there is not.
//
// Where shared memory holds few columns, either segments of them are kept, of `segment` levels, a
// multiple of levels_ahead (sweep_in_segments), or, while a thread goes back along one column it
// goes forth along the next: what the one has read for the last time makes room for the other, so
// that one column's shared memory is enough for two, whose chains of dependent operations run side
// by side.

#include "turn.cuh"

namespace goban::device {

/// Where a thread keeps its numbers.
struct ColumnMemory {
  Scratch* first;  ///< number 0 of the first level kept
  int stride;      ///< to those of the next one
  int count;       ///< levels kept at a time; in segments a power of two
};

/// A column and how it is walked.
struct Column {
  Place foot;
  int levels;
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
  const int slot = in_segments         ? level & (m.count - 1)
                   : column.is_flipped ? m.count - 1 - level
                                       : level;
  return m.first + static_cast<Index>(n * m.count + slot) * m.stride;
}

/// A sweep under way over some levels: the values of the next ones are on their way already.
template <class Sweep>
struct Walk {
  const Arguments& a;
  Column column;
  int lowest, count;  ///< levels
  Sweep sweep{};
  typename Sweep::Level ahead[levels_ahead];

  GOBAN_DEVICE int level(int n) const { return lowest + (Sweep::is_backward ? count - 1 - n : n); }
  GOBAN_DEVICE void fetch(int n, typename Sweep::Level& to) const {
    if (n < count) Sweep::fetch(a, level_of(column, level(n)), to);
  }
  GOBAN_DEVICE void begin() {
    unroll<levels_ahead>([&](auto i) { fetch(i, ahead[i]); });
  }
  GOBAN_DEVICE void step(int n, typename Sweep::Level& values) {
    sweep.compute(a, column, level_of(column, level(n)), level(n), values);
    fetch(n + levels_ahead, values);
  }
};

/// Both at once over as many levels, the first one ahead at every level.
template <class First, class Second>
GOBAN_DEVICE void walk_both(First& first, Second& second) {
  first.begin();
  second.begin();
#pragma unroll 1
  for (int n = 0; n < first.count; n += levels_ahead) {
    unroll<levels_ahead>([&](auto i) {
      if (n + i >= first.count) return;
      first.step(n + i, first.ahead[i]);
      second.step(n + i, second.ahead[i]);
    });
  }
}
/// `before(n)` is called at every levels_ahead'th level.
template <class One, class Before>
GOBAN_DEVICE void walk(One& one, Before&& before) {
  one.begin();
#pragma unroll 1
  for (int n = 0; n < one.count; n += levels_ahead) {
    before(n);
    unroll<levels_ahead>([&](auto i) {
      if (n + i < one.count) one.step(n + i, one.ahead[i]);
    });
  }
}
template <class One>
GOBAN_DEVICE void walk(One& one) {
  walk(one, [](int) {});
}

/// Back along a column of which one segment is kept at a time: the way forth notes what it carries
/// where segments begin, and each but the last is walked once more before it is walked back.
template <class Forth, class Back>
GOBAN_DEVICE void sweep_in_segments(const Arguments& a, const Column& column, Scratch* noted) {
  const int segment = column.memory.count, stride = column.memory.stride;
  const int last = (column.levels - 1) / segment * segment;
  const auto notes_of = [&](int level) {
    return noted + static_cast<Index>(level / segment * Forth::carried_count) * stride;
  };
  Walk<Forth> whole{a, column, 0, column.levels};
  walk(whole, [&](int n) {
    if (n < last && n % segment == 0) whole.sweep.note(notes_of(n), stride);
  });
  Back sweep{};
#pragma unroll 1
  for (int lowest = last; lowest >= 0; lowest -= segment) {
    const int count = column.levels - lowest < segment ? column.levels - lowest : segment;
    if (lowest < last) {
      Walk<Forth> again{a, column, lowest, count};
      again.sweep.go_on(notes_of(lowest), stride);
      walk(again);
    }
    Walk<Back> back{a, column, lowest, count, sweep};
    walk(back);
    sweep = back.sweep;
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
GOBAN_DEVICE void sweep_columns(const Arguments& a, Scratch* shared, int segment) {
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
    const ColumnMemory memory{shared + threadIdx.x, static_cast<int>(blockDim.x),
                              in_segments ? segment : count};
    if (column_axis == 1) {
      return Column{{fast, c.low[1], c.low[2] + other}, count, memory, is_flipped};
    }
    return Column{{fast, c.low[1] + other, c.low[2]}, count, memory, is_flipped};
  };
  if constexpr (in_segments) {
    Scratch* const noted =
        shared + kept_count * segment * static_cast<int>(blockDim.x) + threadIdx.x;
#pragma unroll 1
    for (; n < columns; n += threads) sweep_in_segments<Forth, Back>(a, column(n, false), noted);
  } else if constexpr (is_sweep<Forth> && is_sweep<Back>) {
    Walk<Forth> first{a, column(n, false), 0, count};
    walk(first);
    bool is_flipped = false;
#pragma unroll 1
    for (; n + threads < columns; n += threads) {
      Walk<Back> back{a, column(n, is_flipped), 0, count};
      is_flipped = !is_flipped;
      Walk<Forth> forth{a, column(n + threads, is_flipped), 0, count};
      walk_both(back, forth);
    }
    Walk<Back> last{a, column(n, is_flipped), 0, count};
    walk(last);
  } else {
    using Only = typename Either<Forth, Back>::Type;
#pragma unroll 1
    for (; n < columns; n += threads) {
      Walk<Only> only{a, column(n, false), 0, count};
      walk(only);
    }
  }
}

}  // namespace goban::device

extern "C" __global__ void __launch_bounds__(128)
    goban_kernel(const __grid_constant__ goban::device::Arguments a, int segment) {
  using namespace goban::device;
  extern __shared__ __align__(16) unsigned char shared[];
  let_next_launch();
  wait_for_turn();
  sweep_columns<Forward, Backward>(a, reinterpret_cast<Scratch*>(shared), segment);
}
