#pragma once
// Cubic interpolation along one axis.

#include <algorithm>
#include <cmath>
#include <vector>

#include "goban/base/types.hpp"

namespace goban::seismic {

/// What successive values count.
struct Weights {
  Index first = 0;  ///< number of the first of them
  std::vector<double> of;
};

/// Lagrange interpolation at `place` from the nearest 4 of the values 0 ... count - 1, or from all
/// where there are fewer; near an end they lie on one side.
inline Weights weights_at(double place, Index count) {
  const Index points = std::min<Index>(4, count);
  Weights weights;
  weights.first =
      std::clamp<Index>(static_cast<Index>(std::floor(place)) - points / 2 + 1, 0, count - points);
  for (Index i = 0; i < points; ++i) {
    double weight = 1;
    for (Index j = 0; j < points; ++j) {
      if (j == i) continue;
      weight *= (place - static_cast<double>(weights.first + j)) / static_cast<double>(i - j);
    }
    weights.of.push_back(weight);
  }
  return weights;
}

}  // namespace goban::seismic
