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

  constexpr std::uint8_t product(std::uint8_t a, std::uint8_t b) const {
    if (a == 0 || b == 0) return 0;
    return power[static_cast<std::size_t>(exponent[a] + exponent[b])];
  }
};
constexpr Tables tables;

/// Products with a factor are linear in the bits of the other: the matrix, its rows from the last
/// byte to the first.
struct Matrices {
  std::array<long long, 256> of{};

  constexpr Matrices() {
    for (std::size_t factor = 0; factor < 256; ++factor) {
      std::uint64_t matrix = 0;
      for (int column = 0; column < 8; ++column) {
        const std::uint8_t image = tables.product(static_cast<std::uint8_t>(factor),
                                                  static_cast<std::uint8_t>(1 << column));
        for (int row = 0; row < 8; ++row) {
          matrix |= static_cast<std::uint64_t>((image >> row) & 1) << (8 * (7 - row) + column);
        }
      }
      of[factor] = static_cast<long long>(matrix);
    }
  }
};
constexpr Matrices matrices;

/// Products of a factor with all lower halves of a byte, then with all upper ones.
struct Halves {
  alignas(16) std::array<std::array<std::uint8_t, 32>, 256> of{};

  constexpr Halves() {
    for (std::size_t factor = 0; factor < 256; ++factor) {
      for (std::size_t n = 0; n < 32; ++n) {
        of[factor][n] = tables.product(static_cast<std::uint8_t>(factor),
                                       static_cast<std::uint8_t>(n < 16 ? n : n << 4));
      }
    }
  }
};
constexpr Halves halves;

void sum_plain(std::size_t targets, std::byte* const* to, std::span<const std::byte* const> from,
               const std::uint8_t* factors, std::size_t begin, std::size_t end) {
  for (std::size_t t = 0; t < targets; ++t) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint8_t sum = 0;
      for (std::size_t s = 0; s < from.size(); ++s) {
        sum ^= tables.product(factors[t * from.size() + s], static_cast<std::uint8_t>(from[s][i]));
      }
      to[t][i] = std::byte{sum};
    }
  }
}

// How many bytes of the targets were made, from the first on. Sums stay in registers while all
// sources pass by, each read once for all targets; several lines of one at a time, or processors do
// not fetch ahead from many. Loops of fixed length are to be unrolled.

template <int targets>
[[gnu::target("gfni,avx512bw")]] std::size_t sum_by_matrices(std::byte* const* to,
                                                             std::span<const std::byte* const> from,
                                                             const std::uint8_t* factors,
                                                             std::size_t count) {
  constexpr int width = 4;
  std::size_t i = 0;
  for (; i + 64 * width <= count; i += 64 * width) {
    __m512i sums[targets][width] = {};
    for (std::size_t s = 0; s < from.size(); ++s) {
      __m512i values[width];
#pragma GCC unroll 4
      for (int w = 0; w < width; ++w) values[w] = _mm512_loadu_si512(from[s] + i + 64 * w);
#pragma GCC unroll 4
      for (int t = 0; t < targets; ++t) {
        const std::uint8_t factor = factors[static_cast<std::size_t>(t) * from.size() + s];
        const __m512i matrix = _mm512_set1_epi64(matrices.of[factor]);
#pragma GCC unroll 4
        for (int w = 0; w < width; ++w) {
          const __m512i image = _mm512_gf2p8affine_epi64_epi8(values[w], matrix, 0);
          sums[t][w] = _mm512_xor_si512(sums[t][w], image);
        }
      }
    }
#pragma GCC unroll 4
    for (int t = 0; t < targets; ++t) {
#pragma GCC unroll 4
      for (int w = 0; w < width; ++w) _mm512_storeu_si512(to[t] + i + 64 * w, sums[t][w]);
    }
  }
  return i;
}

template <int targets>
[[gnu::target("avx2")]] std::size_t sum_by_halves(std::byte* const* to,
                                                  std::span<const std::byte* const> from,
                                                  const std::uint8_t* factors, std::size_t count) {
  constexpr int width = 2;
  const __m256i half = _mm256_set1_epi8(15);
  std::size_t i = 0;
  for (; i + 32 * width <= count; i += 32 * width) {
    __m256i sums[targets][width] = {};
    for (std::size_t s = 0; s < from.size(); ++s) {
      __m256i low[width], high[width];
#pragma GCC unroll 4
      for (int w = 0; w < width; ++w) {
        const __m256i value =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from[s] + i + 32 * w));
        low[w] = _mm256_and_si256(value, half);
        high[w] = _mm256_and_si256(_mm256_srli_epi16(value, 4), half);
      }
#pragma GCC unroll 4
      for (int t = 0; t < targets; ++t) {
        const std::uint8_t factor = factors[static_cast<std::size_t>(t) * from.size() + s];
        const auto* const images = reinterpret_cast<const __m128i*>(halves.of[factor].data());
        const __m256i of_low = _mm256_broadcastsi128_si256(_mm_load_si128(images)),
                      of_high = _mm256_broadcastsi128_si256(_mm_load_si128(images + 1));
#pragma GCC unroll 4
        for (int w = 0; w < width; ++w) {
          const __m256i image = _mm256_xor_si256(_mm256_shuffle_epi8(of_low, low[w]),
                                                 _mm256_shuffle_epi8(of_high, high[w]));
          sums[t][w] = _mm256_xor_si256(sums[t][w], image);
        }
      }
    }
#pragma GCC unroll 4
    for (int t = 0; t < targets; ++t) {
#pragma GCC unroll 4
      for (int w = 0; w < width; ++w) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to[t] + i + 32 * w), sums[t][w]);
      }
    }
  }
  return i;
}

/// Makes the first targets.
template <int targets>
void sum_wide(std::byte* const* to, std::span<const std::byte* const> from,
              const std::uint8_t* factors, std::size_t count, Instructions instructions) {
  std::size_t done = 0;
  if (instructions == Instructions::matrices) {
    done = sum_by_matrices<targets>(to, from, factors, count);
  } else if (instructions == Instructions::halves) {
    done = sum_by_halves<targets>(to, from, factors, count);
  }
  sum_plain(targets, to, from, factors, done, count);
}

}  // namespace

Instructions widest_instructions() {
  if (__builtin_cpu_supports("gfni") != 0 && __builtin_cpu_supports("avx512bw") != 0) {
    return Instructions::matrices;
  }
  return __builtin_cpu_supports("avx2") != 0 ? Instructions::halves : Instructions::plain;
}

std::uint8_t product(std::uint8_t a, std::uint8_t b) { return tables.product(a, b); }

std::uint8_t inverse(std::uint8_t a) {
  return tables.power[static_cast<std::size_t>(255 - tables.exponent[a])];
}

void sum_products(std::span<std::byte* const> targets, std::span<const std::byte* const> sources,
                  std::span<const std::uint8_t> factors, std::size_t count,
                  Instructions instructions) {
  for (std::size_t t = 0; t < targets.size();) {
    const std::size_t left = targets.size() - t;
    const auto sum = left >= 4 ? sum_wide<4> : left >= 2 ? sum_wide<2> : sum_wide<1>;
    sum(&targets[t], sources, factors.data() + t * sources.size(), count, instructions);
    t += left >= 4 ? 4 : left >= 2 ? 2 : 1;
  }
}

}  // namespace goban::galois
