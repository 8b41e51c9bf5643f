#pragma once
// See vector.hpp. Lanes are halves of halves rather than arrays, so that compilers see registers at
// once and not only after they have unrolled loops. Bytes are kept four to a register and computed
// four at a time.

#include <cmath>

namespace goban::detail {

/// N lanes of T.
template <class T, int N>
struct Lanes {
  using Half = Lanes<T, N / 2>;
  Half low, high;

  GOBAN_INLINE T operator[](int i) const { return i < N / 2 ? low[i] : high[i - N / 2]; }
  GOBAN_INLINE void set(int i, T value) {
    i < N / 2 ? low.set(i, value) : high.set(i - N / 2, value);
  }
};

template <class T>
struct Lanes<T, 1> {
  T value;
  GOBAN_INLINE T operator[](int) const { return value; }
  GOBAN_INLINE void set(int, T v) { value = v; }
};

template <class T>
requires(sizeof(T) == 1) struct Lanes<T, 4> {
  std::uint32_t word;

  GOBAN_INLINE T operator[](int i) const { return static_cast<T>(word >> (8 * i)); }
  GOBAN_INLINE void set(int i, T value) {
    word = (word & ~(0xffu << (8 * i))) |
           static_cast<std::uint32_t>(static_cast<std::uint8_t>(value)) << (8 * i);
  }
};

template <class L>
inline constexpr bool is_word = false;
template <class T>
inline constexpr bool is_word<Lanes<T, 4>> = sizeof(T) == 1;

template <class T, int N>
struct VectorOf {
  using Type = Lanes<T, N>;
};
template <class T>
struct VectorOf<T, 1> {
  using Type = T;
};
template <class T, int N>
using Vector = typename VectorOf<T, N>::Type;

/// f of every lane.
template <class R, int N, class F, class T, class... More>
GOBAN_INLINE Lanes<R, N> each_lane(F f, const Lanes<T, N>& a, const Lanes<More, N>&... more) {
  if constexpr (N == 1) {
    return {static_cast<R>(f(a.value, more.value...))};
  } else if constexpr (is_word<Lanes<R, N>> || is_word<Lanes<T, N>>) {
    Lanes<R, N> result{};
    result.set(0, static_cast<R>(f(a[0], more[0]...)));
    result.set(1, static_cast<R>(f(a[1], more[1]...)));
    result.set(2, static_cast<R>(f(a[2], more[2]...)));
    result.set(3, static_cast<R>(f(a[3], more[3]...)));
    return result;
  } else {
    return {each_lane<R, N / 2>(f, a.low, more.low...),
            each_lane<R, N / 2>(f, a.high, more.high...)};
  }
}

// `words` computes four bytes at a time.
#define GOBAN_LANES_BINARY(op, words)                                                \
  template <class T, int N>                                                          \
  GOBAN_INLINE Lanes<T, N> operator op(const Lanes<T, N>& a, const Lanes<T, N>& b) { \
    if constexpr (N == 1) {                                                          \
      return {static_cast<T>(a.value op b.value)};                                   \
    } else if constexpr (is_word<Lanes<T, N>>) {                                     \
      const std::uint32_t x = a.word, y = b.word;                                    \
      return {words};                                                                \
    } else {                                                                         \
      return {a.low op b.low, a.high op b.high};                                     \
    }                                                                                \
  }

GOBAN_LANES_BINARY(+, __vadd4(x, y))
GOBAN_LANES_BINARY(-, __vsub4(x, y))
GOBAN_LANES_BINARY(&, x& y)
GOBAN_LANES_BINARY(|, x | y)
GOBAN_LANES_BINARY(^, x ^ y)
#undef GOBAN_LANES_BINARY

#define GOBAN_LANES_BINARY(op)                                                       \
  template <class T, int N>                                                          \
  GOBAN_INLINE Lanes<T, N> operator op(const Lanes<T, N>& a, const Lanes<T, N>& b) { \
    if constexpr (N == 1) {                                                          \
      return {static_cast<T>(a.value op b.value)};                                   \
    } else if constexpr (is_word<Lanes<T, N>>) {                                     \
      return each_lane<T, N>([](T x, T y) { return x op y; }, a, b);                 \
    } else {                                                                         \
      return {a.low op b.low, a.high op b.high};                                     \
    }                                                                                \
  }

GOBAN_LANES_BINARY(*)
GOBAN_LANES_BINARY(%)
GOBAN_LANES_BINARY(<<)
GOBAN_LANES_BINARY(>>)
#undef GOBAN_LANES_BINARY

/// a / b can be found by iteration: no number on the way is too small or too large to be exact.
GOBAN_INLINE bool is_divided_plainly(float a, float b) {
  constexpr float least = 0x1p-60f, most = 0x1p60f;
  const float x = std::fabs(a), y = std::fabs(b);
  return y >= least && y <= most && x <= most && (x >= least || __float_as_uint(a) == 0);
}

/// The correctly rounded quotient (Markstein, IBM J. Res. Dev. 34 (1990) 111).
GOBAN_INLINE float plain_quotient(float a, float b) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  r = __fmaf_rn(__fmaf_rn(-b, r, 1.0f), r, r);
  float q = a * r;
  q = __fmaf_rn(__fmaf_rn(-b, q, a), r, q);
  return __fmaf_rn(__fmaf_rn(-b, q, a), r, q);
}

