#pragma once
// Values of N neighbouring cells and what can be done with them, by the vector types of g++ and
// clang. Truth values have all bits set or none, in lanes as wide as what was compared. Integers
// wrap: kernels are compiled with -fwrapv.

#include "goban/backend/kernels/types.hpp"

namespace goban::device {

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;

template <class T>
inline constexpr bool is_floating = same<T, float> || same<T, double>;

template <int Bytes>
struct SignedOf;
template <>
struct SignedOf<1> {
  using Type = signed char;
};
template <>
struct SignedOf<2> {
  using Type = short;
};
template <>
struct SignedOf<4> {
  using Type = int;
};
template <>
struct SignedOf<8> {
  using Type = int64;
};
template <int Bytes>
using Truth = typename SignedOf<Bytes>::Type;

template <class T, int N>
struct VectorOf {
  typedef T Type __attribute__((vector_size(sizeof(T) * N)));
  /// The same at any address.
  typedef T Unaligned __attribute__((vector_size(sizeof(T) * N), aligned(1), may_alias));
};
template <class T, int N>
using Vector = typename VectorOf<T, N>::Type;

template <class T, int N>
struct Pack {
  using Value = T;
  using Raw = Vector<T, N>;
  Raw raw;

  Pack() = default;
  GOBAN_DEVICE explicit Pack(const Raw& r) : raw(r) {}
  /// All lanes. Subtraction keeps the sign of -0.0; it folds to a broadcast.
  GOBAN_DEVICE Pack(T value) : raw(value - Raw{}) {}

