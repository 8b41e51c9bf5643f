#pragma once
// How conductances are filled: for the parts, as every precision and layout has its own.

#include <algorithm>

#include "goban/cases/profile_rows.hpp"
#include "goban/goban.hpp"
#include "heat/medium.hpp"
#include "heat/stencils.hpp"

namespace goban::heat {

template <class T, class Layout>
Conductances<T, Layout>::Conductances(Grid& grid, const Model& model, Real3 scale)
    : conductivity(grid, "conductivity"),
      x(grid, "conductance_x", {.location = Location::face_x}),
      y(grid, "conductance_y", {.location = Location::face_y}),
      z(grid, "conductance_z", {.location = Location::face_z}) {
  const BoundarySet ends = closed(model.boundary);
  conductivity.boundary(ends);
  for (auto* faces : {&x, &y, &z}) faces->boundary(ends);
  const Medium& medium = model.medium;
  ImageWindow image(medium.image);
  const ProfileRows inclusions(medium.inclusions, Layout::order[0]);
  const auto value = [&](const CellRow& row, double* values) {
    std::fill_n(values, row.count, medium.conductivity);
    for (Index i = 0; image && i < row.count; ++i) values[i] = image.at(row.index(i));
    inclusions.paint(row, values);
  };
  conductivity.fill(value, image.prepare());
  Program join("join");
  join.apply(Join{scale}, in(conductivity), out(x), out(y), out(z));
  StepClock clock;
  Engine(join).run(1, clock);
}

}  // namespace goban::heat
