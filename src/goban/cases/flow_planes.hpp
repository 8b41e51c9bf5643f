#pragma once
// Planes across an axis whose flow is a column of the series.

#include <string>
#include <vector>

#include "goban/io/case/file.hpp"

namespace goban {

struct FlowPlane {
  std::string name;
  Axis axis = Axis::x;
  Index index = 0;  ///< index of the cells it lies in
  bool operator==(const FlowPlane&) const = default;
};

/// [[flow_rate]].
void declare_flow_planes(CaseSchema& schema);
/// Error: a plane outside of the grid.
std::vector<FlowPlane> read_flow_planes(const Case& values);

}  // namespace goban
