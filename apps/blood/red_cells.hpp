#pragma once
// Red cells as ellipsoids that plasma carries.

#include <optional>
#include <vector>

#include "blood/model.hpp"
#include "goban/io/case/file.hpp"
#include "goban/io/case/schema.hpp"
#include "goban/particle/bodies.hpp"

namespace goban::blood {

void declare_red_cells(CaseSchema& schema);
/// Error: cells of which a case says nothing that fits together.
RedCells read_red_cells(const Case& values);

/// In lattice units; errors (usage) as of in_fluid().
BodyShape shape_of(const RedCells& cells, const Model& model);
BodyOptions options_of(const RedCells& cells, const Model& model);
/// The openings of the vessel, but for their inflow.
std::vector<BodyOpening> openings_of(const Model& model, const Grid& grid);
/// Those of the case on this grid, away from openings; errors (usage) as of packed().
std::vector<Body> place(const RedCells& cells, const Model& model, const Grid& grid);

}  // namespace goban::blood
