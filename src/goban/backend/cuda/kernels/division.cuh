#pragma once
// Quotients and remainders of packs.

#include "pack.cuh"

namespace goban::device {

/// a / b can be found by iteration: no number on the way is too small or too large to be exact.
GOBAN_DEVICE bool is_divided_plainly(float a, float b) {
  constexpr float least = 0x1p-60f, most = 0x1p60f;
  const float x = fabsf(a), y = fabsf(b);
  return y >= least && y <= most && x <= most && (x >= least || __float_as_uint(a) == 0);
}

/// As kernels of CPUs have them: integers have a quotient by 0, themselves, with the
/// remainder 0; that by -1 wraps.
template <class T>
GOBAN_DEVICE T quotient(T x, T y) {
  if constexpr (!is_floating<T>) {
    if (y == 0) return x;
    if (y < 0 && y == static_cast<T>(-1)) {
      return static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(x));
    }
  }
  return static_cast<T>(x / y);
}
template <class T>
GOBAN_DEVICE T remainder(T x, T y) {
  if (y == 0 || (y < 0 && y == static_cast<T>(-1))) return T(0);
  return static_cast<T>(x % y);
}

/// The compiler's own division of floats is a branch for every lane, one after the other; here
/// there is one for all of them.
template <class T, int N>
GOBAN_DEVICE Pack<T, N> operator/(const Pack<T, N>& a, const Pack<T, N>& b) {
  if constexpr (N > 1 && same<T, float>) {
    bool are_plain = true;
    unroll<N>([&](auto i) { are_plain = are_plain & is_divided_plainly(a[i], b[i]); });
    if (are_plain) {
      return each<T, N>([](float x, float y) { return mathematics::plain_quotient(x, y); }, a, b);
    }
  }
  return each<T, N>([](T x, T y) { return quotient(x, y); }, a, b);
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> operator%(const Pack<T, N>& a, const Pack<T, N>& b) {
  return each<T, N>([](T x, T y) { return remainder(x, y); }, a, b);
}

}  // namespace goban::device
