#include "goban/cases/profile_keys.hpp"

#include <map>

#include "goban/io/case_names.hpp"

namespace goban {
namespace {

using Shape = Profile::Shape;

const std::map<std::string, Shape>& shapes() {
  static const std::map<std::string, Shape> all = {
      {"uniform", Shape::uniform},   {"box", Shape::box},   {"sphere", Shape::sphere},
      {"gaussian", Shape::gaussian}, {"mode", Shape::mode}, {"image", Shape::image}};
  return all;
}

}  // namespace

void declare_profile(CaseSchema& table, const std::vector<std::string>& allowed) {
  table.choice("shape", allowed).doc("where it acts");
  table.reals("center").length(3).unit("m").optional().doc(
      "of a sphere or a Gaussian; default: the middle of the grid");
  table.real("radius").positive().unit("m").optional().doc(
      "of a sphere; standard deviation of a Gaussian");
  table.reals("lower").length(3).unit("m").optional().doc(
      "corner of a box; default: the grid's lower corner");
  table.reals("upper").length(3).unit("m").optional().doc(
      "corner of a box; default: the grid's upper corner");
}

void declare_pattern(CaseSchema& table) {
  table.reals("waves", std::vector<double>{1, 1, 1})
      .length(3)
      .at_least(0)
      .doc("of a mode: periods over the grid along x, y, z, as [0.5, 1, 0]");
  table.texts("functions", std::vector<std::string>{"sine", "sine", "sine"})
      .length(3)
      .or_one_for_all()
      .doc("of a mode: sine or cosine along x, y, z, from the grid's lower corner");
  table.path("file", "")
      .doc("image: a number for every cell, NPY, raw or PNG, as large as the grid");
}

Profile read_profile(const Case& row, const Case& values) {
  Profile profile;
  profile.shape = shapes().at(row.choice("shape"));
  const Index3 cells = values.integer3("grid.cells");
  const Real3 spacing = values.real3("grid.spacing");
  profile.origin = profile.lower = values.real3("grid.origin");
  for (std::size_t a = 0; a < 3; ++a) {
    profile.length[a] = static_cast<double>(cells[a]) * spacing[a];
    profile.center[a] = profile.origin[a] + profile.length[a] / 2;
    profile.upper[a] = profile.origin[a] + profile.length[a];
  }
  if (row.has("center")) profile.center = row.real3("center");
  if (row.has("lower")) profile.lower = row.real3("lower");
  if (row.has("upper")) profile.upper = row.real3("upper");
  const bool round = profile.shape == Shape::sphere || profile.shape == Shape::gaussian;
  if (round && !row.has("radius")) {
    throw row.error("shape", "a " + row.choice("shape") + " has no radius", "",
                    "add radius = \"1 mm\" to its table");
  }
  if (row.has("radius")) profile.radius = row.real("radius");
  return profile;
}

void read_pattern(Profile& profile, const Case& row, const Case& values) {
  const bool is_image = profile.shape == Shape::image;
  if (is_image == row.path("file").empty()) {
    throw row.error(is_image ? "shape" : "file",
                    is_image ? "an image has no file" : "file is refused",
                    "shape = \"image\" and file = \"...\" belong together");
  }
  if (is_image) {
    profile.image = open_image(row.path("file"), {.extents = values.integer3("grid.cells")});
  }
  profile.waves = row.real3("waves");
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
