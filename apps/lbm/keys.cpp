#include "lbm/keys.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "goban/io/case_names.hpp"
#include "goban/io/image_source.hpp"
#include "goban/io/voxelize.hpp"

namespace goban::lbm {
namespace {

const std::map<std::string, Edge>& edge_names() {
  static const std::map<std::string, Edge> all = {{"periodic", Edge::periodic},
                                                  {"wall", Edge::wall},
                                                  {"moving", Edge::moving},
                                                  {"inflow", Edge::inflow},
                                                  {"outflow", Edge::outflow}};
  return all;
}

void declare_obstacles(CaseSchema& schema) {
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

std::vector<std::shared_ptr<ImageSource>> read_solids(const Case& values) {
  const Index3 cells = values.integer3("grid.cells");
  std::vector<std::shared_ptr<ImageSource>> solids;
  if (!values.path("solid.image").empty()) {
    solids.push_back(open_image(values.path("solid.image"), {.extents = cells}));
  }
  if (!values.path("solid.stl").empty()) {
    solids.push_back(voxelize(read_stl(values.path("solid.stl")), values.real3("grid.origin"),
                              values.real3("grid.spacing"), cells));
  }
  return solids;
}

void read_edges(Model& model, const Case& values) {
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string key = std::string("boundary.") + "xyz"[a];
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string& word = values.texts(key)[side];
      const auto found = edge_names().find(word);
      if (found == edge_names().end()) {
        std::vector<std::string> words;
        for (const auto& [name, edge] : edge_names()) words.push_back(name);
        throw values.error(key, "unknown boundary condition " + word,
                           "the conditions are " + joined(words),
                           did_you_mean(nearest_name(word, words)));
      }
      model.edges[a][side] = found->second;
    }
    if ((model.edges[a][0] == Edge::periodic) != (model.edges[a][1] == Edge::periodic)) {
      throw values.error(key, "one side alone is periodic", "what leaves must enter somewhere",
                         "make both sides periodic or none");
    }
  }
}

/// Sides that fill a layer of cells.
GridLayers layers_of(const Case& values) {
  GridLayers layers{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string& word = values.texts(std::string("boundary.") + "xyz"[a])[side];
      layers[a][side] = word == "moving" || word == "inflow" || word == "outflow" ? 1 : 0;
    }
  }
  return layers;
}

Real3 scaled(Real3 v, double by) { return {v[0] * by, v[1] * by, v[2] * by}; }

/// Units of length, time and density, and the relaxation time.
void read_units(Model& model, const Case& values) {
  const Real3 spacing = values.real3("grid.spacing");
  if (spacing[1] != spacing[0] || spacing[2] != spacing[0]) {
    throw values.error("grid.spacing", "cells are not cubes", "populations stream along diagonals",
                       "give one number");
  }
  const double h = spacing[0];
  const bool has_viscosity = values.has("flow.viscosity"), has_tau = values.has("scheme.tau");
  if (!has_viscosity && !has_tau) {
    throw values.error("flow.viscosity", "the fluid has no viscosity",
                       "neither flow.viscosity nor scheme.tau is given",
                       "add viscosity = \"1e-6 m2/s\" under [flow]");
  }
  model.length_unit = h;
  model.density_unit = values.real("flow.density");
  if (has_viscosity && has_tau) {
    for (const char* key : {"time.dt", "scheme.lattice_speed"}) {
      if (values.given(key)) {
        throw values.error(key, std::string(key) + " is refused",
                           "flow.viscosity and scheme.tau give the time step", "leave one out");
      }
    }
    model.tau = values.real("scheme.tau");
    model.time_unit = (model.tau - 0.5) / 3 * h * h / values.real("flow.viscosity");
    return;
  }
  model.time_unit = values.has("time.dt")
                        ? values.real("time.dt")
                        : values.real("scheme.lattice_speed") * h / values.real("flow.speed");
  model.tau = has_tau ? values.real("scheme.tau")
                      : 0.5 + 3 * values.real("flow.viscosity") * model.time_unit / (h * h);
}

