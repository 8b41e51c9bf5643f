#pragma once
// Checksums of stored bytes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace goban {

/// XXH3-64.
std::uint64_t hash_of(const void* bytes, std::size_t count);
inline std::uint64_t hash_of(std::string_view text) { return hash_of(text.data(), text.size()); }

/// 16 hexadecimal digits.
std::string hex_of(std::uint64_t value);
/// Error (no_checkpoint) for anything but 16 lower-case hexadecimal digits.
std::uint64_t from_hex(std::string_view digits);

}  // namespace goban
