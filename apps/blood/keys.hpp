#pragma once
// The keys of a case of blood flow, and the model they describe.

#include <memory>

#include "blood/model.hpp"
#include "goban/geometry/vessel.hpp"
#include "goban/simulation/application/common_keys.hpp"

namespace goban::blood {

void declare_keys(CaseSchema& schema);

struct VesselCase {
  Model model;
  std::shared_ptr<const Vessel> vessel;
  /// Radius and length of a single straight segment between two openings, m, from which its
  /// apparent viscosity is found; a radius of 0: there is none.
  double pipe_radius = 0, pipe_length = 0;
};

/// Errors (ExitCode::usage, naming the key where there is one): cells that are not cubes, no vessel
/// or several, openings that say nothing or too much, what make_vessel() refuses. Error
/// (ExitCode::files): a file that cannot be read.
VesselCase read_case(const Case& values);

}  // namespace goban::blood
