#pragma once
// Arithmetic in GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (0x11d): a sum is an
// exclusive or.

#include <cstddef>
#include <cstdint>

namespace goban::galois {

std::uint8_t product(std::uint8_t a, std::uint8_t b);
/// The inverse of anything but 0.
std::uint8_t inverse(std::uint8_t a);

/// target[i] += factor * source[i], with the widest instructions that the processor has.
void add_product(std::byte* target, const std::byte* source, std::size_t count,
                 std::uint8_t factor);
/// The same byte by byte, on any machine: what the other is tested against.
void add_product_plain(std::byte* target, const std::byte* source, std::size_t count,
                       std::uint8_t factor);

}  // namespace goban::galois
