#pragma once
// Packs from and to stored elements. Half-precision elements become float on the way.

#ifdef __CUDA_ARCH__
#include "goban/stencil/pack_memory_device.hpp"
#else
#include "goban/stencil/pack_memory_host.hpp"
#endif
