#pragma once

#include <string>

#include "goban/base/types.hpp"

namespace goban {

/// A disc across a vessel where it is cut: fluid lies against its normal.
struct Opening {
  std::string name;
  Real3 center{};
  Real3 normal{1, 0, 0};  ///< out of the fluid, of length 1
  double radius = 0;
};

}  // namespace goban