/// The compiler's own division of floats is a branch for every lane, one after the other; here
/// there is one for all of them.
template <class T, int N>
GOBAN_INLINE Lanes<T, N> operator/(const Lanes<T, N>& a, const Lanes<T, N>& b) {
  if constexpr (N > 1 && std::is_same_v<T, float>) {
    const auto is_plain =
        each_lane<std::int32_t, N>([](float x, float y) { return is_divided_plainly(x, y); }, a, b);
    bool are_plain = true;
    for (int i = 0; i < N; ++i) are_plain = are_plain && is_plain[i];
    if (are_plain) {
      return each_lane<T, N>([](float x, float y) { return plain_quotient(x, y); }, a, b);
    }
  }
  return each_lane<T, N>([](T x, T y) { return static_cast<T>(x / y); }, a, b);
}

#define GOBAN_LANES_COMPARISON(op, signed_words, unsigned_words)                     \
  template <class T, int N>                                                          \
  GOBAN_INLINE Lanes<SignedOfSize<sizeof(T)>, N> operator op(const Lanes<T, N>& a,   \
                                                             const Lanes<T, N>& b) { \
    if constexpr (N == 1) {                                                          \
      return {static_cast<SignedOfSize<sizeof(T)>>(a.value op b.value ? -1 : 0)};    \
    } else if constexpr (is_word<Lanes<T, N>>) {                                     \
      return {std::is_signed_v<T> ? signed_words(a.word, b.word)                     \
                                  : unsigned_words(a.word, b.word)};                 \
    } else {                                                                         \
      return {a.low op b.low, a.high op b.high};                                     \
    }                                                                                \
  }

GOBAN_LANES_COMPARISON(==, __vcmpeq4, __vcmpeq4)
GOBAN_LANES_COMPARISON(!=, __vcmpne4, __vcmpne4)
GOBAN_LANES_COMPARISON(<, __vcmplts4, __vcmpltu4)
GOBAN_LANES_COMPARISON(<=, __vcmples4, __vcmpleu4)
GOBAN_LANES_COMPARISON(>, __vcmpgts4, __vcmpgtu4)
GOBAN_LANES_COMPARISON(>=, __vcmpges4, __vcmpgeu4)
#undef GOBAN_LANES_COMPARISON

template <class T, int N>
GOBAN_INLINE Lanes<T, N> operator-(const Lanes<T, N>& a) {
  return each_lane<T, N>([](T x) { return -x; }, a);
}
template <class T, int N>
GOBAN_INLINE Lanes<T, N> operator~(const Lanes<T, N>& a) {
  if constexpr (N == 1) {
    return {static_cast<T>(~a.value)};
  } else if constexpr (is_word<Lanes<T, N>>) {
    return {~a.word};
  } else {
    return {~a.low, ~a.high};
  }
}

template <class V>
struct LanesOf;
template <class T, int N>
struct LanesOf<Lanes<T, N>> {
  static constexpr int count = N;
};

template <class V, class T>
GOBAN_INLINE V all_lanes(T value) {
  constexpr int n = LanesOf<V>::count;
  if constexpr (n == 1) {
    return {value};
  } else if constexpr (is_word<V>) {
    return {0x01010101u * static_cast<std::uint8_t>(value)};
  } else {
    const auto half = all_lanes<typename V::Half>(value);
    return {half, half};
  }
}

template <class V, class T, int N>
GOBAN_INLINE V count_lanes(T first = 0) {
  if constexpr (N == 1) {
    return {first};
  } else if constexpr (is_word<V>) {
    return {0x03020100u + 0x01010101u * static_cast<std::uint8_t>(first)};
  } else {
    return {count_lanes<typename V::Half, T, N / 2>(first),
            count_lanes<typename V::Half, T, N / 2>(static_cast<T>(first + N / 2))};
  }
}

/// The same numbers in another type.
template <class To, class From, int N>
GOBAN_INLINE Lanes<To, N> converted(const Lanes<From, N>& v) {
  return each_lane<To, N>([](From x) { return static_cast<To>(x); }, v);
}

/// The same bits as another type as large; of numbers the same number.
template <class To, class From>
GOBAN_INLINE To cast(const From& v) {
  if constexpr (std::is_same_v<To, From> || std::is_arithmetic_v<From>) {
    return static_cast<To>(v);
  } else {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    memcpy(&result, &v, sizeof(result));
    return result;
  }
}

template <class V, class T>
GOBAN_INLINE void set_lane(V& v, int i, T value) {
  v.set(i, value);
}

template <class T, int N>
GOBAN_INLINE Lanes<T, N> magnitude(const Lanes<T, N>& v) {
  return each_lane<T, N>([](T x) { return std::abs(x); }, v);
}

template <class T, class M, int N>
GOBAN_INLINE Lanes<T, N> choose(const Lanes<M, N>& mask, const Lanes<T, N>& a,
                                const Lanes<T, N>& b) {
  if constexpr (N == 1) {
    return {mask.value != 0 ? a.value : b.value};
  } else if constexpr (is_word<Lanes<T, N>>) {
    return {(mask.word & a.word) | (~mask.word & b.word)};
  } else {
    return {choose(mask.low, a.low, b.low), choose(mask.high, a.high, b.high)};
  }
}
template <class T>
GOBAN_INLINE T choose(bool mask, T a, T b) {
  return mask ? a : b;
}

}  // namespace goban::detail
