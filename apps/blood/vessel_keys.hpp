#pragma once
// Where a case has its vessel from: segments, a tree, centre lines, a surface, an image.

#include <functional>
#include <optional>
#include <vector>

#include "goban/geometry/vessel.hpp"
#include "goban/io/case/file.hpp"

namespace goban::blood {

void declare_vessel(CaseSchema& schema);

/// vessel.periodic.
std::optional<Axis> periodic_axis(const Case& values);

struct VesselSource {
  std::vector<Opening> openings;  ///< that come with it
  /// Its cells, cut by these openings.
  std::function<Vessel(const std::vector<Opening>&)> make;
  double pipe_radius = 0, pipe_length = 0;  ///< radius and length of a single straight segment, m
};

/// Errors: no vessel, or several; what a file lacks.
VesselSource read_vessel(const Case& values);

}  // namespace goban::blood
