#include "goban/performance/measure/instruction_fit.hpp"

#include <algorithm>
#include <cmath>

#include "goban/performance/measure/least_squares.hpp"

namespace goban {

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
