#pragma once
// A tuple of goban's own generator from its number.

#include <cstdint>

#include "goban/base/mix.hpp"
#include "graph500/edge.hpp"

namespace goban::graph500 {

struct KroneckerRule {
  std::uint64_t draws, weights, keys;  ///< what hashes begin with
  std::uint64_t factor[3], offset[3];  ///< factors and offsets of the permutation's three rounds
  int scale;
};
KroneckerRule kronecker_rule(const KroneckerOptions& options);

/// 32 random bits below these mean quadrant A, B or C.
inline constexpr std::uint32_t kronecker_below[3] = {2448131359u, 3264175145u, 4080218931u};

/// A bijection of scale bits: each round multiplies by an odd number and folds the upper half in.
inline std::uint64_t permuted(const KroneckerRule& rule, std::uint64_t vertex) {
  const std::uint64_t mask = (std::uint64_t{1} << rule.scale) - 1;
  const int half = (rule.scale + 1) / 2;
  for (int r = 0; r < 3; ++r) {
    vertex = (vertex * rule.factor[r] + rule.offset[r]) & mask;
    vertex ^= vertex >> half;
  }
  return vertex;
}

/// Draws two bits of each end from one hash.
inline void kronecker_edge(const KroneckerRule& rule, std::uint64_t number, std::uint64_t ends[2]) {
  const std::uint64_t start = mix(rule.draws ^ mix(number));
  std::uint64_t first = 0, second = 0, bits = 0;
  for (int level = 0; level < rule.scale; ++level) {
    bits = level % 2 == 0 ? mix(start + static_cast<std::uint64_t>(level)) : bits >> 32;
    const auto draw = static_cast<std::uint32_t>(bits);
    const bool beyond_a = draw >= kronecker_below[0], beyond_b = draw >= kronecker_below[1],
               beyond_c = draw >= kronecker_below[2];
    first = first << 1 | std::uint64_t{beyond_b};
    second = second << 1 | std::uint64_t{(beyond_a && !beyond_b) || beyond_c};
  }
  ends[0] = permuted(rule, first);
  ends[1] = permuted(rule, second);
}

}  // namespace goban::graph500
