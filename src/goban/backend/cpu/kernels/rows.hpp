#pragma once
// What the texts of kernels for rows call.

#include "memory.hpp"
#include "row_call.hpp"

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
    return Pack<T, N>(cast<Vector<T, N> >(__builtin_shuffle(
        cast<Vector<Lane, N> >(low.raw), cast<Vector<Lane, N> >(high.raw), lanes)));
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
    return Pack<T, N>(
        cast<Vector<T, N> >(__builtin_shuffle(cast<Vector<Lane, N> >(low.raw), lanes)));
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
    return Pack<T, N>(cast<Vector<T, N> >(__builtin_ia32_gathersiv16sf(
        Vector<float, N>{}, row, numbers.raw, static_cast<short>(-1), 4)));
  }
  if constexpr (sizeof(S) == 8 && N == 8) {
    return Pack<T, N>(__builtin_ia32_gathersiv8df(Vector<double, N>{}, row, numbers.raw,
                                                  static_cast<char>(-1), 8));
  }
#endif
#if defined(__AVX2__) && !defined(__clang__)
  if constexpr (sizeof(S) == 4 && N == 8) {
    const auto all_lanes = cast<Vector<float, N> >(Vector<int32, N>{} - 1);
    return Pack<T, N>(cast<Vector<T, N> >(__builtin_ia32_gathersiv8sf(
        Vector<float, N>{}, reinterpret_cast<const float*>(row), numbers.raw, all_lanes, 4)));
  }
  if constexpr (sizeof(S) == 8 && N == 4) {
    const auto all_lanes = cast<Vector<double, N> >(Vector<int64, N>{} - 1);
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

/// The same; where numbers are negative, elements of another row from i on.
template <int N, class S>
GOBAN_DEVICE Pack<Arithmetic<S>, N> gather(const S* row, const S* at_walls, Index i,
                                           const Pack<int32, N>& numbers) {
  const auto is_wall = numbers < all<int32, N>(0);
  const auto own = counting_from<int32, N>(static_cast<int32>(i));
  const auto values = gathered(row, select(is_wall, own, numbers));
  return row == at_walls ? values : select(is_wall, load<N>(at_walls + i), values);
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
