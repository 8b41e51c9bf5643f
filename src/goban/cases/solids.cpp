#include "goban/cases/solids.hpp"

#include <algorithm>
#include <map>

#include "goban/base/agreement.hpp"
#include "goban/io/voxelize.hpp"

namespace goban {
namespace {

Body read_body(const Case& row, const Case& values) {
  using Shape = Body::Shape;
  static const std::map<std::string, Shape> shapes = {
      {"box", Shape::box}, {"sphere", Shape::sphere}, {"cylinder", Shape::cylinder}};
  Body body;
  body.shape = shapes.at(row.choice("shape"));
  body.axis = all_axes[static_cast<std::size_t>(row.choice("axis")[0] - 'x')];
  const Index3 cells = values.integer3("grid.cells");
  const Real3 spacing = values.real3("grid.spacing");
  body.lower = values.real3("grid.origin");
  for (std::size_t a = 0; a < 3; ++a) {
    const double length = static_cast<double>(cells[a]) * spacing[a];
    body.center[a] = body.lower[a] + length / 2;
    body.upper[a] = body.lower[a] + length;
  }
  if (row.has("center")) body.center = row.real3("center");
  if (row.has("lower")) body.lower = row.real3("lower");
  if (row.has("upper")) body.upper = row.real3("upper");
  if (body.shape != Shape::box && !row.has("radius")) {
    throw row.error("shape", "a " + row.choice("shape") + " has no radius", "",
                    "add radius = \"1 mm\" to its table");
  }
  if (row.has("radius")) body.radius = row.real("radius");
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
  row.choice("shape", {"box", "sphere", "cylinder"}).doc("what it is");
  row.reals("center").length(3).unit("m").optional().doc(
      "of a sphere or a cylinder; default: the middle of the grid");
  row.real("radius").positive().unit("m").optional().doc("of a sphere or a cylinder");
  row.choice("axis", {"x", "y", "z"}, "z").doc("of a cylinder");
  row.reals("lower").length(3).unit("m").optional().doc(
      "corner of a box, end of a cylinder; default: the grid's lower corner");
  row.reals("upper").length(3).unit("m").optional().doc(
      "corner of a box, end of a cylinder; default: the grid's upper corner");
  schema.section("solid", "bodies at rest from files");
  schema.path("solid.image", "")
      .doc("solid cells, not 0: raw, NPY, PNG or a folder of PNG, as large as the grid");
  schema.path("solid.stl", "").doc("a closed surface, in m; cells with their centre inside");
}

Solids read_solids(const Case& values) {
  const Index3 cells = values.integer3("grid.cells");
  Solids solids;
  for (const Case& row : values.list("obstacle")) solids.bodies.push_back(read_body(row, values));
  if (!values.path("solid.image").empty()) {
    solids.images.push_back(open_image(values.path("solid.image"), {.extents = cells}));
  }
  if (!values.path("solid.stl").empty()) {
    solids.images.push_back(voxelize(read_stl(values.path("solid.stl")),
                                     values.real3("grid.origin"), values.real3("grid.spacing"),
                                     cells));
  }
  return solids;
}

}  // namespace goban
