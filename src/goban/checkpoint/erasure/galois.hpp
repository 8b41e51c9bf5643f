#pragma once
// Arithmetic in GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (0x11d): a sum is an
// exclusive or.

#include <cstddef>
#include <cstdint>
#include <span>

namespace goban::galois {

std::uint8_t product(std::uint8_t a, std::uint8_t b);
/// The inverse of anything but 0.
std::uint8_t inverse(std::uint8_t a);

/// What a processor may have: matrices of bits (GFNI with AVX-512), look-ups of half bytes (AVX2),
/// or byte by byte, on any machine, what the others are tested against.
enum class Instructions { plain, halves, matrices };
Instructions widest_instructions();

/// targets[t][i] = sum over s of factors[t * sources.size() + s] * sources[s][i], i < count.
/// Targets overlap with nothing else; the processor has the instructions.
void sum_products(std::span<std::byte* const> targets, std::span<const std::byte* const> sources,
                  std::span<const std::uint8_t> factors, std::size_t count,
                  Instructions instructions = widest_instructions());

}  // namespace goban::galois
