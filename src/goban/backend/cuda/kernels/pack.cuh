#pragma once
// Values of N neighbouring cells and what can be done with them. Lanes are halves of halves rather
// than arrays, so that compilers see registers at once and not only after they have unrolled loops.
// Bytes are kept four to a register and computed four at a time. Truth values have all bits set or
// none, in lanes as wide as what was compared.

#include "goban/backend/kernels/types.hpp"

#include "goban/stencil/mathematics/functions.hpp"

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
  using Type = long long;
};
template <int Bytes>
using Truth = typename SignedOf<Bytes>::Type;

/// Integers are computed unsigned, where wrapping is defined.
template <class T>
struct WrappingOf {
  using Type = T;
};
template <>
struct WrappingOf<int32> {
  using Type = uint32;
};
template <>
struct WrappingOf<int64> {
  using Type = uint64;
};
template <class T>
using Wrapping = typename WrappingOf<T>::Type;

template <class T, int N>
struct Pack {
  using Value = T;
  using Half = Pack<T, N / 2>;
  Half low, high;

  GOBAN_DEVICE T operator[](int i) const { return i < N / 2 ? low[i] : high[i - N / 2]; }
  GOBAN_DEVICE void set(int i, T value) {
    i < N / 2 ? low.set(i, value) : high.set(i - N / 2, value);
  }
};
template <class T>
struct Pack<T, 1> {
  using Value = T;
  T value;

  GOBAN_DEVICE T operator[](int) const { return value; }
  GOBAN_DEVICE void set(int, T v) { value = v; }
};
template <class T>
requires(sizeof(T) == 1) struct Pack<T, 4> {
  using Value = T;
  uint32 word;

  GOBAN_DEVICE T operator[](int i) const { return static_cast<T>(word >> (8 * i)); }
  GOBAN_DEVICE void set(int i, T value) {
    word = (word & ~(0xffu << (8 * i))) | static_cast<uint32>(static_cast<uint8>(value)) << (8 * i);
  }
};

template <class P>
inline constexpr bool is_word = false;
template <class T>
inline constexpr bool is_word<Pack<T, 4>> = sizeof(T) == 1;

/// f(lane number as a constant) for all lanes, in order.
template <int I>
struct Constant {
  static constexpr int value = I;
  constexpr __device__ operator int() const { return I; }
};
template <int N, int I = 0, class F>
GOBAN_DEVICE void unroll(F&& f) {
  if constexpr (I < N) {
    f(Constant<I>{});
    unroll<N, I + 1>(f);
  }
}

/// f of every lane.
template <class R, int N, class F, class T, class... More>
GOBAN_DEVICE Pack<R, N> each(F f, const Pack<T, N>& a, const Pack<More, N>&... more) {
  if constexpr (N == 1) {
    return {static_cast<R>(f(a.value, more.value...))};
  } else if constexpr (is_word<Pack<R, N>> || is_word<Pack<T, N>>) {
    Pack<R, N> result{};
    unroll<N>([&](auto i) { result.set(i, static_cast<R>(f(a[i], more[i]...))); });
    return result;
  } else {
    return {each<R, N / 2>(f, a.low, more.low...), each<R, N / 2>(f, a.high, more.high...)};
  }
}

template <class T, int N>
GOBAN_DEVICE Pack<T, N> all(T value) {
  if constexpr (N == 1) {
    return {value};
  } else if constexpr (is_word<Pack<T, N>>) {
    return {0x01010101u * static_cast<uint8>(value)};
  } else {
    const auto half = all<T, N / 2>(value);
    return {half, half};
  }
}
/// A truth value for all lanes.
template <int Bytes, int N>
GOBAN_DEVICE Pack<Truth<Bytes>, N> all_true(bool value) {
  return all<Truth<Bytes>, N>(static_cast<Truth<Bytes>>(value ? -1 : 0));
}

/// first, first + 1, ...
template <class T, int N>
GOBAN_DEVICE Pack<T, N> counting_from(T first) {
  if constexpr (N == 1) {
    return {first};
  } else {
    return {counting_from<T, N / 2>(first), counting_from<T, N / 2>(static_cast<T>(first + N / 2))};
  }
}

