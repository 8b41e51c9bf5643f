#pragma once
// The update of one cell: all that is Life.

#include "goban/stencil/graph/trace.hpp"
#include "goban/stencil/graph/traced_math.hpp"
#include "life/model.hpp"

namespace goban::life {

/// Live cells among the 26 neighbours. Rows and planes are summed on their own, so that cells
/// evaluated together share them.
GOBAN_FUNCTION auto neighbors(auto u) {
  auto cell = [&](int i, int j, int k) { return within<0, 1>(u(i, j, k)); };
  auto row = [&](int j, int k) { return cell(-1, j, k) + cell(1, j, k) + cell(0, j, k); };
  auto beside = [&](int k) { return row(-1, k) + row(1, k); };
  auto plane = [&](int k) { return beside(k) + row(0, k); };
  return plane(-1) + plane(1) + (beside(0) + (cell(-1, 0, 0) + cell(1, 0, 0)));
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
    const auto survives = n >= survive_low && n <= survive_high;
    const auto is_born = n >= birth_low && n <= birth_high;
    const auto is_alive = within<0, 1>(u()) != 0;
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