/// What drives the flow, in lattice units.
void read_drive(Model& model, const Case& values) {
  const double speed = 1 / model.speed_unit();
  const Model::Drive drive{
      times(values.varying3("flow.force"), model.time_unit * speed / model.density_unit),
      times(values.varying3("boundary.wall_velocity"), speed),
      times(values.varying3("boundary.inflow_velocity"), speed)};
  model.force = at(drive.force, 0);
  model.wall_velocity = at(drive.wall_velocity, 0);
  model.inflow_velocity = at(drive.inflow_velocity, 0);
  if (varies(drive.force) || varies(drive.wall_velocity) || varies(drive.inflow_velocity)) {
    model.drive = drive;
  }
}

/// The planes of cells in which these positions lie.
std::vector<Plane> read_planes(const Case& values) {
  std::vector<Plane> planes;
  for (const Case& row : values.list("flow_rate")) {
    Plane plane;
    plane.name = row.text("name");
    const auto axis = static_cast<std::size_t>(row.choice("axis")[0] - 'x');
    plane.axis = all_axes[axis];
    const double h = values.real3("grid.spacing")[axis];
    const double cell = std::floor((row.real("position") - values.real3("grid.origin")[axis]) / h);
    plane.index = static_cast<Index>(cell);
    if (cell < 0 || plane.index >= values.integer3("grid.cells")[axis]) {
      throw row.error("position", "the plane lies outside the grid",
                      "see grid.origin, grid.cells and grid.spacing");
    }
    planes.push_back(plane);
  }
  return planes;
}

void check(const Case& values, const Model& model) {
  if (values.choice("run.precision") == "half" && values.choice("run.layout") != "ijk") {
    throw values.error("run.layout", "half precision is not kept in layout kij",
                       "it is made for ijk alone");
  }
  if (model.lattice == Model::Lattice::d2q9 &&
      (values.integer3("grid.cells")[2] != 1 || model.edges[2][0] != Edge::periodic)) {
    throw values.error("scheme.lattice", "D2Q9 is refused",
                       "a flow in the plane has one cell along z, periodic",
                       "set grid.cells = [..., ..., 1] or scheme.lattice = \"D3Q19\"");
  }
  if (values.choice("scheme.storage") == "in_place") {
    if (!model.is_all_fluid()) {
      throw values.error("scheme.storage", "walls are refused in place",
                         "what bounces is read twice, in a step that reads everything once",
                         "leave scheme.storage out");
    }
    if (model.lattice != Model::Lattice::d3q19 || values.choice("run.layout") != "ijk") {
      throw values.error("scheme.storage", "in place is refused",
                         "it is made for D3Q19 in layout ijk alone", "leave scheme.storage out");
    }
  }
  const double speed = values.real("flow.speed") / model.speed_unit();
  if (speed > 0.4) {
    throw values.error("flow.speed", fmt::format("{:.3g} cells per step is refused", speed),
                       "the scheme holds far below the speed of sound, 0.577",
                       "make time.dt smaller or leave it out");
  }
}

}  // namespace

