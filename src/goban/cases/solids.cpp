#include "goban/cases/solids.hpp"

#include <algorithm>

#include "goban/base/agreement.hpp"
#include "goban/io/case/place.hpp"
#include "goban/io/image/voxelize.hpp"

namespace goban {
namespace {

Body read_body(const Case& row, const Case& values) {
  const auto body = read_placed<Body>(row, values);
  if (body.shape != Body::Shape::box) require_key(row, "radius", "\"1 mm\"");
  return body;
}

}  // namespace

bool Body::contains(Position position) const {
  const Real3 p = {position.x, position.y, position.z};
  const auto along = static_cast<std::size_t>(index_of(axis));
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const bool is_bounded = shape == Shape::box || (shape == Shape::cylinder && a == along);
    if (is_bounded && (p[a] < lower[a] || p[a] >= upper[a])) return false;
    if (!is_bounded) square += (p[a] - center[a]) * (p[a] - center[a]);
  }
  return square <= radius * radius;
}

bool SolidCells::covers(Index3 cell, Position center) const {
  return std::any_of(images_.begin(), images_.end(),
                     [&](const ImageWindow& image) { return image.at(cell) != 0; }) ||
         std::any_of(bodies_.begin(), bodies_.end(),
                     [&](const Body& body) { return body.contains(center); });
}

void SolidCells::show(const Box& box) {
  for (ImageWindow& image : images_) image.show(box);
}

BoxFunction SolidCells::prepare() {
  if (images_.empty()) return nullptr;
  return [this](const Box& box) { show(box); };
}

double shadow(const Solids& solids, const GridState& grid) {
  Communicator& ranks = *grid.context->communicator();
  const Index3& n = grid.cells;
  std::array<std::uint64_t, 1> hidden{};
  agree(ranks, [&] {
    SolidCells solid(solids);
    Index3 cell;
    for (cell[2] = ranks.rank(); cell[2] < n[2]; cell[2] += ranks.size()) {
      solid.show({{0, 0, cell[2]}, {n[0], n[1], cell[2] + 1}});
      for (cell[1] = 0; cell[1] < n[1]; ++cell[1]) {
        const auto covers = [&](Index x) {
          const Index3 at{x, cell[1], cell[2]};
          return solid.covers(at, grid.position(at, Location::cell));
        };
        Index x = 0;
        while (x < n[0] && !covers(x)) ++x;
        if (x < n[0]) ++hidden[0];
      }
    }
  });
  ranks.sum(hidden);
  return grid.spacing[1] * grid.spacing[2] * static_cast<double>(hidden[0]);
}

void declare_solids(CaseSchema& schema) {
  CaseSchema& row = schema.tables("obstacle", "a body at rest; the force on all of them is found");
  row.key("shape", &Body::shape,
          {{"box", Body::Shape::box},
           {"sphere", Body::Shape::sphere},
           {"cylinder", Body::Shape::cylinder}})
      .required()
      .doc("what it is");
  declare_place<Body>(row, "a sphere or a cylinder", "of a sphere or a cylinder",
                      "corner of a box, end of a cylinder");
  row.key("axis", &Body::axis, axis_names).doc("of a cylinder");
  schema.section("solid", "bodies at rest from files");
  schema.path("solid.image", "")
      .doc("solid cells, not 0: raw, NPY, PNG or a folder of PNG, as large as the grid");
  schema.path("solid.stl", "").doc("a closed surface, in m; cells with their centre inside");
}

Solids read_solids(const Case& values) {
  Solids solids;
  for (const Case& row : values.list("obstacle")) solids.bodies.push_back(read_body(row, values));
  if (auto image = image_of(values, "solid.image")) solids.images.push_back(std::move(image));
  if (!values.path("solid.stl").empty()) {
    const GridPlace grid(values);
    solids.images.push_back(
        voxelize(read_stl(values.path("solid.stl")), grid.lower, grid.spacing, grid.cells));
  }
  return solids;
}

}  // namespace goban
