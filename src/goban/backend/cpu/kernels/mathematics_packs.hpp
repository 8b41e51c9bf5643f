#pragma once
// The operations of mathematics/numbers.hpp for packs.

#include "functions.hpp"

namespace goban {

using device::Pack;
template <int Bytes, int N>
using Mask = device::Pack<device::Truth<Bytes>, N>;

namespace device {

/// The bits of floating-point numbers as integers; of float they count as signed.
template <int N>
GOBAN_DEVICE Pack<int32, N> bits(const Pack<float, N>& a) {
  return Pack<int32, N>(cast<Vector<int32, N>>(a.raw));
}
template <int N>
GOBAN_DEVICE Pack<uint64, N> bits(const Pack<double, N>& a) {
  return Pack<uint64, N>(cast<Vector<uint64, N>>(a.raw));
}
template <int N>
GOBAN_DEVICE Pack<float, N> number(const Pack<int32, N>& bits) {
  return Pack<float, N>(cast<Vector<float, N>>(bits.raw));
}
template <int N>
GOBAN_DEVICE Pack<double, N> number(const Pack<uint64, N>& bits) {
  return Pack<double, N>(cast<Vector<double, N>>(bits.raw));
}
template <int Count, int N>
GOBAN_DEVICE Pack<int32, N> shifted_right(const Pack<int32, N>& bits) {
  return Pack<int32, N>(cast<Vector<int32, N>>(cast<Vector<uint32, N>>(bits.raw) >> Count));
}
template <int Count, int N>
GOBAN_DEVICE Pack<uint64, N> shifted_right(const Pack<uint64, N>& bits) {
  return Pack<uint64, N>(bits.raw >> Count);
}
template <class T, int N>
requires is_floating<T> GOBAN_DEVICE Mask<sizeof(T), N> is_negative(const Pack<T, N>& a) {
  using Raw = Vector<Truth<sizeof(T)>, N>;
  return Mask<sizeof(T), N>(cast<Raw>(cast<Raw>(a.raw) < Raw{}));
}
template <class T, int N>
GOBAN_DEVICE bool any(const Pack<T, N>& mask) {
  T found = 0;
  for (int i = 0; i < N; ++i) found |= mask.raw[i];
  return found != 0;
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> operator&&(const Pack<T, N>& a, const Pack<T, N>& b) {
  return a & b;
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> operator||(const Pack<T, N>& a, const Pack<T, N>& b) {
  return a | b;
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> operator!(const Pack<T, N>& a) {
  return ~a;
}
template <class T, int N>
GOBAN_DEVICE Pack<T, N> plain_quotient(const Pack<T, N>& a, const Pack<T, N>& b) {
  return a / b;
}

#if !defined(__clang__) && defined(__AVX512F__)
// What scaled() of values.hpp does in several steps.
GOBAN_DEVICE Pack<float, 16> scaled(const Pack<float, 16>& x, const Pack<float, 16>& n) {
  return Pack<float, 16>(__builtin_ia32_scalefps512_mask(x.raw, n.raw, x.raw, -1, 4));
}
GOBAN_DEVICE Pack<double, 8> scaled(const Pack<double, 8>& x, const Pack<double, 8>& n) {
  return Pack<double, 8>(__builtin_ia32_scalefpd512_mask(x.raw, n.raw, x.raw, -1, 4));
}
#endif

}  // namespace device
}  // namespace goban
