#pragma once
// What is found at the tip of the solid when a run is over.

#include "dendrite/step.hpp"

namespace goban::dendrite {

/// What lies along the line through the tip that is parallel to the growth axis.
struct TipLine {
  double largest = 0;  ///< concentration of the melt before the tip, percent by weight
  double solid = 0;    ///< concentration of the first cell behind it that is solid (phi > 0.99)
  double partition() const { return largest > 0 ? solid / largest : 0; }
};

/// The concentration must be up to date. Collective.
template <class T>
TipLine tip_line(const GrowthStep<T>& step);

}  // namespace goban::dendrite
