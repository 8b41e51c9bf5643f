#include "goban/checkpoint/hash.hpp"

#include <fmt/format.h>

// g++ 12 takes the undefined operands inside its own AVX-512 intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>

#include "goban/base/error.hpp"

namespace goban {

std::uint64_t hash_of(const void* bytes, std::size_t count) { return XXH3_64bits(bytes, count); }

std::string hex_of(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::uint64_t from_hex(std::string_view digits) {
  std::uint64_t value = 0;
  const bool plain = digits.size() == 16 && std::all_of(digits.begin(), digits.end(), [](char c) {
                       return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                     });
  if (!plain) throw Error(ExitCode::no_checkpoint, fmt::format("'{}' is not a hash", digits));
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

}  // namespace goban
