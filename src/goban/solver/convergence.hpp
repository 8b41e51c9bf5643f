#pragma once
// When a solution is good enough.

#include "goban/program/program.hpp"

namespace goban {

/// Returns the condition that a residual is below the tolerance times a scale; a part of it is
/// appended to `check`, which has found the residual. A field of zeros is solved by zeros, whatever
/// its scale.
inline Condition is_small(Program& check, const Parameter<double>& residual,
                          const Parameter<double>& scale, double tolerance) {
  const Parameter<double> share(residual.name() + ", as a share,");
  check.compute([](auto residual, auto scale,
                   auto& share) { share = select(residual <= 0, 0, residual / scale); },
                in(residual), in(scale), out(share));
  return share < tolerance;
}

}  // namespace goban
