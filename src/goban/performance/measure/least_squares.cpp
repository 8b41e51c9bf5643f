#include "goban/performance/measure/least_squares.hpp"

#include <algorithm>
#include <cmath>

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

InstructionSeconds fit(const std::vector<MeasuredInstructions>& sweeps, double exponent,
                       bool is_gpu) {
  const double p = exponent;
  std::vector<LinearEquation> equations;
  for (const MeasuredInstructions& sweep : sweeps) {
    const double all = std::pow(sweep.seconds, p);
    const double rest = std::max(0.0, all - std::pow(sweep.bytes, p));
    if (is_gpu) {  // seconds add up, then powers: a change of them changes all by rest^(1 - 1/p)
      const double instructions = std::pow(rest, 1 / p);
      equations.push_back({sweep.counts, instructions, rest > 0 ? rest / instructions / all : 0});
    } else {
      const auto power = [&](double count) { return std::pow(count, p); };
      equations.push_back({{power(sweep.counts[0]), power(sweep.counts[1]), 0}, rest, 1 / all});
    }
  }
  InstructionSeconds seconds = least_squares_above_zero(equations);
  if (!is_gpu) {
    for (double& one : seconds) one = std::pow(one, 1 / p);
  }
  return seconds;
}

}  // namespace goban
