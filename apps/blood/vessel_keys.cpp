#include "blood/vessel_keys.hpp"

#include <fmt/format.h>

#include <memory>

#include "goban/cases/surface.hpp"
#include "goban/geometry/caps.hpp"
#include "goban/geometry/center_lines.hpp"
#include "goban/geometry/vector.hpp"
#include "goban/io/case/place.hpp"
#include "goban/io/case/table.hpp"
#include "goban/io/image/closed_surface.hpp"
#include "goban/io/image/voxelize.hpp"

namespace goban::blood {
namespace {

CellPlace place_of(const Case& values) {
  const GridPlace grid(values);
  CellPlace place{grid.lower, grid.spacing[0], grid.cells};
  if (const auto axis = periodic_axis(values)) {
    place.is_periodic[static_cast<std::size_t>(index_of(*axis))] = true;
  }
  return place;
}

/// Vessels along lines that lie on the grid.
VesselSource along(CenterLines lines, const CellPlace& place) {
  VesselSource source;
  source.openings = lines.openings;
  if (lines.segments.size() == 1) {
    const VesselSegment& only = lines.segments.front();
    source.pipe_radius = only.begin_radius == only.end_radius ? only.begin_radius : 0;
    source.pipe_length = vectors::norm(vectors::operator-(only.end, only.begin));
  }
  lines.segments = repeated(lines.segments, place);
  source.make = [segments = std::move(lines.segments),
                 place](const std::vector<Opening>& openings) {
    return make_vessel(cells_of(segments, place), *wall_of(segments, place), place, openings);
  };
  return source;
}

CenterLines read_segments(const Case& values) {
  CenterLines lines;
  for (const Case& row : values.list("segment")) {
    auto segment = row.read<VesselSegment>();
    if (!row.given("end_radius")) segment.end_radius = segment.begin_radius;
    lines.segments.push_back(segment);
  }
  return lines;
}

/// Rows are points, each hanging on an earlier one, 0 for a first one.
CenterLines read_center_lines(const Case& values) {
  const std::filesystem::path file = values.path("vessel.center_lines");
  const UserTable table = read_table(file);
  const auto column = [&](Index n, const char* unit) { return table.in(n, unit); };
  const double scale = values.real("vessel.scale");
  const std::vector<double> axes[3] = {column(0, ""), column(1, ""), column(2, "")};
  const std::vector<double> radii = column(3, ""), parents = column(4, "");
  const auto point = [&](std::size_t n) {
    return Real3{scale * axes[0][n], scale * axes[1][n], scale * axes[2][n]};
  };
  CenterLines lines;
  std::vector<std::vector<std::size_t>> beside(radii.size());
  for (std::size_t n = 0; n < radii.size(); ++n) {
    const double parent = parents[n];
    if (parent == 0) continue;
    if (!(parent >= 1) || parent > static_cast<double>(n) || parent != std::floor(parent)) {
      throw Error(ExitCode::files,
                  fmt::format("row {} of {} hangs on no earlier one", n + 1, file.string()),
                  fmt::format("its parent is {}", parent),
                  "parents are numbers of rows above, 0 for a first point");
    }
    const auto p = static_cast<std::size_t>(parent) - 1;
    lines.segments.push_back({point(p), point(n), scale * radii[p], scale * radii[n]});
    beside[p].push_back(n);
    beside[n].push_back(p);
  }
  using namespace vectors;
  for (std::size_t n = 0; n < radii.size(); ++n) {
    if (beside[n].size() != 1) continue;
    lines.openings.push_back({fmt::format("end_{}", n + 1), point(n),
                              direction(point(n) - point(beside[n][0])), scale * radii[n]});
  }
  return lines;
}

/// Triangles in m.
TriangleMesh read_scaled(const Case& values) {
  TriangleMesh mesh = read_stl(values.path("vessel.stl"));
  const double scale = values.real("vessel.scale");
  const Real3 shift = values.real3("vessel.shift");
  for (Triangle& triangle : mesh.triangles) {
    for (Corner& corner : triangle) {
      for (std::size_t a = 0; a < 3; ++a)
        corner[a] = static_cast<float>(corner[a] * scale + shift[a]);
    }
  }
  return mesh;
}

VesselSource inside_surface(const Case& values, const CellPlace& place) {
  VesselSource source;
  source.make = [mesh = read_scaled(values), place](const std::vector<Opening>& openings) {
    const TriangleMesh whole = closed(with_caps(mesh, openings));
    const double h = place.spacing;
    const auto inside = voxelize(whole, place.origin, {h, h, h}, place.cells);
    return make_vessel(goban::cells_of(*inside), *wall_of(whole, place), place, openings);
  };
  return source;
}

VesselSource inside_image(const Case& values, const CellPlace& place) {
  VesselSource source;
  source.make = [image = image_of(values, "vessel.image"),
                 place](const std::vector<Opening>& openings) {
    return make_vessel(goban::cells_of(*image), HalfwayWall{}, place, openings);
  };
  return source;
}

}  // namespace

std::optional<Axis> periodic_axis(const Case& values) {
  const std::string& axis = values.choice("vessel.periodic");
  if (axis == "none") return {};
  return all_axes[static_cast<std::size_t>(axis[0] - 'x')];
}

void declare_vessel(CaseSchema& schema) {
  schema.section("vessel", "the inside of the vessel, from a file; or give [tree] or [[segment]]s");
  schema.path("vessel.stl", "").doc("surface of the vessel, open or closed at the [[opening]]s");
  schema.path("vessel.image", "")
      .doc(
          "image as large as the grid, whose cells other than 0 are the vessel: NPY, NRRD, "
          "TIFF, PNG, raw");
  schema.path("vessel.center_lines", "")
      .doc(
          "table of points: x, y, z, radius, number of the row to which the point is joined, "
          "0 for none; ends are the openings end_<row>");
  schema.choice("vessel.periodic", {"none", "x", "y", "z"}, "none")
      .doc("axis along which the grid is periodic; segments repeat");
  declare_surface(schema, "vessel.");
  schema.section("tree", "vessels that branch in two by Murray's law; openings inlet, outlet_<n>");
  schema.key("tree.radius", &VesselTree::radius)
      .positive()
      .unit("m")
      .optional()
      .doc("radius of the first vessel; if it is given there is a tree");
  schema.key("tree.root", &VesselTree::root).unit("m").doc("point at which the tree begins");
  schema.key("tree.along", &VesselTree::along).doc("direction of the first vessel");
  schema.key("tree.across", &VesselTree::across).doc("vector in the plane of the first branching");
  schema.key("tree.length_ratio", &VesselTree::length_ratio)
      .positive()
      .doc("length of a vessel over its radius");
  schema.key("tree.asymmetry", &VesselTree::asymmetry)
      .positive()
      .at_most(1)
      .doc("radius of the smaller daughter over the larger's");
  schema.key("tree.generations", &VesselTree::generations)
      .between(1, 12)
      .doc("number of generations of vessels; 2: a bifurcation");
  CaseSchema& row = schema.tables("segment", "a round vessel, as wide at an end as a sphere there");
  row.key("begin", &VesselSegment::begin).unit("m").doc("beginning of the segment's axis");
  row.key("end", &VesselSegment::end).unit("m").doc("end of the segment's axis");
  row.key("radius", &VesselSegment::begin_radius)
      .required()
      .positive()
      .unit("m")
      .doc("radius at the beginning");
  row.key("end_radius", &VesselSegment::end_radius)
      .positive()
      .unit("m")
      .optional()
      .doc("radius at the end; default: radius");
  row.key("ends", &VesselSegment::is_flat, {{"round", false}, {"flat", true}})
      .doc("shape of the ends: half spheres (round), or planes across the axis (flat)");
}

VesselSource read_vessel(const Case& values) {
  const CellPlace place = place_of(values);
  std::vector<std::string> given;
  for (const char* key : {"vessel.stl", "vessel.image", "vessel.center_lines"}) {
    if (!values.path(key).empty()) given.emplace_back(key);
  }
  if (values.given("tree.radius")) given.emplace_back("tree.radius");
  if (!values.list("segment").empty()) given.emplace_back("segment");
  require(!given.empty(), "the case has no vessel",
          "none of vessel.stl, vessel.image, vessel.center_lines, tree.radius and [[segment]] is "
          "given",
          "give one of them");
  require(given.size() == 1, "the case has several vessels",
          fmt::format("{} and {} are given", given.front(), given.back()), "give one of them");
  if (given[0] == "vessel.stl") return inside_surface(values, place);
  if (given[0] != "vessel.center_lines") refuse_surface_keys(values, "vessel.");
  if (given[0] == "vessel.image") return inside_image(values, place);
  if (given[0] == "vessel.center_lines") return along(read_center_lines(values), place);
  if (given[0] == "tree.radius") return along(grow(values.read<VesselTree>()), place);
  return along(read_segments(values), place);
}

}  // namespace goban::blood
