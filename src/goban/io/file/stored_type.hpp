#pragma once
// Numbers as files of others store them, and as goban keeps them.

#include <cstddef>
#include <span>
#include <string>

#include "goban/base/types.hpp"

namespace goban {

struct StoredType {
  enum class Kind { natural, integer, real };  ///< without and with a sign; IEEE
  Kind kind = Kind::natural;
  int bytes = 1;
  bool is_big_endian = false;

  bool operator==(const StoredType&) const = default;
};

/// 1, 2, 4 or 8 bytes; reals of 2, 4 or 8.
bool is_known(const StoredType& stored);

/// Bytes and truth values become uint8, other integers int32, reals stay.
ElementType kept_as(const StoredType& stored);

/// Converts `stored` numbers to `kept`, of the type that kept_as() says. Error(files) with `name`
/// and the value if an integer is beyond int32.
void convert_stored(const StoredType& stored, std::span<const std::byte> from,
                    std::span<std::byte> kept, const std::string& name);

}  // namespace goban