// `words` computes four bytes x, y at a time.
#define GOBAN_PACK_BINARY(op, words)                                               \
  template <class T, int N>                                                        \
  GOBAN_DEVICE Pack<T, N> operator op(const Pack<T, N>& a, const Pack<T, N>& b) {  \
    if constexpr (N == 1) {                                                        \
      using W = Wrapping<T>;                                                       \
      return {static_cast<T>(static_cast<W>(a.value) op static_cast<W>(b.value))}; \
    } else if constexpr (is_word<Pack<T, N>>) {                                    \
      const uint32 x = a.word, y = b.word;                                         \
      return {words};                                                              \
    } else {                                                                       \
      return {a.low op b.low, a.high op b.high};                                   \
    }                                                                              \
  }

GOBAN_PACK_BINARY(+, __vadd4(x, y))
GOBAN_PACK_BINARY(-, __vsub4(x, y))
GOBAN_PACK_BINARY(&, x& y)
GOBAN_PACK_BINARY(|, x | y)
GOBAN_PACK_BINARY(^, x ^ y)
#undef GOBAN_PACK_BINARY

/// Sums and differences of bytes that are known not to wrap.
template <class T, int N>
GOBAN_DEVICE Pack<T, N> add_bytes(const Pack<T, N>& a, const Pack<T, N>& b) {
  if constexpr (is_word<Pack<T, N>>) {
    return {a.word + b.word};
  } else if constexpr (N == 1) {
    return a + b;
  } else {
    return {add_bytes(a.low, b.low), add_bytes(a.high, b.high)};
  }
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> subtract_bytes(const Pack<T, N>& a, const Pack<T, N>& b) {
  if constexpr (is_word<Pack<T, N>>) {
    return {a.word - b.word};
  } else if constexpr (N == 1) {
    return a - b;
  } else {
    return {subtract_bytes(a.low, b.low), subtract_bytes(a.high, b.high)};
  }
}

/// Comparisons of bytes below 128: the highest bit of a difference tells, and is spread.
/// (__byte_perm leaves out the bit of the selector that asks for that.)
GOBAN_DEVICE uint32 spread_highest(uint32 word) {
  uint32 spread;
  asm("prmt.b32 %0, %1, %1, 0xba98;" : "=r"(spread) : "r"(word));
  return spread;
}

#define GOBAN_SMALL_COMPARISON(name, words)                                          \
  template <class T, int N>                                                          \
  GOBAN_DEVICE Pack<signed char, N> name(const Pack<T, N>& a, const Pack<T, N>& b) { \
    const uint32 high = 0x80808080u;                                                 \
    if constexpr (is_word<Pack<T, N>>) {                                             \
      const uint32 x = a.word, y = b.word;                                           \
      return {spread_highest(words)};                                                \
    } else {                                                                         \
      return {name(a.low, b.low), name(a.high, b.high)};                             \
    }                                                                                \
  }

GOBAN_SMALL_COMPARISON(small_greater_equal, (x | high) - y)
GOBAN_SMALL_COMPARISON(small_less_equal, (y | high) - x)
GOBAN_SMALL_COMPARISON(small_less, ~((x | high) - y))
GOBAN_SMALL_COMPARISON(small_greater, ~((y | high) - x))
GOBAN_SMALL_COMPARISON(small_not_equal, (x ^ y) + ~high)
GOBAN_SMALL_COMPARISON(small_equal, ~((x ^ y) + ~high))
#undef GOBAN_SMALL_COMPARISON

#define GOBAN_PACK_BY_LANE(op, Computed)                                                        \
  template <class T, int N>                                                                     \
  GOBAN_DEVICE Pack<T, N> operator op(const Pack<T, N>& a, const Pack<T, N>& b) {               \
    using C = Computed;                                                                         \
    return each<T, N>(                                                                          \
        [](T x, T y) { return static_cast<T>(static_cast<C>(x) op static_cast<C>(y)); }, a, b); \
  }

GOBAN_PACK_BY_LANE(*, Wrapping<T>)
GOBAN_PACK_BY_LANE(<<, Wrapping<T>)
GOBAN_PACK_BY_LANE(>>, T)
#undef GOBAN_PACK_BY_LANE

#define GOBAN_PACK_COMPARISON(op, signed_words, unsigned_words)                                  \
  template <class T, int N>                                                                      \
  GOBAN_DEVICE Pack<Truth<sizeof(T)>, N> operator op(const Pack<T, N>& a, const Pack<T, N>& b) { \
    if constexpr (N == 1) {                                                                      \
      return {static_cast<Truth<sizeof(T)>>(a.value op b.value ? -1 : 0)};                       \
    } else if constexpr (is_word<Pack<T, N>>) {                                                  \
      return {same<T, uint8> ? unsigned_words(a.word, b.word) : signed_words(a.word, b.word)};   \
    } else {                                                                                     \
      return {a.low op b.low, a.high op b.high};                                                 \
    }                                                                                            \
  }

GOBAN_PACK_COMPARISON(==, __vcmpeq4, __vcmpeq4)
GOBAN_PACK_COMPARISON(!=, __vcmpne4, __vcmpne4)
GOBAN_PACK_COMPARISON(<, __vcmplts4, __vcmpltu4)
GOBAN_PACK_COMPARISON(<=, __vcmples4, __vcmpleu4)
GOBAN_PACK_COMPARISON(>, __vcmpgts4, __vcmpgtu4)
GOBAN_PACK_COMPARISON(>=, __vcmpges4, __vcmpgeu4)
#undef GOBAN_PACK_COMPARISON

template <class T, int N>
GOBAN_DEVICE Pack<T, N> operator-(const Pack<T, N>& a) {
  if constexpr (is_floating<T>) {
    return each<T, N>([](T x) { return -x; }, a);
  } else {
    return all<T, N>(T(0)) - a;
  }
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> operator~(const Pack<T, N>& a) {
  if constexpr (N == 1) {
    return {static_cast<T>(~a.value)};
  } else if constexpr (is_word<Pack<T, N>>) {
    return {~a.word};
  } else {
    return {~a.low, ~a.high};
  }
}

/// The same numbers in another type; truth values in lanes of another width.
template <class To, class From, int N>
GOBAN_DEVICE Pack<To, N> convert(const Pack<From, N>& a) {
  if constexpr (same<To, From>) {
    return a;
  } else {
    return each<To, N>([](From x) { return static_cast<To>(x); }, a);
  }
}

template <class T, class M, int N>
GOBAN_DEVICE Pack<T, N> select(const Pack<M, N>& mask, const Pack<T, N>& a, const Pack<T, N>& b) {
  if constexpr (N == 1) {
    return {mask.value != 0 ? a.value : b.value};
  } else if constexpr (is_word<Pack<T, N>> && is_word<Pack<M, N>>) {
    return {(mask.word & a.word) | (~mask.word & b.word)};
  } else if constexpr (is_word<Pack<T, N>> || is_word<Pack<M, N>>) {
    Pack<T, N> result = b;
    unroll<N>([&](auto i) { result.set(i, mask[i] != 0 ? a[i] : b[i]); });
    return result;
  } else {
    return {select(mask.low, a.low, b.low), select(mask.high, a.high, b.high)};
  }
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> select(bool mask, const Pack<T, N>& a, const Pack<T, N>& b) {
  return select(all_true<sizeof(T), N>(mask), a, b);
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
template <class T>
GOBAN_DEVICE T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
GOBAN_DEVICE T max(T a, T b) {
  return a < b ? b : a;
}

GOBAN_DEVICE float magnitude_of(float x) { return fabsf(x); }
GOBAN_DEVICE double magnitude_of(double x) { return fabs(x); }
GOBAN_DEVICE uint8 magnitude_of(uint8 x) { return x; }
GOBAN_DEVICE uint64 magnitude_of(uint64 x) { return x; }
GOBAN_DEVICE int32 magnitude_of(int32 x) { return x < 0 ? static_cast<int32>(0u - x) : x; }
GOBAN_DEVICE int64 magnitude_of(int64 x) { return x < 0 ? static_cast<int64>(0ull - x) : x; }
template <class T>
GOBAN_DEVICE T fma(T a, T b, T c) {
  if constexpr (same<T, float>) {
    return __fmaf_rn(a, b, c);
  } else {
    return __fma_rn(a, b, c);
  }
}

/// 1/x, correctly rounded where x and 1/x are normal numbers and |x| < 2^125.
GOBAN_DEVICE float reciprocal_of(float x) {
  // What CUDA's own 1.0f / x does between its checks.
  float guess = 0;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(guess) : "f"(x));
  return __fmaf_rn(guess, __fmaf_rn(-x, guess, 1.0f), guess);
}
GOBAN_DEVICE double reciprocal_of(double x) { return 1 / x; }
#define GOBAN_PACK_FUNCTION(name, one)                                \
  template <class T>                                                  \
  GOBAN_DEVICE T name(T x) {                                          \
    return one(x);                                                    \
  }                                                                   \
  template <class T, int N>                                           \
  GOBAN_DEVICE Pack<T, N> name(const Pack<T, N>& a) {                 \
    return each<T, N>([](T x) { return static_cast<T>(one(x)); }, a); \
  }

GOBAN_PACK_FUNCTION(abs, magnitude_of)
GOBAN_PACK_FUNCTION(reciprocal, reciprocal_of)
GOBAN_PACK_FUNCTION(sqrt, ::sqrt)
#define GOBAN_PACK_MATHEMATICS(name) GOBAN_PACK_FUNCTION(name, mathematics::name)
GOBAN_FUNCTIONS_OF_ONE(GOBAN_PACK_MATHEMATICS)
#undef GOBAN_PACK_MATHEMATICS
GOBAN_PACK_FUNCTION(floor, ::floor)
GOBAN_PACK_FUNCTION(ceil, ::ceil)
#undef GOBAN_PACK_FUNCTION

#define GOBAN_PACK_FUNCTION_OF_TWO(name)                                       \
  template <class T>                                                           \
  GOBAN_DEVICE T name(T x, T y) {                                              \
    return mathematics::name(x, y);                                            \
  }                                                                            \
  template <class T, int N>                                                    \
  GOBAN_DEVICE Pack<T, N> name(const Pack<T, N>& a, const Pack<T, N>& b) {     \
    return each<T, N>([](T x, T y) { return mathematics::name(x, y); }, a, b); \
  }

GOBAN_FUNCTIONS_OF_TWO(GOBAN_PACK_FUNCTION_OF_TWO)
#undef GOBAN_PACK_FUNCTION_OF_TWO

template <class T, int N>
GOBAN_DEVICE Pack<T, N> fma(const Pack<T, N>& a, const Pack<T, N>& b, const Pack<T, N>& c) {
  return each<T, N>([](T x, T y, T z) { return fma(x, y, z); }, a, b, c);
}

/// A 4- or 8-byte argument of a kernel as a number.
template <class T>
GOBAN_DEVICE T constant(const uint64& bits) {
  if constexpr (same<T, float>) {
    return __uint_as_float(static_cast<uint32>(bits));
  } else if constexpr (same<T, double>) {
    return __longlong_as_double(static_cast<long long>(bits));
  } else {
    return static_cast<T>(bits);
  }
}

/// Register I of a pack of bytes.
template <int I, class T, int N>
GOBAN_DEVICE uint32 word_of(const Pack<T, N>& pack) {
  if constexpr (N == 4) {
    return pack.word;
  } else if constexpr (I < N / 8) {
    return word_of<I>(pack.low);
  } else {
    return word_of<I - N / 8>(pack.high);
  }
}
/// Bytes First ... First + Count - 1 of low and high side by side.
template <int First, int Count, class T, int N>
GOBAN_DEVICE Pack<T, Count> bytes_from(const Pack<T, N>& low, const Pack<T, N>& high) {
  if constexpr (Count > 4) {
    return {bytes_from<First, Count / 2>(low, high),
            bytes_from<First + Count / 2, Count / 2>(low, high)};
  } else {
    constexpr int word = First / 4, words = N / 4;
    const auto at = [&](auto i) {
      constexpr int n = decltype(i)::value;
      if constexpr (n < words) {
        return word_of<n>(low);
      } else {
        return word_of<n - words>(high);
      }
    };
    if constexpr (First % 4 == 0) {
      return {at(Constant<word>{})};
    } else {
      return {__funnelshift_r(at(Constant<word>{}), at(Constant<word + 1>{}), 8 * (First % 4))};
    }
  }
}
/// Lane I of low and high side by side.
template <int I, class T, int N>
GOBAN_DEVICE T lane_from(const Pack<T, N>& low, const Pack<T, N>& high) {
  if constexpr (I < N) {
    return low[I];
  } else {
    return high[I - N];
  }
}
template <int First, int Count, class T, int N>
GOBAN_DEVICE Pack<T, Count> lanes_from(const Pack<T, N>& low, const Pack<T, N>& high) {
  if constexpr (Count == 1) {
    return {lane_from<First>(low, high)};
  } else {
    return {lanes_from<First, Count / 2>(low, high),
            lanes_from<First + Count / 2, Count / 2>(low, high)};
  }
}
/// Lanes D ... D + N - 1 of low and high side by side.
template <int D, class T, int N>
GOBAN_DEVICE Pack<T, N> window(const Pack<T, N>& low, const Pack<T, N>& high) {
  if constexpr (D == 0) {
    return low;
  } else if constexpr (sizeof(T) == 1 && N % 4 == 0) {
    return bytes_from<D, N>(low, high);
  } else {
    return lanes_from<D, N>(low, high);
  }
}

}  // namespace goban::device
