#include "blood/red_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "goban/base/error.hpp"
#include "goban/geometry/vector.hpp"
#include "goban/particle/packing.hpp"

namespace goban::blood {
namespace {

/// Turns the third axis of a shape into a direction.
Quaternion turning_to(const Real3& axis) {
  using namespace vectors;
  const Real3 to = direction(axis), across = cross({0, 0, 1}, to);
  const double sine = norm(across);
  if (sine < 1e-12) return {1, 0, 0, 0};
  return rotation_by(std::atan2(sine, to[2]) / sine * across);
}

}  // namespace

void declare_red_cells(CaseSchema& schema) {
  schema.section("cells", "red cells, ellipsoids that the fluid carries; or [[cell]]s one by one");
  schema.key("cells.hematocrit", &RedCells::hematocrit)
      .between(0, 1)
      .doc("share of the vessel's volume that cells fill, at random places; 0: no cells");
  schema.key("cells.diameter", &RedCells::diameter).positive().unit("m").doc("diameter of a cell");
  schema.key("cells.thickness", &RedCells::thickness)
      .positive()
      .unit("m")
      .doc("thickness of a cell");
  schema.key("cells.density", &RedCells::density).positive().unit("kg/m3").doc("density of a cell");
  schema.key("cells.seed", &RedCells::seed).at_least(0).doc("seed of the random places");
  schema.real("cells.repulsion")
      .at_least(0)
      .unit("J")
      .optional()
      .doc("energy that keeps cells apart; default: 0.05 viscosity flow.speed diameter^2");
  schema.real("cells.wall_force")
      .at_least(0)
      .unit("N")
      .optional()
      .doc(
          "force of the wall on a cell, for the whole cell inside it; default: 200 viscosity "
          "flow.speed diameter");
  CaseSchema& row = schema.tables("cell", "a red cell");
  row.key("position", &RedCells::Placed::position).required().unit("m").doc("centre of the cell");
  row.key("axis", &RedCells::Placed::axis)
      .doc("vector along which the cell is thin, of any length");
}

RedCells read_red_cells(const Case& values) {
  RedCells cells = values.read<RedCells>();
  for (const Case& row : values.list("cell")) {
    cells.placed.push_back(row.read<RedCells::Placed>());
    if (vectors::norm(cells.placed.back().axis) > 0) continue;
    throw row.error("axis", "a cell has no direction", "its axis is 0", "give a direction");
  }
  if (cells.hematocrit > 0 && !cells.placed.empty()) {
    throw values.error("cells.hematocrit", "red cells are placed twice", "there are [[cell]]s, too",
                       "leave one of them out");
  }
  const double speed = values.real("flow.speed");
  const double shear =
      values.real("flow.density") * values.real("flow.viscosity") * speed * cells.diameter;
  cells.repulsion = values.has("cells.repulsion") ? values.real("cells.repulsion")
                                                  : 0.05 * shear * cells.diameter;
  cells.wall_force = values.has("cells.wall_force") ? values.real("cells.wall_force") : 200 * shear;
  return cells;
}

BodyShape shape_of(const RedCells& cells, const Model& model) {
  const double radius = cells.diameter / 2 / model.length_unit;
  BodyShape shape;
  shape.semi_axes = {radius, radius, cells.thickness / 2 / model.length_unit};
  shape.density = cells.density / model.density_unit;
  return in_fluid(shape, model.viscosity());
}

BodyOptions options_of(const RedCells& cells, const Model& model) {
  const double h = model.length_unit, force = model.pressure_unit() * h * h;
  return {.shapes = {shape_of(cells, model)},
          .repulsion = {.strength = cells.repulsion / (force * h)},
          .wall_strength = cells.wall_force / force};
}

std::vector<BodyOpening> openings_of(const Model& model, const Grid& grid) {
  const device::BodyKernel kernel = shape_of(model.cells, model).kernel();
  const double reach = 2 * *std::max_element(kernel.width, kernel.width + 3) + 1;
  std::vector<BodyOpening> openings;
  for (const FlowOpening& here : model.openings) {
    openings.push_back({.normal = here.normal,
                        .radius = here.radius / model.length_unit,
                        .depth = std::max(reach, here.sponge / model.length_unit),
                        .inflow = {}});
    for (std::size_t a = 0; a < 3; ++a) {
      openings.back().center[a] = (here.center[a] - grid.origin()[a]) / model.length_unit;
    }
  }
  return openings;
}

std::vector<Body> place(const RedCells& cells, const Model& model, const Grid& grid) {
  const std::vector<BodyOpening> openings = openings_of(model, grid);
  const auto is_at_an_opening = [&](const Body& body) {
    const double at[3] = {body.position[0], body.position[1], body.position[2]};
    return std::any_of(openings.begin(), openings.end(), [&](const BodyOpening& opening) {
      return opening.distance(at) < opening.depth;
    });
  };
  std::vector<Body> bodies;
  if (cells.hematocrit > 0) {
    bodies =
        packed(grid, shape_of(cells, model),
               {.hematocrit = cells.hematocrit, .seed = static_cast<std::uint64_t>(cells.seed)});
    std::erase_if(bodies, is_at_an_opening);
    return bodies;
  }
  for (const RedCells::Placed& one : cells.placed) {
    Body body{.quaternion = turning_to(one.axis)};
    for (std::size_t a = 0; a < 3; ++a) {
      body.position[a] = (one.position[a] - grid.origin()[a]) / model.length_unit;
    }
    require(!is_at_an_opening(body), "a [[cell]] at an opening is refused",
            fmt::format("at ({:.4g}, {:.4g}, {:.4g}) it would leave at once", one.position[0],
                        one.position[1], one.position[2]),
            "place it further inside");
    bodies.push_back(body);
  }
  return bodies;
}

}  // namespace goban::blood