  GOBAN_DEVICE T operator[](int i) const { return raw[i]; }
  GOBAN_DEVICE T lane(int i) const { return raw[i]; }
  GOBAN_DEVICE void set(int i, T value) { raw[i] = value; }
  GOBAN_DEVICE void set_lane(int i, T value) { raw[i] = value; }
};

/// The bits of a vector as another one as large.
template <class To, class From>
GOBAN_DEVICE To cast(const From& v) {
  return (To)v;
}

template <class T, int N>
GOBAN_DEVICE Pack<T, N> all(T value) {
  return Pack<T, N>(value);
}
/// A truth value for all lanes.
template <int Bytes, int N>
GOBAN_DEVICE Pack<Truth<Bytes>, N> all_true(bool value) {
  return Pack<Truth<Bytes>, N>(static_cast<Truth<Bytes>>(value ? -1 : 0));
}

/// f(lane number as a constant) for all lanes, in order.
template <int I>
struct Constant {
  static constexpr int value = I;
  constexpr operator int() const { return I; }
};
template <int N, int I = 0, class F>
GOBAN_DEVICE void unroll(F&& f) {
  if constexpr (I < N) {
    f(Constant<I>{});
    unroll<N, I + 1>(f);
  }
}

/// f of every lane, one after the other.
template <class R, int N, class F, class T, class... More>
GOBAN_DEVICE Pack<R, N> each(F f, const Pack<T, N>& a, const Pack<More, N>&... more) {
  Pack<R, N> result;
  for (int i = 0; i < N; ++i) result.raw[i] = static_cast<R>(f(a.raw[i], more.raw[i]...));
  return result;
}

/// first, first + 1, ...
template <class T, int N>
GOBAN_DEVICE Pack<T, N> counting_from(T first) {
  Pack<T, N> lanes;
  for (int i = 0; i < N; ++i) lanes.raw[i] = static_cast<T>(i);
  return Pack<T, N>(lanes.raw + first);
}

#define GOBAN_PACK_BINARY(op)                                                              \
  template <class T, int N>                                                                \
  GOBAN_DEVICE Pack<T, N> operator op(const Pack<T, N>& a, const Pack<T, N>& b) {          \
    return Pack<T, N>(a.raw op b.raw);                                                     \
  }                                                                                        \
  template <class T, int N>                                                                \
  GOBAN_DEVICE Pack<T, N> operator op(const Pack<T, N>& a, typename Pack<T, N>::Value b) { \
    return a op Pack<T, N>(b);                                                             \
  }
GOBAN_PACK_BINARY(+)
GOBAN_PACK_BINARY(-)
GOBAN_PACK_BINARY(*)
GOBAN_PACK_BINARY(&)
GOBAN_PACK_BINARY(|)
GOBAN_PACK_BINARY(^)
GOBAN_PACK_BINARY(<<)
GOBAN_PACK_BINARY(>>)
#undef GOBAN_PACK_BINARY

#define GOBAN_PACK_COMPARISON(op)                                                                \
  template <class T, int N>                                                                      \
  GOBAN_DEVICE Pack<Truth<sizeof(T)>, N> operator op(const Pack<T, N>& a, const Pack<T, N>& b) { \
    return Pack<Truth<sizeof(T)>, N>(cast<Vector<Truth<sizeof(T)>, N>>(a.raw op b.raw));         \
  }
GOBAN_PACK_COMPARISON(==)
GOBAN_PACK_COMPARISON(!=)
GOBAN_PACK_COMPARISON(<)
GOBAN_PACK_COMPARISON(<=)
GOBAN_PACK_COMPARISON(>)
GOBAN_PACK_COMPARISON(>=)
#undef GOBAN_PACK_COMPARISON

template <class T, int N>
GOBAN_DEVICE Pack<T, N> operator-(const Pack<T, N>& a) {
  return Pack<T, N>(-a.raw);
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> operator~(const Pack<T, N>& a) {
  return Pack<T, N>(~a.raw);
}

/// Integers have a quotient by 0, themselves, with the remainder 0; that by -1 wraps.
template <class T>
GOBAN_DEVICE T quotient(T x, T y) {
  if constexpr (!is_floating<T>) {
    if (y == 0) return x;
    if (y < 0 && y == static_cast<T>(-1)) return static_cast<T>(0 - x);
  }
  return static_cast<T>(x / y);
}
template <class T>
GOBAN_DEVICE T remainder(T x, T y) {
  if (y == 0 || (y < 0 && y == static_cast<T>(-1))) return T(0);
  return static_cast<T>(x % y);
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> operator/(const Pack<T, N>& a, const Pack<T, N>& b) {
  if constexpr (is_floating<T>) {
    return Pack<T, N>(a.raw / b.raw);
  } else {
    return each<T, N>([](T x, T y) { return quotient(x, y); }, a, b);
  }
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> operator%(const Pack<T, N>& a, const Pack<T, N>& b) {
  return each<T, N>([](T x, T y) { return remainder(x, y); }, a, b);
}

template <class To, class From, int N>
GOBAN_DEVICE Pack<To, N> converted(const Pack<From, N>& a) {
  return Pack<To, N>(__builtin_convertvector(a.raw, Vector<To, N>));
}
/// The same numbers in another type; truth values in lanes of another width. g++ 12 makes scalar
/// code where sizes differ by more than two or bytes become floating-point numbers: longer ways
/// take steps.
template <class To, class From, int N>
GOBAN_DEVICE Pack<To, N> convert(const Pack<From, N>& a) {
  constexpr int to = sizeof(To), from = sizeof(From);
  using Half = Truth<2>;  // between bytes and int; unsigned bytes are extended by zeros
  if constexpr (same<To, From>) {
    return a;
  } else if constexpr (to == from || (to > 1 && from > 1 && to + from <= 12 && to + from != 10)) {
    return converted<To>(a);
  } else if constexpr (to + from == 3) {
    return converted<To>(a);
  } else if constexpr (from == 1 && same<To, int32>) {
    return converted<To>(converted<Half>(a));
  } else if constexpr (to == 1 && same<From, int32>) {
    return converted<To>(converted<Half>(a));
  } else {
    return convert<To>(convert<int32>(a));
  }
}

template <class T, class M, int N>
GOBAN_DEVICE Pack<T, N> select(const Pack<M, N>& mask, const Pack<T, N>& a, const Pack<T, N>& b) {
  return Pack<T, N>(convert<Truth<sizeof(T)>>(mask).raw ? a.raw : b.raw);
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> select(bool mask, const Pack<T, N>& a, const Pack<T, N>& b) {
  return mask ? a : b;
}
template <class T>
GOBAN_DEVICE T select(bool mask, T a, T b) {
  return mask ? a : b;
}

/// b where b < a, else a; a NaN in b is not taken.
template <class T, int N>
GOBAN_DEVICE Pack<T, N> min(const Pack<T, N>& a, const Pack<T, N>& b) {
  return select(b < a, b, a);
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> max(const Pack<T, N>& a, const Pack<T, N>& b) {
  return select(a < b, b, a);
}

/// Lanes D ... D + N - 1 of low and high side by side.
template <int D, class T, int N>
GOBAN_DEVICE Pack<T, N> window(const Pack<T, N>& low, const Pack<T, N>& high) {
  using Lane = Truth<sizeof(T)>;
  using Lanes = Vector<Lane, N>;
  if constexpr (D == 0) return low;
#if !defined(__clang__) && defined(__AVX512F__)
  if constexpr (sizeof(T) * N == 64 && sizeof(T) == 4) {
    return Pack<T, N>(cast<Vector<T, N>>(__builtin_ia32_alignd512_mask(
        cast<Lanes>(high.raw), cast<Lanes>(low.raw), D, cast<Lanes>(low.raw), -1)));
  } else if constexpr (sizeof(T) * N == 64 && sizeof(T) == 8) {
    return Pack<T, N>(cast<Vector<T, N>>(__builtin_ia32_alignq512_mask(
        cast<Lanes>(high.raw), cast<Lanes>(low.raw), D, cast<Lanes>(low.raw), -1)));
  }
#endif
  Lanes lanes;
  for (int i = 0; i < N; ++i) lanes[i] = static_cast<Lane>(D + i);
#ifdef __clang__
  Pack<T, N> result;
  for (int i = 0; i < N; ++i) result.raw[i] = D + i < N ? low.raw[D + i] : high.raw[D + i - N];
  return result;
#else
  return Pack<T, N>(
      cast<Vector<T, N>>(__builtin_shuffle(cast<Lanes>(low.raw), cast<Lanes>(high.raw), lanes)));
#endif
}

}  // namespace goban::device
