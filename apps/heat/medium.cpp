#include "heat/medium.hpp"

#include "goban/goban.hpp"
#include "heat/stencils.hpp"

namespace goban::heat {

BoundarySet closed(const BoundarySet& boundary) {
  BoundarySet ends = boundary;
  for (auto& axis : ends.sides) {
    for (auto& side : axis) {
      if (side.kind != periodic_kind) side = mirror;
    }
  }
  return ends;
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
  const GridState& state = *grid.state();
  conductivity.fill(
      [&](Index3 cell) { return model.medium.at(cell, state.position(cell, Location::cell)); });
  Program join("join");
  join.apply(Join{scale}, in(conductivity), out(x), out(y), out(z));
  StepClock clock;
  Engine(join).run(1, clock);
}

template class Conductances<float, ijk>;
template class Conductances<double, ijk>;
template class Conductances<half, ijk>;
template class Conductances<float, kij>;
template class Conductances<double, kij>;
template class Conductances<half, kij>;

}  // namespace goban::heat
