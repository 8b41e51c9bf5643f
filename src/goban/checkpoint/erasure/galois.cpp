#include "goban/checkpoint/erasure/galois.hpp"

#include <immintrin.h>

#include <array>

namespace goban::galois {
namespace {

/// Powers of 2, which is a generator, and their exponents.
struct Tables {
  std::array<std::uint8_t, 510> power{};
  std::array<int, 256> exponent{};

  constexpr Tables() {
    int value = 1;
    for (int n = 0; n < 255; ++n) {
      power[static_cast<std::size_t>(n)] = power[static_cast<std::size_t>(n) + 255] =
          static_cast<std::uint8_t>(value);
      exponent[static_cast<std::size_t>(value)] = n;
      value <<= 1;
      if (value > 255) value ^= 0x11d;
    }
  }
};
constexpr Tables tables;

/// A product with `factor` is linear in the bits of the other factor: the matrix, its rows from the
/// last byte to the first.
std::uint64_t matrix_of(std::uint8_t factor) {
  std::uint64_t matrix = 0;
  for (int column = 0; column < 8; ++column) {
    const std::uint8_t image = product(factor, static_cast<std::uint8_t>(1 << column));
    for (int row = 0; row < 8; ++row) {
      matrix |= static_cast<std::uint64_t>((image >> row) & 1) << (8 * (7 - row) + column);
    }
  }
  return matrix;
}

[[gnu::target("gfni,avx512bw")]] std::size_t add_product_by_matrix(std::byte* target,
                                                                   const std::byte* source,
                                                                   std::size_t count,
                                                                   std::uint8_t factor) {
  const __m512i matrix = _mm512_set1_epi64(static_cast<long long>(matrix_of(factor)));
  std::size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    const __m512i value = _mm512_loadu_si512(source + i);
    const __m512i image = _mm512_gf2p8affine_epi64_epi8(value, matrix, 0);
    _mm512_storeu_si512(target + i, _mm512_xor_si512(_mm512_loadu_si512(target + i), image));
  }
  return i;
}
/// Products with the lower and the upper half of a byte are looked up and added.
[[gnu::target("avx2")]] std::size_t add_product_by_tables(std::byte* target,
                                                          const std::byte* source,
                                                          std::size_t count, std::uint8_t factor) {
  alignas(16) std::array<std::uint8_t, 16> low{}, high{};
  for (std::size_t n = 0; n < 16; ++n) {
    low[n] = product(factor, static_cast<std::uint8_t>(n));
    high[n] = product(factor, static_cast<std::uint8_t>(n << 4));
  }
  const auto table = [](const auto& bytes) {
    return _mm256_broadcastsi128_si256(
        _mm_load_si128(reinterpret_cast<const __m128i*>(bytes.data())));
  };
  const __m256i low_table = table(low), high_table = table(high), half = _mm256_set1_epi8(15);
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + i));
    auto* const there = reinterpret_cast<__m256i*>(target + i);
    const __m256i image = _mm256_xor_si256(
        _mm256_shuffle_epi8(low_table, _mm256_and_si256(value, half)),
        _mm256_shuffle_epi8(high_table, _mm256_and_si256(_mm256_srli_epi16(value, 4), half)));
    _mm256_storeu_si256(there, _mm256_xor_si256(_mm256_loadu_si256(there), image));
  }
  return i;
}
/// As the processor can; how many bytes, from the first on.
std::size_t add_product_wide(std::byte* target, const std::byte* source, std::size_t count,
                             std::uint8_t factor) {
  static const bool has_matrices =
      __builtin_cpu_supports("gfni") != 0 && __builtin_cpu_supports("avx512bw") != 0;
  static const bool has_tables = __builtin_cpu_supports("avx2") != 0;
  if (has_matrices) return add_product_by_matrix(target, source, count, factor);
  return has_tables ? add_product_by_tables(target, source, count, factor) : 0;
}

}  // namespace

std::uint8_t product(std::uint8_t a, std::uint8_t b) {
  if (a == 0 || b == 0) return 0;
  return tables.power[static_cast<std::size_t>(tables.exponent[a] + tables.exponent[b])];
}

std::uint8_t inverse(std::uint8_t a) {
  return tables.power[static_cast<std::size_t>(255 - tables.exponent[a])];
}

void add_product(std::byte* target, const std::byte* source, std::size_t count,
                 std::uint8_t factor) {
  if (factor == 0) return;
  const std::size_t done = add_product_wide(target, source, count, factor);
  if (done < count) add_product_plain(target + done, source + done, count - done, factor);
}

void add_product_plain(std::byte* target, const std::byte* source, std::size_t count,
                       std::uint8_t factor) {
  std::array<std::uint8_t, 256> image{};
  for (std::size_t n = 0; n < 256; ++n) image[n] = product(factor, static_cast<std::uint8_t>(n));
  for (std::size_t i = 0; i < count; ++i) {
    target[i] ^= std::byte{image[static_cast<std::size_t>(source[i])]};
  }
}

}  // namespace goban::galois
