#include "goban/performance/measure/least_squares.hpp"

#include <algorithm>

namespace goban {

std::array<double, 3> least_squares_above_zero(const std::vector<LinearEquation>& equations) {
  constexpr int rounds = 10000;
  std::array<double, 3> x{};
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t n = 0; n < 3; ++n) {
      double product = 0, square = 0;
      for (const LinearEquation& one : equations) {
        double rest = one.target;
        for (std::size_t m = 0; m < 3; ++m) rest -= m == n ? 0 : one.counts[m] * x[m];
        const double weighted = one.weight * one.counts[n];
        product += one.weight * weighted * rest;
        square += weighted * weighted;
      }
      x[n] = square > 0 ? std::max(0.0, product / square) : 0;
    }
  }
  return x;
}

}  // namespace goban
