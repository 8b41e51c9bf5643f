#pragma once
// What the texts of kernels for rows call.

#include "memory.hpp"
#include "row_call.hpp"

// Which has types.
#include "goban/backend/kernels/list_table.hpp"

namespace goban::device {

GOBAN_DEVICE double number(double value) { return value; }

/// N values of a row of another grid, on which cell i stands for cell i Scale / 2^Halving: for the
/// cells from `first` on. Cells that do not count read what the nearest that do read.
template <int N, int Scale, int Halving, class S>
GOBAN_DEVICE Pack<Arithmetic<S>, N> spread(const S* row, const RowCall& a, Index i, Index first) {
  const auto place = [=](Index cell) { return ((cell + first) * Scale) >> Halving; };
  if constexpr (Scale == 1 && Halving == 0) return load<N>(row + place(i));
  if (i < a.low || i + N > a.high) {
    Pack<Arithmetic<S>, N> values;
    for (int n = 0; n < N; ++n) {
      const Index cell = i + n < a.low ? a.low : i + n < a.high ? i + n : a.high - 1;
      const S stored = row[place(cell)];
      if constexpr (same<S, half>) {
        values.raw[n] = float_of_half(stored.bits);
      } else {
        values.raw[n] = stored;
      }
    }
    return values;
  }
  const S* const p = row + place(i);
  const auto low = load<N>(p);
  using T = Arithmetic<S>;
  using Lane = Truth<sizeof(T)>;
  Vector<Lane, N> lanes;
  if constexpr (Scale == 2) {
    const auto high = load<N>(p + N);
#ifdef __clang__
    Pack<T, N> values;
    for (int n = 0; n < N; ++n) values.raw[n] = 2 * n < N ? low.raw[2 * n] : high.raw[2 * n - N];
    return values;
#else
    for (int n = 0; n < N; ++n) lanes[n] = static_cast<Lane>(2 * n);
    return Pack<T, N>(cast<Vector<T, N>>(
        __builtin_shuffle(cast<Vector<Lane, N>>(low.raw), cast<Vector<Lane, N>>(high.raw), lanes)));
#endif
  } else {
    const int odd = static_cast<int>((i + first) & 1);
#ifdef __clang__
    Pack<T, N> values;
    for (int n = 0; n < N; ++n) values.raw[n] = low.raw[(n + odd) / 2];
    return values;
#else
    for (int n = 0; n < N; ++n) lanes[n] = static_cast<Lane>(n);
    lanes = (lanes + static_cast<Lane>(odd)) / 2;
    return Pack<T, N>(cast<Vector<T, N>>(__builtin_shuffle(cast<Vector<Lane, N>>(low.raw), lanes)));
#endif
  }
}

/// Elements of a row by their numbers. Gathers of the processor are twice as fast as loads one by
/// one.
template <int N, class S>
GOBAN_DEVICE Pack<Arithmetic<S>, N> gathered(const S* row, const Pack<int32, N>& numbers) {
  using T = Arithmetic<S>;
#if defined(__AVX512F__) && !defined(__clang__)
  if constexpr (sizeof(S) == 4 && N == 16) {
    return Pack<T, N>(cast<Vector<T, N>>(__builtin_ia32_gathersiv16sf(
        Vector<float, N>{}, row, numbers.raw, static_cast<short>(-1), 4)));
  }
  if constexpr (sizeof(S) == 8 && N == 8) {
    return Pack<T, N>(__builtin_ia32_gathersiv8df(Vector<double, N>{}, row, numbers.raw,
                                                  static_cast<char>(-1), 8));
  }
#endif
#if defined(__AVX2__) && !defined(__clang__)
  if constexpr (sizeof(S) == 4 && N == 8) {
    const auto all_lanes = cast<Vector<float, N>>(Vector<int32, N>{} - 1);
    return Pack<T, N>(cast<Vector<T, N>>(__builtin_ia32_gathersiv8sf(
        Vector<float, N>{}, reinterpret_cast<const float*>(row), numbers.raw, all_lanes, 4)));
  }
  if constexpr (sizeof(S) == 8 && N == 4) {
    const auto all_lanes = cast<Vector<double, N>>(Vector<int64, N>{} - 1);
    return Pack<T, N>(
        __builtin_ia32_gathersiv4df(Vector<double, N>{}, row, numbers.raw, all_lanes, 8));
  }
#endif
  Pack<T, N> values;
  for (int n = 0; n < N; ++n) {
    const S stored = row[numbers.raw[n]];
    if constexpr (same<S, half>) {
      values.raw[n] = float_of_half(stored.bits);
    } else {
      values.raw[n] = stored;
    }
  }
  return values;
}

/// A mask of the lanes whose bits are set.
template <int Bytes, int N>
GOBAN_DEVICE Pack<Truth<Bytes>, N> lanes_of(uint32 bits) {
  Vector<int32, N> lanes;
  for (int n = 0; n < N; ++n) lanes[n] = 1 << n;
  const Pack<int32, N> is_set((lanes & static_cast<int32>(bits)) != 0);
  return convert<Truth<Bytes>>(is_set);
}

/// The N elements from p on where bits are set, others elsewhere.
template <int N, class S>
GOBAN_DEVICE Pack<Arithmetic<S>, N> load_some(const S* p, uint32 bits,
                                              const Pack<Arithmetic<S>, N>& others) {
  using T = Arithmetic<S>;
#if defined(__AVX512F__) && !defined(__clang__)
  if constexpr (sizeof(S) == 4 && N == 16) {
    return Pack<T, N>(cast<Vector<T, N>>(__builtin_ia32_loadups512_mask(
        reinterpret_cast<const float*>(p), cast<Vector<float, N>>(others.raw),
        static_cast<unsigned short>(bits))));
  }
  if constexpr (sizeof(S) == 8 && N == 8) {
    return Pack<T, N>(cast<Vector<T, N>>(__builtin_ia32_loadupd512_mask(
        reinterpret_cast<const double*>(p), cast<Vector<double, N>>(others.raw),
        static_cast<unsigned char>(bits))));
  }
#endif
  return select(lanes_of<static_cast<int>(sizeof(T)), N>(bits), load<N>(p), others);
}

/// Where the neighbours of N cells lie at one of the offsets of a table, see ListEntry.
template <int N>
struct Neighbors {
  const int32* first;
  const int32* table;
  uint64 masks;  ///< mask bits of these cells, from the lowest bit on
  int cell;      ///< the number of the first of these cells within its group

