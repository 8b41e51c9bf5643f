#include "lbm/keys.hpp"

#include <cmath>

#include <fmt/format.h>

#include "goban/cases/side_keys.hpp"
#include "goban/io/case/place.hpp"
#include "goban/simulation/output/solid_forces.hpp"

namespace goban::lbm {
namespace {

constexpr Named<Edge> edge_names[] = {{"inflow", Edge::inflow},     {"moving", Edge::moving},
                                      {"outflow", Edge::outflow},   {"periodic", Edge::periodic},
                                      {"pressure", Edge::pressure}, {"wall", Edge::wall}};

/// Sides that fill a layer of cells.
GridLayers layers_of(const Case& values) {
  GridLayers layers{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string word = word_of_side(values.texts(key_of_sides(a))[side]);
      layers[a][side] = word == "periodic" || word == "wall" ? 0 : 1;
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
  const bool thins = model.rheology.kind != Rheology::Kind::newton;
  const bool has_viscosity = thins || values.has("flow.viscosity"),
             has_tau = values.has("scheme.tau");
  const auto viscosity = [&] {  // where it varies, that of fast shear
    return thins ? model.rheology.at(1e12, 0) : values.real("flow.viscosity");
  };
  if (!has_viscosity && !has_tau) {
    throw values.error("flow.viscosity", "the fluid has no viscosity",
                       "neither flow.viscosity nor scheme.tau is given",
                       "add viscosity = \"1e-6 m2/s\" under [flow]");
  }
  model.length_unit = h;
  if (has_viscosity && has_tau) {
    for (const char* key : {"time.dt", "scheme.lattice_speed"}) {
      if (values.given(key)) {
        throw values.error(key, std::string(key) + " is refused",
                           "flow.viscosity and scheme.tau give the time step", "leave one out");
      }
    }
    model.time_unit = (model.tau - 0.5) / 3 * h * h / viscosity();
    return;
  }
  model.time_unit = values.has("time.dt")
                        ? values.real("time.dt")
                        : values.real("scheme.lattice_speed") * h / values.real("flow.speed");
  if (!has_tau) {
    model.tau = 0.5 + 3 * viscosity() * model.time_unit / (h * h);
  }
}

/// What drives the flow, in lattice units.
void read_drive(Model& model, const Case& values) {
  const double speed = 1 / model.speed_unit();
  auto drive = values.read<Model::Drive>();
  drive.force = times(drive.force, model.time_unit * speed / model.density_unit);
  drive.wall_velocity = times(drive.wall_velocity, speed);
  drive.inflow_velocity = times(drive.inflow_velocity, speed);
  model.force = at(drive.force, 0);
  model.wall_velocity = at(drive.wall_velocity, 0);
  model.inflow_velocity = at(drive.inflow_velocity, 0);
  if (varies(drive.force) || varies(drive.wall_velocity) || varies(drive.inflow_velocity)) {
    model.drive = drive;
  }
}

/// What sides hold, as densities: p = (rho - 1) / 3 in lattice units.
void read_pressures(Model& model, const Case& values) {
  constexpr double most = 0.3;
  const double unit = model.density_unit * model.speed_unit() * model.speed_unit();
  const Sides<TimeValue> pressures = read_side_numbers(values, "pressure", "Pa");
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      TimeValue& excess = model.excess[a][side] = pressures[a][side].times(3 / unit);
      if (std::abs(excess.at(0)) <= most) continue;
      throw values.error(
          key_of_sides(a),
          fmt::format("a pressure of {:.3g} Pa is refused", excess.at(0) * unit / 3),
          fmt::format("it would change the density by {:.3g} %, and the fluid is to be nearly "
                      "incompressible",
                      100 * std::abs(excess.at(0))),
          "make scheme.lattice_speed (or time.dt) smaller; pressures count from that at rest");
    }
  }
}

/// Errors: of read_flow_planes(); one where no fluid is.
std::vector<FlowPlane> read_planes(const Case& values, const Model& model) {
  std::vector<FlowPlane> planes = read_flow_planes(values);
  for (std::size_t n = 0; n < planes.size(); ++n) {
    const auto axis = static_cast<std::size_t>(index_of(planes[n].axis));
    const auto is_driven = [&](std::size_t side) {
      const Edge edge = model.edges[axis][side];
      return edge == Edge::inflow || edge == Edge::moving;
    };
    const Index last = values.integer3("grid.cells")[axis] - 1;
    if ((planes[n].index == 0 && is_driven(0)) || (planes[n].index == last && is_driven(1))) {
      throw values.list("flow_rate")[n].error(
          "position", "the plane lies in the layer of cells of an inflow or a moving wall",
          "no fluid is there", "move it by a cell");
    }
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
  if (model.rheology.kind != Rheology::Kind::newton) {
    if (model.collision != Model::Collision::trt) {
      throw values.error("rheology.model", "a viscosity that varies is refused",
                         "it is made for the collision trt alone", "leave scheme.collision out");
    }
    if (values.given("flow.viscosity")) {
      throw values.error("flow.viscosity", "a second viscosity is refused", "[rheology] gives it",
                         "leave one out");
    }
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
                  .size_excludes = ", without the layers of sides that move or let fluid through"});
  schema.section("flow", "the fluid and its scale");
  schema.real("flow.viscosity")
      .positive()
      .unit("m2/s")
      .optional()
      .doc("kinematic viscosity; left out if scheme.tau gives it");
  schema.key("flow.density", &Model::density_unit).positive().unit("kg/m3").doc("density at rest");
  schema.real("flow.speed", 1.0)
      .positive()
      .unit("m/s")
      .doc("typical speed; it sets the time step, and coefficients of force refer to it");
  schema.key("flow.force", &Model::Drive::force).unit("N/m3").doc("force on the fluid, per volume");
  declare_area(schema);
  declare_rheology(schema);

  schema.section(
      "scheme",
      "lattice Boltzmann; the time step is that of scheme.lattice_speed unless time.dt, or "
      "viscosity and scheme.tau together, give it");
  schema
      .key("scheme.lattice", &Model::lattice,
           {{"D3Q19", Model::Lattice::d3q19}, {"D2Q9", Model::Lattice::d2q9}})
      .doc("set of velocities; D2Q9 for one layer");
  schema.choice("scheme.storage", {"two_sets", "in_place"}, "two_sets")
      .doc("storage of populations; in_place takes half the memory, if all cells are fluid");
  schema
      .key("scheme.collision", &Model::collision,
           {{"trt", Model::Collision::trt},
            {"bgk", Model::Collision::bgk},
            {"smagorinsky", Model::Collision::smagorinsky}})
      .doc("trt: two rates; bgk: one rate; smagorinsky: one rate with eddy viscosity");
  schema.real("scheme.lattice_speed", 0.1)
      .positive()
      .at_most(0.4)
      .doc("cells per step of flow.speed; errors of compressibility grow with its square");
  schema.key("scheme.tau", &Model::tau)
      .more_than(0.5)
      .optional()
      .doc("relaxation time in steps; it gives the viscosity or, if that is given, the time step");
  schema.key("scheme.magic", &Model::magic)
      .positive()
      .doc("trt: product (1/even - 1/2) (1/odd - 1/2) of the two rates");
  schema.key("scheme.smagorinsky", &Model::smagorinsky)
      .at_least(0)
      .doc("constant of the eddy viscosity");

  schema.section("boundary",
                 "each side: periodic, wall (at rest), moving (a wall), inflow, outflow (waves "
                 "leave), pressure P (held, in or out, P less that at rest); all but periodic and "
                 "wall fill the outermost layer of cells");
  declare_sides(schema,
                "low and high side, as [\"inflow\", \"outflow\"] or [\"pressure 2 Pa\", "
                "\"pressure 0\"]; pressures may be expressions of t",
                true);
  schema.key("boundary.wall_velocity", &Model::Drive::wall_velocity)
      .unit("m/s")
      .doc("velocity of moving sides");
  schema.key("boundary.inflow_velocity", &Model::Drive::inflow_velocity)
      .unit("m/s")
      .doc("velocity through inflow sides; of a parabolic profile the largest");
  schema
      .key("boundary.inflow_profile", &Model::parabolic_inflow,
           {{"uniform", false}, {"parabolic", true}})
      .doc("profile of inflows; parabolic: between the sides that are not periodic");

  schema.section("initial", "the flow at the beginning");
  schema
      .key("initial.state", &Model::start,
           {{"uniform", Model::Start::uniform},
            {"inflow", Model::Start::inflow},
            {"taylor_green", Model::Start::taylor_green}})
      .doc(
          "uniform: one velocity; inflow: that of the inflow; taylor_green: vortices over the "
          "whole grid");
  schema.key("initial.velocity", &Model::start_velocity)
      .unit("m/s")
      .doc("velocity; uniform: everywhere; taylor_green: the first number is the largest speed");
  for (const char* axis : {"x", "y", "z"}) {
    schema.path(std::string("initial.velocity_") + axis, "")
        .doc(
            "file of the velocity, m/s, as large as the grid, in place of that of "
            "initial.state: NPY, NRRD, TIFF, PNG, raw");
  }
  schema.path("initial.density", "").doc("file of the density, kg/m3, likewise");
  declare_solids(schema);
  declare_flow_planes(schema);
}

Model read_model(const Case& values) {
  auto model = values.read<Model>();
  model.rheology = read_rheology(values);
  read_units(model, values);
  model.edges = read_sides(values, edge_names, {"pressure"});
  read_pressures(model, values);
  read_drive(model, values);
  model.planes = read_planes(values, model);
  model.start_velocity = scaled(model.start_velocity, 1 / model.speed_unit());
  for (std::size_t a = 0; a < 3; ++a) {
    model.start_velocities[a] = image_of(values, std::string("initial.velocity_") + "xyz"[a]);
  }
  model.start_density = image_of(values, "initial.density");
  model.solids = read_solids(values);
  check(values, model);
  return model;
}

}  // namespace goban::lbm
