#pragma once
// Packs from and to stored elements. Half-precision elements become float on the way.

#ifdef __CUDA_ARCH__
#include "goban/stencil/pack_memory_device.hpp"
#else
#include "goban/stencil/pack_memory_host.hpp"
#endif

namespace goban {

// The same of elements stored in place. Others write to the same lines meanwhile: nothing is read
// as constant or written past the caches.

template <int N, class S>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> load(const InPlace<S>* p) {
  return load<N>(&p->value);
}
#ifdef __CUDA_ARCH__
template <int N, class S>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> load_constant(const InPlace<S>* p) {
  return load<N>(&p->value);
}
#else
template <int N, class S>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> load_beside(const InPlace<S>* p, int d) {
  return load<N>(p + d);
}
#endif

template <class S, int N>
GOBAN_INLINE void store(InPlace<S>* p, const Pack<ArithmeticOf<S>, N>& values) {
  store(&p->value, values);
}

template <class S, int N>
GOBAN_INLINE void store_streaming(InPlace<S>* p, const Pack<ArithmeticOf<S>, N>& values) {
  store(p, values);
}

template <class S, int N>
GOBAN_INLINE void store_lanes(InPlace<S>* p, const Pack<ArithmeticOf<S>, N>& values, int first,
                              int last) {
  store_lanes(&p->value, values, first, last);
}

}  // namespace goban
