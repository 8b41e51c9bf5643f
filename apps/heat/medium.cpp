#include "heat/medium.hpp"

#include <algorithm>

#include "goban/base/agreement.hpp"
#include "goban/cases/profile_rows.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"
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

double largest_conductivity(const Medium& medium, Communicator& ranks) {
  constexpr Index bytes_at_a_time = Index{4} << 20;
  double largest = medium.conductivity;
  for (const auto& inclusion : medium.inclusions) largest = std::max(largest, inclusion.amplitude);
  if (!medium.image) return largest;
  const auto boxes = blocks_of(medium.image->extents(), sizeof(double), bytes_at_a_time);
  const auto first_of = [&](int rank) {
    return boxes.size() * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks.size());
  };
  agree(ranks, [&] {
    for (std::size_t b = first_of(ranks.rank()); b < first_of(ranks.rank() + 1); ++b) {
      const Array part = medium.image->read(boxes[b]);
      for (const double k : part.as<double>()) largest = std::max(largest, k);
    }
  });
  return -minimum_of_ranks(ranks, -largest);
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

template class Conductances<float, ijk>;
template class Conductances<double, ijk>;
template class Conductances<half, ijk>;
template class Conductances<float, kij>;
template class Conductances<double, kij>;
template class Conductances<half, kij>;

}  // namespace goban::heat
