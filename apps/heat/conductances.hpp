#pragma once
// How conductances are filled.

#include <algorithm>

#include "goban/cases/profile_rows.hpp"
#include "goban/goban.hpp"
#include "heat/medium.hpp"
#include "heat/stencils.hpp"

namespace goban::heat {

/// Sets a field to what `make` makes of a number of the medium in every cell: that of the matrix or
/// of an image, then of the bodies.
template <class T, class Layout, class Make>
void fill_with_medium(Field<T, 1, Layout>& field, double matrix,
                      const std::shared_ptr<ImageSource>& of_cells,
                      const std::vector<Profile>& bodies, const Make& make) {
  ImageWindow image(of_cells);
  ProfileRows rows(bodies, Layout::order[0]);
  const auto value = [&](const CellRow& row, double* values) {
    std::fill_n(values, row.count, matrix);
    for (Index i = 0; image && i < row.count; ++i) values[i] = image.at(row.index(i));
    rows.paint(row, values);
    for (Index i = 0; i < row.count; ++i) values[i] = make(values[i]);
  };
  const BoxFunction of_image = image.prepare(), of_bodies = rows.prepare();
  const auto show = [&](const Box& box) {
    if (of_image) of_image(box);
    if (of_bodies) of_bodies(box);
  };
  field.fill(value, of_image || of_bodies ? BoxFunction(show) : nullptr);
}

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
  fill_with_medium(conductivity, medium.conductivity, medium.image, medium.inclusions,
                   [](double k) { return k; });
  Program join("join");
  join.apply(Join::with(scale, model.convection, grid), site, in(conductivity), out(x), out(y),
             out(z));
  StepClock clock;
  Engine(join).run(1, clock);
}

}  // namespace goban::heat