  GOBAN_DEVICE bool has_row() const { return masks == ~uint64{0}; }
  GOBAN_DEVICE const int32* row() const {
    return table + first[0] * static_cast<Index>(list_group) + cell;
  }
  GOBAN_DEVICE Pack<int32, N> numbers() const {
    if (has_row()) return load<N>(row());
    const auto at = counting_from<int32, N>(cell);
    auto all = at + first[0];
    for (int run = 1; run < list_runs; ++run) {
      const auto is_there = lanes_of<4, N>(static_cast<uint32>(masks >> (16 * run - 16)));
      all = select(is_there, at + first[run], all);
    }
    return select(lanes_of<4, N>(static_cast<uint32>(masks >> 48)), Pack<int32, N>(-1), all);
  }
};
/// Which cell of its group cell i is, where packs of N begin at multiples of N.
template <int N>
GOBAN_DEVICE int cell_of_group(Index i) {
  return N < list_group ? static_cast<int>(i % list_group) : 0;
}
template <int Offset, int Offsets, int N>
GOBAN_DEVICE Neighbors<N> neighbors(const int32* table, Index i) {
  const int32* const group = table + i / list_group * list_stride(Offsets);
  const int cell = cell_of_group<N>(i);
  uint64 masks;
  __builtin_memcpy(&masks, group + list_runs * Offsets + 2 * Offset, sizeof(masks));
  if constexpr (N < list_group) {
    if (masks != ~uint64{0}) masks >>= cell;
  }
  return {group + list_runs * Offset, table, masks, cell};
}

/// Elements of a row by their numbers; where these are negative, elements of another row from i on.
template <int N, class S>
GOBAN_DEVICE Pack<Arithmetic<S>, N> gather(const S* row, const S* at_walls, Index i,
                                           const Neighbors<N>& there) {
  if (there.has_row()) [[unlikely]] {
    const auto numbers = load<N>(there.row());
    const auto is_wall = numbers < all<int32, N>(0);
    const auto own = counting_from<int32, N>(static_cast<int32>(i));
    const auto values = gathered(row, select(is_wall, own, numbers));
    return row == at_walls ? values : select(is_wall, load<N>(at_walls + i), values);
  }
  const auto run = [&](int n) { return row + there.first[n] + there.cell; };
  const auto bits = [&](int n) { return static_cast<uint32>(there.masks >> (16 * n)); };
  auto values = load_some<N>(run(1), bits(0), load<N>(run(0)));
  if (there.masks >> 16 == 0) return values;
  values = load_some<N>(run(2), bits(1), values);
  values = load_some<N>(run(3), bits(2), values);
  return load_some<N>(at_walls + i, bits(3), values);
}

/// The entries of a group some way ahead of cell i, whose lines come, too.
template <int Offsets>
GOBAN_DEVICE const int32* group_ahead(const int32* table, Index i, Index last) {
  constexpr Index ahead = 4 * list_group;
  constexpr int line = 16, stride = static_cast<int>(list_stride(Offsets));
  const int32* const group = table + (i + ahead < last ? i + ahead : i) / list_group * stride;
  if (i % list_group == 0) {
    unroll<(stride + line - 1) / line>([&](auto n) { fetch<1>(group + stride + line * n); });
  }
  return group;
}
/// Asks for lines that packs of N cells there will gather, in the first two runs.
template <int N, class S>
GOBAN_DEVICE void fetch_gathered(const S* row, const int32* first, Index i) {
  constexpr int line = 64 / static_cast<int>(sizeof(S));
  if (N < line && i % line != 0) return;
  fetch<1>(row + first[0] + cell_of_group<N>(i));
  fetch<1>(row + first[1] + cell_of_group<N>(i));
}

/// Keeps a pack at one of the ends of the row, too.
template <class S, int N>
GOBAN_DEVICE void keep(const RowField& field, int component, Index row, Index plane, Index i,
                       const Pack<Arithmetic<S>, N>& value) {
  auto* const first = reinterpret_cast<S*>(field.kept[component]);
  if (!first) return;
  const Index at = i < field.kept_high ? i : i - field.kept_gap;
  store<false>(first + at + row * field.kept_middle + plane * field.kept_slow, value);
}

}  // namespace goban::device
