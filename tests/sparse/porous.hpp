#pragma once
// A medium with pores of all shapes.

#include "goban/base/mix.hpp"
#include "goban/base/types.hpp"

namespace goban::test {

/// Half of all cells: in clusters, and single ones.
inline bool is_pore(Index3 i) {
  const auto hash = [](Index x, Index y, Index z) {
    return mix(static_cast<std::uint64_t>(x + 1000 * (y + 1000 * z)));
  };
  const bool is_cluster = hash(i[0] / 5, i[1] / 4, i[2] / 6) % 8 < 4;
  return is_cluster != (hash(i[0], i[1], i[2]) % 10 == 0);
}

}  // namespace goban::test
