#pragma once
// Stores past the caches, for results that are not read soon, on processors that have them.
// Elsewhere they are ordinary stores.

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include <cstdint>

#include "goban/base/macros.hpp"

namespace goban::cpu {

using Bytes16 = std::uint8_t __attribute__((vector_size(16), may_alias));

/// Returns the 16 bytes at any address.
GOBAN_INLINE Bytes16 load_16(const void* from) {
  Bytes16 bytes;
  __builtin_memcpy(&bytes, from, sizeof(bytes));
  return bytes;
}

/// Stores 16 bytes at an address that is a multiple of 16.
GOBAN_INLINE void stream_16(void* to, const Bytes16& bytes) {
#if defined(__x86_64__)
  _mm_stream_si128(static_cast<__m128i*>(to), (__m128i)bytes);
#else
  *static_cast<Bytes16*>(to) = bytes;
#endif
}

/// Makes what was streamed before visible to other threads before what is stored after.
GOBAN_INLINE void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace goban::cpu
