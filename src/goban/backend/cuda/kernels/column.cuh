#pragma once
// A thread sweeps a column, one after the other; what it keeps of every level for the way back lies
// in shared memory, a level's numbers beside each other, those of neighbouring columns side by
// side. Before it the generated text says: arguments `Arguments`, the constants column_axis (1: the
// middle one, 2: the slowest), levels_ahead, kept_count (numbers kept of a level), in_segments and
// most_threads of a block, the type `Scratch` of what is kept, all of a level as `Kept`, and the
// sweeps, `Forward` and `Backward`, or `NoSweep` for one that there is not.
//
// Where shared memory holds few columns, either segments of them are kept, of `segment` levels, a
// multiple of levels_ahead (sweep_in_segments), or, while a thread goes back along one column it
// goes forth along the next: what the one has read for the last time makes room for the other, so
// that one column's shared memory is enough for two, whose chains of dependent operations run side
// by side.
//
// Addresses are taken from level to level: computed anew for each they were most of what a level
// took.

#include "dependent_launch.cuh"

namespace goban::device {

extern __shared__ __align__(16) unsigned char shared[];

/// Where a thread keeps its numbers: bytes into shared memory.
struct ColumnMemory {
  int first;   ///< to the numbers of the first level kept
  int stride;  ///< from one level to the next
  int count;   ///< levels kept at a time; in segments a power of two
};

/// A column and how it is walked.
struct Column {
  Place foot;
  int levels;
  ColumnMemory memory;
  bool is_flipped;  ///< its first level is kept last
  bool is_plain;    ///< all of its cells are; see SweepCommon
};

/// The place at a level, counted from the foot.
GOBAN_DEVICE Place level_of(const Column& column, int level) {
  Place at = column.foot;
  (column_axis == 1 ? at.middle : at.slow) += level;
  return at;
}

/// What is kept of a level.
GOBAN_DEVICE int kept_at(const Column& column, int level) {
  const ColumnMemory& m = column.memory;
  const int slot = in_segments         ? level & (m.count - 1)
                   : column.is_flipped ? m.count - 1 - level
                                       : level;
  return m.first + slot * m.stride;
}

/// Numbers that are kept are copied by instructions of up to 16 bytes.
constexpr int kept_bytes = static_cast<int>(sizeof(Kept));
using KeptPart = typename ChunkOf<(kept_bytes % 16 == 0  ? 16
                                   : kept_bytes % 8 == 0 ? 8
                                   : kept_bytes % 4 == 0 ? 4
                                                         : kept_bytes % 2 + 1)>::Type;
struct KeptParts {
  KeptPart part[kept_bytes / static_cast<int>(sizeof(KeptPart))];
};
GOBAN_DEVICE Kept kept_from(int memory) {
  KeptParts parts;
  unroll<sizeof(parts) / sizeof(KeptPart)>(
      [&](auto i) { parts.part[i] = reinterpret_cast<const KeptPart*>(shared + memory)[i]; });
  Kept kept;
  memcpy(&kept, &parts, sizeof(kept));
  return kept;
}
GOBAN_DEVICE void keep(int memory, const Kept& kept) {
  KeptParts parts;
  memcpy(&parts, &kept, sizeof(kept));
  unroll<sizeof(parts) / sizeof(KeptPart)>(
      [&](auto i) { reinterpret_cast<KeptPart*>(shared + memory)[i] = parts.part[i]; });
}

/// A sweep under way over some levels: the values of the next ones are on their way already.
template <class Sweep>
struct Walk {
  const Arguments& a;
  Column column;
  int lowest, count;  ///< levels
  Sweep sweep{};
  typename Sweep::Rows rows;
  typename Sweep::Targets targets;
  int memory;
  typename Sweep::Level ahead[levels_ahead];

