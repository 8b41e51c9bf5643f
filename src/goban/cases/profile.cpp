#include "goban/cases/profile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "goban/cases/periodic_place.hpp"
#include "goban/cases/side_keys.hpp"
#include "goban/cases/surface.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/case/place.hpp"

namespace goban {
namespace {

using Shape = Profile::Shape;

constexpr Named<Shape> all_shapes[] = {{"uniform", Shape::uniform},   {"box", Shape::box},
                                       {"sphere", Shape::sphere},     {"cylinder", Shape::cylinder},
                                       {"gaussian", Shape::gaussian}, {"mode", Shape::mode},
                                       {"image", Shape::image},       {"stl", Shape::stl}};

bool is_of_file(Shape shape) { return shape == Shape::image || shape == Shape::stl; }

/// The shape has no end, or the centre of a cell lies within it.
bool has_cells(const Profile& profile, const GridPlace& grid) {
  Real3 lower = grid.lower, upper = grid.upper, center = profile.center;
  const auto along = static_cast<std::size_t>(index_of(profile.axis));
  std::array<bool, 3> wraps{};
  for (std::size_t a = 0; a < 3; ++a) wraps[a] = profile.period[a] > 0;
  switch (profile.shape) {
    case Shape::box: return grid.has_centers_between(profile.lower, profile.upper, wraps);
    case Shape::sphere: return grid.has_centers_within(profile.radius, center, wraps);
    case Shape::cylinder:
      lower[along] = profile.lower[along];
      upper[along] = profile.upper[along];
      center[along] = grid.lower[along] + grid.spacing[along] / 2;
      return grid.has_centers_between(lower, upper, wraps) &&
             grid.has_centers_within(profile.radius, center, wraps);
    default: return true;
  }
}

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
    const bool is_along = shape == Shape::cylinder && static_cast<int>(a) == index_of(axis);
    const bool has_ends = shape == Shape::box || is_along;
    if (has_ends && !lies_between(lower[a], p[a], upper[a], period[a])) return 0;
    const double offset = offset_from(center[a], p[a], period[a]);
    if (!is_along) distance += offset * offset;
    if (shape == Shape::mode) value *= wave_at(a, p[a]);
  }
  if (shape == Shape::sphere || shape == Shape::cylinder)
    return distance <= radius * radius ? value : 0;
  if (shape == Shape::gaussian) return value * std::exp(-distance / (2 * radius * radius));
  return value;
}

bool Profile::wraps() const {
  const bool is_cylinder = shape == Shape::cylinder;
  if (shape != Shape::box && shape != Shape::sphere && !is_cylinder) return false;
  for (std::size_t a = 0; a < 3; ++a) {
    const bool has_ends =
        shape == Shape::box || (is_cylinder && static_cast<int>(a) == index_of(axis));
    const double low = has_ends ? lower[a] : center[a] - radius;
    const double high = has_ends ? upper[a] : center[a] + radius;
    if (period[a] > 0 && (low < origin[a] || high > origin[a] + length[a])) return true;
  }
  return false;
}

void declare_profile(CaseSchema& table, const std::vector<std::string>& allowed) {
  const auto has = [&](const char* name) {
    return std::find(allowed.begin(), allowed.end(), name) != allowed.end();
  };
  table.key("shape", &Profile::shape, all_shapes)
      .only(allowed)
      .required()
      .doc("shape of the place in which it acts");
  const std::string solid = has("cylinder") ? "a sphere or a cylinder" : "a sphere";
  const std::string round = !has("gaussian")  ? solid
                            : has("cylinder") ? "a sphere, a cylinder or a Gaussian"
                                              : "a sphere or a Gaussian";
  declare_place<Profile>(
      table, round,
      "radius of " + solid + (has("gaussian") ? "; standard deviation of a Gaussian" : ""),
      has("cylinder") ? "corner of a box, end of a cylinder" : "corner of a box");
  if (has("cylinder")) table.key("axis", &Profile::axis, axis_names).doc("axis of a cylinder");
  std::string files = has("stl") ? "stl: a closed surface; cells with their centre inside" : "";
  if (has("image")) {
    files = "image: a number for every cell, NPY, NRRD, TIFF, PNG, raw, as large as the grid" +
            (files.empty() ? "" : "; " + files);
  }
  if (!files.empty()) table.path("file", "").doc(files);
  if (has("stl")) declare_surface(table);
}

void declare_pattern(CaseSchema& table) {
  table.key("waves", &Profile::waves)
      .at_least(0)
      .doc(
          "mode: periods over the grid along x, y, z, as [0.5, 1, 0]; 0 along an axis of one cell");
  table.texts("functions", std::vector<std::string>{"sine", "sine", "sine"})
      .length(3)
      .or_one_for_all()
      .doc("mode: sine or cosine along x, y, z, from the grid's lower corner");
}

Profile read_profile(const Case& row, const Case& values) {
  auto profile = read_placed<Profile>(row, values);
  const GridPlace grid(values);
  profile.origin = grid.lower;
  for (std::size_t a = 0; a < 3; ++a) {
    profile.length[a] = static_cast<double>(grid.cells[a]) * grid.spacing[a];
  }
  profile.period = periods(values);
  const bool round = profile.shape == Shape::sphere || profile.shape == Shape::cylinder ||
                     profile.shape == Shape::gaussian;
  if (round) require_key(row, "radius", "\"1 mm\"");
  const std::string file = row.path("file");
  if (is_of_file(profile.shape) == file.empty()) {
    throw row.error(file.empty() ? "shape" : "file",
                    file.empty() ? "the shape has no file" : "file is refused",
                    "shape = \"image\" or \"stl\" and file = \"...\" belong together");
  }
  if (profile.shape == Shape::image) profile.image = open_image(file, {.extents = grid.cells});
  if (profile.shape == Shape::stl) {
    profile.image = read_surface(row, values, file).inside;
  } else if (row.schema().find("scale") != nullptr) {
    refuse_surface_keys(row);
  }
  if (!has_cells(profile, grid)) {
    const Error nothing = row.error("shape", "the " + row.choice("shape") + " does nothing",
                                    "the centre of no cell lies within it",
                                    "see grid.origin, grid.cells and grid.spacing");
    values.warn(nothing.what());
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