void declare_keys(CaseSchema& schema) {
  declare_common(schema,
                 {.precisions = {"float32", "float64", "half"},
                  .layers = &layers_of,
                  .size_excludes = ", without the layers of moving sides, inflows and outflows"});
  schema.section("flow", "the fluid and its scale");
  schema.real("flow.viscosity")
      .positive()
      .unit("m2/s")
      .optional()
      .doc("kinematic; left out where scheme.tau gives it");
  schema.real("flow.density", 1.0).positive().unit("kg/m3").doc("at rest");
  schema.real("flow.speed", 1.0)
      .positive()
      .unit("m/s")
      .doc("typical speed: sets the time step, and coefficients of force refer to it");
  schema.reals("flow.force", std::vector<double>{0, 0, 0})
      .length(3)
      .unit("N/m3")
      .may_vary()
      .doc("on the fluid, per volume");
  schema.real("flow.area")
      .positive()
      .unit("m2")
      .optional()
      .doc("for coefficients of force; default: the shadow of all obstacles along x");

  schema.section(
      "scheme",
      "lattice Boltzmann; the time step is that of scheme.lattice_speed unless time.dt, or "
      "viscosity and scheme.tau together, give it");
  schema.choice("scheme.lattice", {"D3Q19", "D2Q9"}, "D3Q19").doc("velocities; D2Q9 for one layer");
  schema.choice("scheme.storage", {"two_sets", "in_place"}, "two_sets")
      .doc("of populations; in place takes half the memory, where all is fluid");
  schema.choice("scheme.collision", {"trt", "bgk", "smagorinsky"}, "trt")
      .doc("two rates; one rate; one rate with eddy viscosity");
  schema.real("scheme.lattice_speed", 0.1)
      .positive()
      .at_most(0.4)
      .doc("cells per step of flow.speed; errors of compressibility grow with its square");
  schema.real("scheme.tau")
      .more_than(0.5)
      .optional()
      .doc("relaxation time, in steps: gives the viscosity, or with a viscosity the time step");
  schema.real("scheme.magic", 3.0 / 16).positive().doc("trt: (1/even - 1/2) (1/odd - 1/2)");
  schema.real("scheme.smagorinsky", 0.1).at_least(0).doc("constant of the eddy viscosity");

  schema.section("boundary",
                 "each side: periodic, wall (at rest), moving (a wall), inflow, outflow; moving, "
                 "inflow and outflow fill the outermost layer of cells");
  for (const char* axis : {"x", "y", "z"}) {
    schema.texts(std::string("boundary.") + axis, std::vector<std::string>{"periodic", "periodic"})
        .length(2)
        .or_one_for_all()
        .doc("low and high side, as [\"inflow\", \"outflow\"]");
  }
  schema.reals("boundary.wall_velocity", std::vector<double>{0, 0, 0})
      .length(3)
      .unit("m/s")
      .may_vary()
      .doc("of moving sides");
  schema.reals("boundary.inflow_velocity", std::vector<double>{0, 0, 0})
      .length(3)
      .unit("m/s")
      .may_vary()
      .doc("through inflow sides; of a parabolic profile the largest");
  schema.choice("boundary.inflow_profile", {"uniform", "parabolic"}, "uniform")
      .doc("parabolic: between the sides that are not periodic");

  schema.section("initial", "the flow at the beginning");
  schema.choice("initial.state", {"uniform", "inflow", "taylor_green"}, "uniform")
      .doc("one velocity; that of the inflow; vortices over the whole grid");
  schema.reals("initial.velocity", std::vector<double>{0, 0, 0})
      .length(3)
      .unit("m/s")
      .doc("uniform: everywhere; taylor_green: the first number is the largest speed");
  for (const char* axis : {"x", "y", "z"}) {
    schema.path(std::string("initial.velocity_") + axis, "")
        .doc("m/s, instead of that of initial.state: NPY, raw or PNG, as large as the grid");
  }
  schema.path("initial.density", "").doc("kg/m3, likewise");
  declare_obstacles(schema);
  CaseSchema& plane = schema.tables("flow_rate", "a plane whose flow is a column of the series");
  plane.text("name").in_file_name().doc("of the column, flow_rate_<name>");
  plane.choice("axis", {"x", "y", "z"}, "x").doc("across which it lies");
  plane.real("position").unit("m").doc("of the plane; of the cells it lies in");
}

Model read_model(const Case& values) {
  Model model;
  model.lattice =
      values.choice("scheme.lattice") == "D2Q9" ? Model::Lattice::d2q9 : Model::Lattice::d3q19;
  const std::string& collision = values.choice("scheme.collision");
  model.collision = collision == "bgk"   ? Model::Collision::bgk
                    : collision == "trt" ? Model::Collision::trt
                                         : Model::Collision::smagorinsky;
  model.magic = values.real("scheme.magic");
  model.smagorinsky = values.real("scheme.smagorinsky");
  read_units(model, values);
  read_edges(model, values);
  read_drive(model, values);
  model.planes = read_planes(values);
  model.parabolic_inflow = values.choice("boundary.inflow_profile") == "parabolic";
  const std::string& state = values.choice("initial.state");
  model.start = state == "inflow"         ? Model::Start::inflow
                : state == "taylor_green" ? Model::Start::taylor_green
                                          : Model::Start::uniform;
  model.start_velocity = scaled(values.real3("initial.velocity"), 1 / model.speed_unit());
  const auto open_field = [&](const std::string& key) -> std::shared_ptr<ImageSource> {
    if (values.path(key).empty()) return nullptr;
    return open_image(values.path(key), {.extents = values.integer3("grid.cells")});
  };
  for (std::size_t a = 0; a < 3; ++a) {
    model.start_velocities[a] = open_field(std::string("initial.velocity_") + "xyz"[a]);
  }
  model.start_density = open_field("initial.density");
  for (const Case& row : values.list("obstacle")) model.bodies.push_back(read_body(row, values));
  model.solids = read_solids(values);
  check(values, model);
  return model;
}

}  // namespace goban::lbm
