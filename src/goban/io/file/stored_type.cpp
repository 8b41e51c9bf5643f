#include "goban/io/file/stored_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "goban/base/error.hpp"

namespace goban {
namespace {

using Kind = StoredType::Kind;

static_assert(std::endian::native == std::endian::little, "files are little endian");

template <class T>
T number_at(const std::byte* bytes, bool is_swapped) {
  std::array<std::byte, sizeof(T)> own;
  std::copy_n(bytes, sizeof(T), own.begin());
  if (is_swapped) std::reverse(own.begin(), own.end());
  return std::bit_cast<T>(own);
}

/// Calls use with a number of the C++ type of stored integers.
template <class Use>
void visit_integer(const StoredType& stored, const Use& use) {
  const bool is_natural = stored.kind == Kind::natural;
  switch (stored.bytes) {
    case 1: return is_natural ? use(std::uint8_t{}) : use(std::int8_t{});
    case 2: return is_natural ? use(std::uint16_t{}) : use(std::int16_t{});
    case 4: return is_natural ? use(std::uint32_t{}) : use(std::int32_t{});
    default: return is_natural ? use(std::uint64_t{}) : use(std::int64_t{});
  }
}

void swap_bytes(std::span<std::byte> bytes, std::size_t size) {
  for (std::size_t at = 0; at < bytes.size(); at += size)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
}

}  // namespace

bool is_known(const StoredType& stored) {
  const int n = stored.bytes;
  return (n == 1 && stored.kind != Kind::real) || n == 2 || n == 4 || n == 8;
}

ElementType kept_as(const StoredType& stored) {
  if (stored.kind == Kind::real) {
    return stored.bytes == 2   ? ElementType::half
           : stored.bytes == 4 ? ElementType::float32
                               : ElementType::float64;
  }
  return stored.bytes == 1 && stored.kind == Kind::natural ? ElementType::uint8
                                                           : ElementType::int32;
}

void convert_stored(const StoredType& stored, std::span<const std::byte> from,
                    std::span<std::byte> kept, const std::string& name) {
  const ElementType type = kept_as(stored);
  const std::size_t count = kept.size() / size_of(type);
  if (from.size() != count * static_cast<std::size_t>(stored.bytes))
    throw std::logic_error("convert_stored: the lengths differ");
  if (stored.kind == Kind::real || type == ElementType::uint8) {
    std::copy(from.begin(), from.end(), kept.begin());
    if (stored.is_big_endian) swap_bytes(kept, size_of(type));
    return;
  }
  visit_integer(stored, [&]<class T>(T) {
    for (std::size_t n = 0; n < count; ++n) {
      const T value = number_at<T>(from.data() + n * sizeof(T), stored.is_big_endian);
      if (!std::in_range<std::int32_t>(value))
        throw Error(ExitCode::files, "cannot read " + name,
                    fmt::format("it holds {}, integers of 32 bits are taken", value));
      const auto own = static_cast<std::int32_t>(value);
      std::memcpy(kept.data() + n * sizeof own, &own, sizeof own);
    }
  });
}

}  // namespace goban
