#include "goban/cases/flow_planes.hpp"

#include <cmath>

#include "goban/io/case/place.hpp"

namespace goban {

void declare_flow_planes(CaseSchema& schema) {
  CaseSchema& plane = schema.tables("flow_rate", "a plane whose flow is a column of the series");
  plane.key("name", &FlowPlane::name)
      .required()
      .in_file_name()
      .doc("name in the column flow_rate_<name>");
  plane.key("axis", &FlowPlane::axis, axis_names).doc("normal of the plane");
  plane.real("position").unit("m").doc("position of the plane, or of the cells in which it lies");
}

std::vector<FlowPlane> read_flow_planes(const Case& values) {
  std::vector<FlowPlane> planes;
  const GridPlace grid(values);
  for (const Case& row : values.list("flow_rate")) {
    auto plane = row.read<FlowPlane>();
    const auto axis = static_cast<std::size_t>(index_of(plane.axis));
    const double cell = std::floor((row.real("position") - grid.lower[axis]) / grid.spacing[axis]);
    plane.index = static_cast<Index>(cell);
    if (cell < 0 || plane.index >= grid.cells[axis]) {
      throw row.error("position", "the plane lies outside the grid",
                      "see grid.origin, grid.cells and grid.spacing");
    }
    planes.push_back(plane);
  }
  return planes;
}

}  // namespace goban
