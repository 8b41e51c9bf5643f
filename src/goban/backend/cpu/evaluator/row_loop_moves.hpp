#pragma once
// Loops that fill, copy and convert rows. See row_loops.hpp.

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "goban/backend/cpu/evaluator/row_loop_values.hpp"
#include "goban/backend/cpu/streaming.hpp"

namespace goban::cpu::GOBAN_ROW_LOOPS {
namespace {

template <class T>
void fill(void* to, const void* a, const void*, const void*, Index n) {
  T* const result = static_cast<T*>(to);
  const T value = *static_cast<const T*>(a);
  for (Index i = 0; i < n; ++i) result[i] = value;
}
template <class T>
void copy(void* to, const void* a, const void*, const void*, Index n) {
  T* const result = static_cast<T*>(to);
  const T* const x = static_cast<const T*>(a);
  GOBAN_ROW_LOOP
  for (Index i = 0; i < n; ++i) result[i] = x[i];
}

/// Streams 64 bytes to a line of memory.
[[gnu::always_inline]] inline void stream_whole_line(std::byte* to, const std::byte* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX__)
  for (int i = 0; i < 64; i += 32) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
  }
#else
  for (int i = 0; i < 64; i += 16) stream_16(to + i, load_16(from + i));
#endif
}
void stream(void* to, const void* a, const void*, const void*, Index n) {
  constexpr Index line = 64;
  auto* const result = static_cast<std::byte*>(to);
  const auto* const from = static_cast<const std::byte*>(a);
  const auto within_line = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % line);
  Index i = within_line == 0 ? 0 : line - within_line;
  i = i < n ? i : n;
  __builtin_memcpy(result, from, static_cast<std::size_t>(i));
  for (; i + line <= n; i += line) stream_whole_line(result + i, from + i);
  __builtin_memcpy(result + i, from + i, static_cast<std::size_t>(n - i));
}

/// Converts a row. Other numbers are converted to bytes by way of int32, as in packs.
template <class To, class From>
void convert(void* to, const void* a, const void*, const void*, Index n) {
  To* const result = static_cast<To*>(to);
  const From* const x = static_cast<const From*>(a);
  GOBAN_ROW_LOOP
  for (Index i = 0; i < n; ++i) {
    if constexpr (sizeof(To) == 1) {
      result[i] = static_cast<To>(static_cast<std::int32_t>(x[i]));
    } else {
      result[i] = static_cast<To>(x[i]);
    }
  }
}

/// Returns the loop of a move of elements of `bytes` bytes, which are moved as unsigned integers.
RowOperation any_move(Move move, Index bytes) {
  if (move == Move::stream) return &stream;
  const auto of = [move]<class T>(T) -> RowOperation {
    return move == Move::fill ? &fill<T> : &copy<T>;
  };
  switch (bytes) {
    case 1: return of(std::uint8_t{});
    case 2: return of(std::uint16_t{});
    case 4: return of(std::uint32_t{});
    default: return of(std::uint64_t{});
  }
}

template <class From>
RowOperation conversion_from(Lane to) {
  switch (to) {
    case Lane::truth:
    case Lane::uint8: return &convert<std::uint8_t, From>;
    case Lane::int32: return &convert<std::int32_t, From>;
    case Lane::uint32: return &convert<std::uint32_t, From>;
    case Lane::int64: return &convert<std::int64_t, From>;
    case Lane::uint64: return &convert<std::uint64_t, From>;
    case Lane::float32: return &convert<float, From>;
    case Lane::float64: return &convert<double, From>;
    case Lane::half: break;
  }
  return nullptr;
}

#ifdef __F16C__
void float_from_half(void* to, const void* a, const void*, const void*, Index n) {
  float* const result = static_cast<float*>(to);
  const auto* const x = static_cast<const std::uint16_t*>(a);
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(result + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
  }
  for (; i < n; ++i) result[i] = _cvtsh_ss(x[i]);
}
void half_from_float(void* to, const void* a, const void*, const void*, Index n) {
  constexpr int nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  auto* const result = static_cast<std::uint16_t*>(to);
  const float* const x = static_cast<const float*>(a);
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(result + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(x + i), nearest));
  }
  for (; i < n; ++i) result[i] = _cvtss_sh(x[i], nearest);
}
#else
void float_from_half(void* to, const void* a, const void*, const void*, Index n) {
  float_from_half_one_by_one(static_cast<float*>(to), static_cast<const half*>(a), n);
}
void half_from_float(void* to, const void* a, const void*, const void*, Index n) {
  half_from_float_one_by_one(static_cast<half*>(to), static_cast<const float*>(a), n);
}
#endif

RowOperation any_conversion(Lane to, Lane from) {
  switch (from) {
    case Lane::truth:
    case Lane::uint8: return conversion_from<std::uint8_t>(to);
    case Lane::int32: return conversion_from<std::int32_t>(to);
    case Lane::uint32: return conversion_from<std::uint32_t>(to);
    case Lane::int64: return conversion_from<std::int64_t>(to);
    case Lane::uint64: return conversion_from<std::uint64_t>(to);
    case Lane::float32: return to == Lane::half ? &half_from_float : conversion_from<float>(to);
    case Lane::float64: return conversion_from<double>(to);
    case Lane::half: return to == Lane::float32 ? &float_from_half : nullptr;
  }
  return nullptr;
}

}  // namespace
}  // namespace goban::cpu::GOBAN_ROW_LOOPS