  GOBAN_DEVICE int level(int n) const { return lowest + (Sweep::is_backward ? count - 1 - n : n); }
  GOBAN_DEVICE void begin() {
    rows.begin(a, level_of(column, level(0)));
    targets.begin(a, level_of(column, level(0)));
    memory = kept_at(column, level(0));
    sweep.begin(a, level_of(column, level(0)));
  }
  GOBAN_DEVICE void fetch(typename Sweep::Level& to, bool is_there) {
    if (is_there) rows.fetch(to);
    rows.advance(a);
  }
  template <bool IsPlain>
  GOBAN_DEVICE void step(int n, const typename Sweep::Level& values) {
    Kept kept;
    if constexpr (kept_count > 0 && Sweep::is_backward) kept = kept_from(memory);
    sweep.template compute<IsPlain>(a, level_of(column, level(n)), values, targets, kept);
    if constexpr (kept_count > 0 && !Sweep::is_backward) keep(memory, kept);
    targets.advance(a);
    memory +=
        Sweep::is_backward != column.is_flipped ? -column.memory.stride : column.memory.stride;
  }
};

/// Both at once over as many levels, the first one ahead at every level. `before(n)` is called at
/// every levels_ahead'th level.
template <class Before, class First, class... More>
GOBAN_DEVICE void walk(Before&& before, First& first, More&... more) {
  const int count = first.count;
  first.begin();
  (more.begin(), ...);
  if (!(first.column.is_plain && ... && more.column.is_plain)) {
#pragma unroll 1
    for (int n = 0; n < count; ++n) {
      if (n % levels_ahead == 0) before(n);
      const auto next = [&](auto& one) {
        one.fetch(one.ahead[0], true);
        one.template step<false>(n, one.ahead[0]);
      };
      next(first);
      (next(more), ...);
    }
    return;
  }
  const auto begin = [&](auto& one) {
    unroll<levels_ahead>([&](auto i) { one.fetch(one.ahead[i], i < count); });
  };
  begin(first);
  (begin(more), ...);
  int n = 0;
#pragma unroll 1
  for (; n + levels_ahead <= count; n += levels_ahead) {
    before(n);
    const int left = count - levels_ahead - n;
    unroll<levels_ahead>([&](auto i) {
      const auto next = [&](auto& one) {
        one.template step<true>(n + i, one.ahead[i]);
        one.fetch(one.ahead[i], i < left);
      };
      next(first);
      (next(more), ...);
    });
  }
  if (n == count) return;
  before(n);
  unroll<levels_ahead - 1>([&](auto i) {
    if (n + i >= count) return;
    first.template step<true>(n + i, first.ahead[i]);
    (more.template step<true>(n + i, more.ahead[i]), ...);
  });
}
GOBAN_DEVICE void nothing(int) {}

/// Back along a column of which one segment is kept at a time: the way forth notes what it carries
/// where segments begin, and each but the last is walked once more before it is walked back.
template <class Forth, class Back>
GOBAN_DEVICE void sweep_in_segments(const Arguments& a, const Column& column, Scratch* noted) {
  const int segment = column.memory.count, noted_stride = static_cast<int>(blockDim.x);
  const int last = (column.levels - 1) / segment * segment;
  const auto notes_of = [&](int level) {
    return noted + static_cast<Index>(level / segment * Forth::carried_count) * noted_stride;
  };
  Walk<Forth> whole{a, column, 0, column.levels};
  const auto before = [&](int n) {
    whole.memory = kept_at(column, n);
    if (n < last && n % segment == 0) whole.sweep.note(notes_of(n), noted_stride);
  };
  walk(before, whole);
  Back sweep{};
#pragma unroll 1
  for (int lowest = last; lowest >= 0; lowest -= segment) {
    const int count = column.levels - lowest < segment ? column.levels - lowest : segment;
    if (lowest < last) {
      Walk<Forth> again{a, column, lowest, count};
      again.sweep.go_on(notes_of(lowest), noted_stride);
      walk(nothing, again);
    }
    Walk<Back> back{a, column, lowest, count, sweep};
    walk(nothing, back);
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

/// All columns of a thread. Blocks take tiles of so many rows where that is more than one; then
/// there are as many as tiles.
template <class Forth, class Back>
GOBAN_DEVICE void sweep_columns(const Arguments& a, int segment, uint32 tile_rows) {
  const SweepCommon& c = a.common;
  constexpr int beside = column_axis == 1 ? 2 : 1;
  const int row = c.high[0] - c.low[0], count = c.high[column_axis] - c.low[column_axis];
  const auto rows = static_cast<uint32>(c.high[beside] - c.low[beside]);
  const uint32 columns = static_cast<uint32>(row) * rows, threads = gridDim.x * blockDim.x;
  uint32 n = blockIdx.x * blockDim.x + threadIdx.x;
  if (tile_rows > 1) {
    const uint32 width = blockDim.x / tile_rows;
    const uint32 tiles = (static_cast<uint32>(row) + width - 1) / width;
    const uint32 first_row = blockIdx.x / tiles * tile_rows, tile = blockIdx.x % tiles;
    const uint32 cell = tile * width + threadIdx.x % width;
    const uint32 other = first_row + threadIdx.x / width;
    if (cell >= static_cast<uint32>(row) || other >= rows) return;
    n = other * static_cast<uint32>(row) + cell;
  }
  if (n >= columns) return;
  const auto column = [&](uint32 number, bool is_flipped) {
    const auto other = static_cast<int>(number / static_cast<uint32>(row));
    const int fast = c.low[0] + static_cast<int>(number) - other * row;
    Column one{{fast, c.low[1], c.low[2]},
               count,
               {kept_bytes * static_cast<int>(threadIdx.x),
                kept_bytes * static_cast<int>(blockDim.x), in_segments ? segment : count},
               is_flipped,
               false};
    (column_axis == 1 ? one.foot.slow : one.foot.middle) += other;
    const Place& foot = one.foot;
    const Place top = level_of(one, count - 1);
    one.is_plain = is_plain<1>(c, foot.fast, foot.middle, foot.slow) &&
                   is_plain<1>(c, top.fast, top.middle, top.slow);
    return one;
  };
  if constexpr (in_segments) {
    Scratch* const noted =
        reinterpret_cast<Scratch*>(shared + kept_bytes * segment * static_cast<int>(blockDim.x)) +
        threadIdx.x;
#pragma unroll 1
    for (; n < columns; n += threads) sweep_in_segments<Forth, Back>(a, column(n, false), noted);
  } else if constexpr (is_sweep<Forth> && is_sweep<Back>) {
    Walk<Forth> first{a, column(n, false), 0, count};
    walk(nothing, first);
    bool is_flipped = false;
#pragma unroll 1
    for (; n + threads < columns; n += threads) {
      Walk<Back> back{a, column(n, is_flipped), 0, count};
      is_flipped = !is_flipped;
      Walk<Forth> forth{a, column(n + threads, is_flipped), 0, count};
      walk(nothing, back, forth);
    }
    Walk<Back> last{a, column(n, is_flipped), 0, count};
    walk(nothing, last);
  } else {
    using Only = typename Either<Forth, Back>::Type;
#pragma unroll 1
    for (; n < columns; n += threads) {
      Walk<Only> only{a, column(n, false), 0, count};
      walk(nothing, only);
    }
  }
}

}  // namespace goban::device

extern "C" __global__ void __launch_bounds__(goban::device::most_threads)
    goban_kernel(const __grid_constant__ goban::device::Arguments a, int segment,
                 unsigned int tile_rows) {
  using namespace goban::device;
  let_next_launch();
  wait_for_launch_before();
  sweep_columns<Forward, Backward>(a, segment, tile_rows);
}
