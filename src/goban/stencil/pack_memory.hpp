#pragma once
// Packs from and to stored elements. Half-precision elements become float on the way.

#ifdef __CUDA_ARCH__
#include "goban/stencil/pack_memory_device.hpp"
#else
#include "goban/stencil/pack_memory_host.hpp"
#endif

namespace goban {

// The same of elements stored in place. They move with every step, and packs lie anywhere. Others
// write to the same lines meanwhile: nothing is read as constant or written past the caches.

#ifdef __CUDA_ARCH__
namespace detail {
/// All threads of a sweep agree.
template <int N, class S>
GOBAN_INLINE bool is_whole(const InPlace<S>* p) {
  return N == 1 || reinterpret_cast<std::uintptr_t>(p) % (N * sizeof(S)) == 0;
}
}  // namespace detail
#endif

template <int N, class S>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> load(const InPlace<S>* p) {
#ifdef __CUDA_ARCH__
  if (!detail::is_whole<N>(p)) {
    Pack<ArithmeticOf<S>, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) result.set_lane(i, load<1>(&p[i].value).lane(0));
    return result;
  }
#endif
  return load<N>(&p->value);
}

template <class S, int N>
GOBAN_INLINE void store(InPlace<S>* p, const Pack<ArithmeticOf<S>, N>& values) {
#ifdef __CUDA_ARCH__
  if (!detail::is_whole<N>(p)) return store_lanes(&p->value, values, 0, N);
#endif
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

#ifndef __CUDA_ARCH__
template <int N, class S>
GOBAN_INLINE Pack<ArithmeticOf<S>, N> load_beside(const InPlace<S>* p, int d) {
  return load<N>(p + d);
}
#endif

}  // namespace goban
