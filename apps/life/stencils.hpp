#pragma once
// The update of one cell: all that is Life.

#include "goban/stencil/pack.hpp"
#include "goban/stencil/trace.hpp"
#include "life/model.hpp"

namespace goban::life {

/// Live cells among the 26 neighbours. Rows and planes are summed on their own, so that cells
/// evaluated together share them; sums of bytes wrap, which does not matter below 256.
GOBAN_FUNCTION auto neighbors(auto u) {
  auto row = [&](int j, int k) { return u(-1, j, k) + u(0, j, k) + u(1, j, k); };
  auto plane = [&](int k) { return row(-1, k) + row(0, k) + row(1, k); };
  return plane(-1) + plane(0) + plane(1) - u();
}

/// A rule of two ranges: lives on with survive_low ... survive_high live neighbours, is born with
/// birth_low ... birth_high.
struct LiveInRanges {
  std::uint8_t survive_low = 1, survive_high = 0, birth_low = 1, birth_high = 0;

  static LiveInRanges with(const Rule& rule) {
    const CountRange survive = range_of(rule.survive), birth = range_of(rule.birth);
    return {static_cast<std::uint8_t>(survive.low), static_cast<std::uint8_t>(survive.high),
            static_cast<std::uint8_t>(birth.low), static_cast<std::uint8_t>(birth.high)};
  }

  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto n = neighbors(u);
    // Bytes wrap: counts below the range come out far above its width.
    const auto survives = n - survive_low <= static_cast<std::uint8_t>(survive_high - survive_low);
    const auto is_born = n - birth_low <= static_cast<std::uint8_t>(birth_high - birth_low);
    const auto is_alive = u() != 0;
    next = select((is_alive && survives) || (!is_alive && is_born), 1, 0);
  }
};

/// Any rule: a bit for every number of neighbours.
struct LiveByCounts {
  std::uint32_t survive = 0, birth = 0;

  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto n = neighbors(u);
    auto survives = n != n, is_born = n != n;
    for (int count = 0; count <= 26; ++count) {
      const auto has_count = n == count;
      if ((survive >> count & 1u) != 0) survives = survives || has_count;
      if ((birth >> count & 1u) != 0) is_born = is_born || has_count;
    }
    next = select((u() != 0 && survives) || (u() == 0 && is_born), 1, 0);
  }
};

}  // namespace goban::life
