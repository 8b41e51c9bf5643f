#pragma once
// Arithmetic in GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (0x11d), by ISA-L: a sum is
// an exclusive or. Errors (resources): there is no ISA-L.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace goban::galois {

void require_library();

std::uint8_t product(std::uint8_t a, std::uint8_t b);
/// The inverse of anything but 0.
std::uint8_t inverse(std::uint8_t a);
/// The inverse of a matrix of n rows and columns, row by row, which has one.
std::vector<std::uint8_t> inverse(std::vector<std::uint8_t> matrix, std::size_t n);

/// targets[t][i] = sum over s of factors[t * sources.size() + s] * sources[s][i], i < count.
/// Targets overlap with nothing else.
void sum_products(std::span<std::byte* const> targets, std::span<const std::byte* const> sources,
                  std::span<const std::uint8_t> factors, std::size_t count);

}  // namespace goban::galois
