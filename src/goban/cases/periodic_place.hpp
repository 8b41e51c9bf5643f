#pragma once
// Places of bodies that go on through the periodic sides of a grid.

#include <cmath>

#include "goban/base/types.hpp"

namespace goban {

/// The way from `center` to `at` along an axis, the shorter way where it is periodic; a period of
/// 0: it is not.
inline double offset_from(double center, double at, double period) {
  const double offset = at - center;
  return period > 0 ? offset - period * std::round(offset / period) : offset;
}

/// lower <= at < upper, or so it is some periods further.
inline bool lies_between(double lower, double at, double upper, double period) {
  if (at >= lower && at < upper) return true;
  if (!(period > 0)) return false;
  const double first = at - period * std::floor((at - lower) / period);
  return first >= lower && first < upper;
}

}  // namespace goban
