#include "goban/cases/profile.hpp"

#include <cmath>
#include <numbers>

#include "goban/io/case/names.hpp"
#include "goban/io/case/place.hpp"

namespace goban {
namespace {

using Shape = Profile::Shape;

constexpr Named<Shape> all_shapes[] = {{"uniform", Shape::uniform}, {"box", Shape::box},
                                       {"sphere", Shape::sphere},   {"gaussian", Shape::gaussian},
                                       {"mode", Shape::mode},       {"image", Shape::image}};

}  // namespace

double Profile::wave_at(std::size_t axis, double coordinate) const {
  if (waves[axis] == 0) return 1;
  const double phase =
      2 * std::numbers::pi * (waves[axis] * (coordinate - origin[axis]) / length[axis]);
  return is_cosine[axis] ? std::cos(phase) : std::sin(phase);
}

double Profile::shape_at(Position position) const {
  const Real3 p = {position.x, position.y, position.z};
  double value = 1;
  double distance = 0;  // squared
  for (std::size_t a = 0; a < 3; ++a) {
    distance += (p[a] - center[a]) * (p[a] - center[a]);
    if (shape == Shape::box && (p[a] < lower[a] || p[a] >= upper[a])) return 0;
    if (shape == Shape::mode) value *= wave_at(a, p[a]);
  }
  if (shape == Shape::sphere) return distance <= radius * radius ? value : 0;
  if (shape == Shape::gaussian) return value * std::exp(-distance / (2 * radius * radius));
  return value;
}

void declare_profile(CaseSchema& table, const std::vector<std::string>& allowed) {
  table.key("shape", &Profile::shape, all_shapes).only(allowed).required().doc("where it acts");
  declare_place<Profile>(table, "a sphere or a Gaussian",
                         "of a sphere; standard deviation of a Gaussian", "corner of a box");
}

void declare_pattern(CaseSchema& table) {
  table.key("waves", &Profile::waves)
      .at_least(0)
      .doc("of a mode: periods over the grid along x, y, z, as [0.5, 1, 0]; 0 along one cell");
  table.texts("functions", std::vector<std::string>{"sine", "sine", "sine"})
      .length(3)
      .or_one_for_all()
      .doc("of a mode: sine or cosine along x, y, z, from the grid's lower corner");
  table.path("file", "")
      .doc("image: a number for every cell, NPY, raw or PNG, as large as the grid");
}

Profile read_profile(const Case& row, const Case& values) {
  auto profile = read_placed<Profile>(row, values);
  const GridPlace grid(values);
  profile.origin = grid.lower;
  for (std::size_t a = 0; a < 3; ++a) {
    profile.length[a] = static_cast<double>(grid.cells[a]) * grid.spacing[a];
  }
  const bool round = profile.shape == Shape::sphere || profile.shape == Shape::gaussian;
  if (round) require_key(row, "radius", "\"1 mm\"");
  const bool is_empty =
      (profile.shape == Shape::sphere &&
       !grid.has_centers_within(profile.radius, profile.center)) ||
      (profile.shape == Shape::box && !grid.has_centers_between(profile.lower, profile.upper));
  if (is_empty) {
    throw row.error("shape", "the " + row.choice("shape") + " is refused",
                    "the centre of no cell lies within it, so that it would do nothing",
                    "see grid.origin, grid.cells and grid.spacing");
  }
  return profile;
}

void read_pattern(Profile& profile, const Case& row, const Case& values) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (values.integer3("grid.cells")[a] > 1) continue;
    if (row.given("waves") && profile.waves[a] != 0) {
      throw row.error("waves", "waves along an axis of one cell are refused",
                      "nothing varies along it", "give 0 there");
    }
    profile.waves[a] = 0;
  }
  const bool is_image = profile.shape == Shape::image;
  if (is_image == row.path("file").empty()) {
    throw row.error(is_image ? "shape" : "file",
                    is_image ? "an image has no file" : "file is refused",
                    "shape = \"image\" and file = \"...\" belong together");
  }
  if (is_image) {
    profile.image = open_image(row.path("file"), {.extents = values.integer3("grid.cells")});
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string& function = row.texts("functions")[a];
    if (function != "sine" && function != "cosine") {
      throw row.error("functions", "unknown function " + function,
                      "the functions are sine and cosine",
                      did_you_mean(nearest_name(function, {"sine", "cosine"})));
    }
    profile.is_cosine[a] = function == "cosine";
  }
}

}  // namespace goban
