#pragma once
// Morton's curve, which visits a cube eighth by eighth.

#include <cstdint>

#include "goban/base/types.hpp"

namespace goban {

/// Place of an index along the curve: its bits are those of z, y and x in turn. Indices below 2^21;
/// -1 stands for 2^21 - 1.
constexpr std::uint64_t morton_key(const Index3& index) {
  const auto spread = [](Index number) {
    auto bits = static_cast<std::uint64_t>(number) & 0x1fffff;
    bits = (bits | bits << 32) & 0x1f00000000ffff;
    bits = (bits | bits << 16) & 0x1f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
  };
  return spread(index[0]) | spread(index[1]) << 1 | spread(index[2]) << 2;
}

}  // namespace goban
