#include "flow/keys.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "goban/cases/profile.hpp"
#include "goban/io/case/names.hpp"
#include "goban/simulation/application/from_case.hpp"
#include "goban/simulation/output/solid_forces.hpp"

namespace goban::flow {
namespace {

constexpr Named<Edge> edge_names[] = {{"inflow", Edge::inflow},     {"moving", Edge::moving},
                                      {"outflow", Edge::outflow},   {"periodic", Edge::periodic},
                                      {"pressure", Edge::pressure}, {"slip", Edge::slip},
                                      {"wall", Edge::wall}};

/// "inflow 0.2 m/s", "pressure 3 Pa".
void read_side_values(Model& model, const Case& values) {
  model.edges = read_sides(values, edge_names, {"inflow", "pressure"});
  model.side_pressure = read_side_numbers(values, "pressure", "Pa");
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (model.edges[a][side] != Edge::inflow) continue;
      model.inflow_speed[a][side] = read_side_number(values, a, side, "m/s");
    }
  }
}

/// Reads a source of the scalar that the row names.
Source read_source(const Case& row, const Case& values, const Model& model) {
  auto source = row.read<Source>();
  std::vector<std::string> names;
  for (const Scalar& scalar : model.scalars) names.push_back(scalar.name);
  const std::string& name = row.text("field");
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw row.error("field", "unknown scalar " + name,
                    names.empty() ? "there is no [[scalar]]" : "the scalars are " + joined(names),
                    did_you_mean(nearest_name(name, names)));
  }
  source.scalar = static_cast<std::size_t>(found - names.begin());
  source.shape = read_profile(row, values);
  return source;
}

Scalar read_scalar(const Case& row, const Model& model) {
  auto scalar = row.read<Scalar>();
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string key(1, "xyz"[a]);
    const bool wraps = model.edges[a][0] == Edge::periodic;
    if (!row.has(key)) {
      scalar.boundary.sides[a].fill(wraps ? periodic : mirror);
      continue;
    }
    scalar.boundary.sides[a] = read_conditions(row, key, "K");
    if ((scalar.boundary.sides[a][0].kind == periodic_kind) != wraps) {
      throw row.error(key, "the sides of " + scalar.name + " are refused",
                      std::string("boundary.") + key + " is " + (wraps ? "" : "not ") + "periodic",
                      "leave them out or make both alike");
    }
  }
  return scalar;
}

Term read_term(const Case& row, const Case& values, const Model& model) {
  Term term{.field = row.text("field")};
  std::vector<std::string> fields;
  for (int a = 0; a < model.dimensions; ++a) fields.push_back(std::string("velocity_") + "xyz"[a]);
  const std::size_t velocities = fields.size();
  for (const Scalar& scalar : model.scalars) fields.push_back(scalar.name);
  const auto at = std::find(fields.begin(), fields.end(), term.field);
  if (at == fields.end()) {
    throw row.error("field", "unknown field " + term.field, "the fields are " + joined(fields),
                    did_you_mean(nearest_name(term.field, fields)));
  }
  const bool is_velocity = at - fields.begin() < static_cast<std::ptrdiff_t>(velocities);
  const std::string& shape = row.choice("shape");
  term.is_inflow = shape == "inflow";
  if ((term.is_inflow && !is_velocity) || (shape == "image" && is_velocity)) {
    throw row.error("shape", shape + " is refused",
                    is_velocity ? "an image has a number for every cell, velocities lie on faces"
                                : "only velocities are those of an inflow");
  }
  const std::string unit = is_velocity ? "m/s" : "K";
  if (!row.unit("value").empty() && row.unit("value") != unit) {
    throw row.error("value", "the value of " + term.field + " is refused", "it is in " + unit,
                    "write its unit or none");
  }
  if (term.is_inflow && model.has_several_inflows()) {
    throw row.error("shape", "inflow is refused", "inflow sides have velocities of their own",
                    "give the initial velocity by another shape");
  }
  if (term.is_inflow) return term;
  term.profile = read_profile(row, values);
  read_pattern(term.profile, row, values);
  return term;
}

/// Columns end at walls, between which cells are all alike.
std::optional<Axis> read_implicit_axis(const Model& model, const Case& values) {
  const std::string& word = values.choice("scheme.implicit_diffusion");
  if (word == "none") return {};
  const Axis axis = word == "y" ? Axis::y : Axis::z;
  const auto a = static_cast<std::size_t>(index_of(axis));
  const auto refuse = [&](bool is_refused, const std::string& why) {
    if (is_refused) {
      throw values.error("scheme.implicit_diffusion",
                         "implicit diffusion along " + word + " is refused", why,
                         "set scheme.implicit_diffusion to none");
    }
  };
  refuse(model.edges[a][0] == Edge::periodic, "the grid is periodic along it");
  refuse(model.has_types() || model.has(Edge::pressure),
         "there are solids, inflows, outflows or sides that hold a pressure");
  refuse(model.has(Edge::moving) && varies(model.wall_velocity), "the velocity of walls varies");
  for (const Scalar& scalar : model.scalars) {
    refuse(scalar.boundary.is_timed(), "a side of " + scalar.name + " varies");
  }
  return axis;
}

/// Where the time step comes from.
void read_time(Model& model, const Case& values) {
  model.implicit_axis = read_implicit_axis(model, values);
  const double usual = model.scheme == TimeScheme::rk3 ? 1.2 : 0.4;
  model.courant = values.has("scheme.courant") ? values.real("scheme.courant") : usual;
  const double most = largest_courant_number(model.scheme);
  if (model.courant > most) {
    throw values.error("scheme.courant",
                       fmt::format("a Courant number of {} is refused", model.courant),
                       fmt::format("the scheme holds up to {:.3g}", most));
  }
  const Real3 spacing = values.real3("grid.spacing");
  if (values.has("time.dt")) {
    model.dt = stable_time_step(values, model.largest_diffusive_step(spacing));
  }
}

/// The largest that a side has, unless the case names one.
double typical_speed(const Model& model, const Case& values) {
  if (values.has("flow.speed")) return values.real("flow.speed");
  double square = 0;
  const auto count = [&](Edge edge, const Real3& v) {
    if (model.has(edge)) square = std::max(square, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  };
  count(Edge::moving, at(model.wall_velocity, 0));
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (model.edges[a][side] == Edge::inflow) count(Edge::inflow, at(model.inflow(a, side), 0));
    }
  }
  return std::sqrt(square);
}

void check(const Case& values, const Model& model) {
  for (std::size_t a = 0; a < 3; ++a) {
    const bool moves = model.edges[a][0] == Edge::moving || model.edges[a][1] == Edge::moving;
    const TimeValue& across = model.wall_velocity[a];
    if (moves && (across.varies() || across.at(0) != 0)) {
      throw values.error("boundary.wall_velocity", "boundary.wall_velocity is refused",
                         std::string("sides across ") + "xyz"[a] + " move, along themselves",
                         "make its component across them 0");
    }
    const Index cells = values.integer3("grid.cells")[a];
    if (a < static_cast<std::size_t>(model.dimensions) && cells < 4) {
      throw values.error("grid.cells",
                         fmt::format("{} cells along {} are too few", cells, "xyz"[a]),
                         "4 are the least; a flow in the plane has one cell along z, periodic");
    }
  }
  if (model.friction_velocity > 0 &&
      (model.smagorinsky == 0 || !(model.has(Edge::wall) || model.has(Edge::moving)))) {
    throw values.error("flow.friction_velocity", "flow.friction_velocity has nothing to do",
                       model.smagorinsky == 0 ? "flow.smagorinsky is 0" : "no side is a wall",
                       "leave it out");
  }
  const TimeValue3 nothing{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (model.edges[a][side] != Edge::inflow || model.inflow(a, side) != nothing) continue;
      throw values.error("boundary.inflow_velocity", "nothing enters",
                         "a side is an inflow, its velocity is 0",
                         "give boundary.inflow_velocity, or the side's own as \"inflow 0.2 m/s\"");
    }
  }
  for (std::size_t a = 0; a < 3 && model.has(Edge::pressure); ++a) {
    if (!model.has(Edge::outflow, a)) continue;
    throw values.error(key_of_sides(a),
                       "outflow sides are refused beside sides that hold a pressure",
                       "through those flows what the pressure drives, through outflows what enters",
                       "make all of them \"pressure\"");
  }
  for (const Scalar& scalar : model.scalars) {
    const auto same = [&](const Scalar& other) { return other.name == scalar.name; };
    if (std::count_if(model.scalars.begin(), model.scalars.end(), same) > 1) {
      throw values.error("scalar", "two scalars are called " + scalar.name,
                         "names tell them apart");
    }
    if (scalar.expansion != 0 && model.gravity == Real3{}) {
      throw values.error("flow.gravity", scalar.name + " has an expansion but nothing weighs",
                         "flow.gravity is 0", "give flow.gravity or leave expansion out");
    }
  }
}

}  // namespace

void declare_keys(CaseSchema& schema) {
  declare_common(schema, {.precisions = {"float64", "float32"}, .layouts = {"ijk"}});
  schema.section("flow", "the fluid; with one cell along z, periodic, in the plane of x and y");
  schema.key("flow.viscosity", &Model::viscosity)
      .required()
      .positive()
      .unit("m2/s")
      .doc("kinematic viscosity");
  schema.key("flow.density", &Model::density)
      .positive()
      .unit("kg/m3")
      .doc("density, for pressures and forces");
  schema.key("flow.smagorinsky", &Model::smagorinsky)
      .at_least(0)
      .doc(
          "C of the subgrid viscosity (C delta)^2 |S|, delta^3 the volume of a cell; usual: 0.1 "
          "near walls to 0.17; 0: no subgrid viscosity");
  schema.key("flow.friction_velocity", &Model::friction_velocity)
      .at_least(0)
      .unit("m/s")
      .doc(
          "friction velocity u in y+ = y u / viscosity, by which the subgrid viscosity is damped "
          "near walls; 0: no damping");
  schema.key("flow.turbulent_prandtl", &Model::turbulent_prandtl)
      .positive()
      .doc("subgrid viscosity over subgrid diffusivity of scalars");
  schema.key("flow.force", &Model::acceleration).unit("N/m3").doc("force on the fluid, per volume");
  schema.key("flow.gravity", &Model::gravity)
      .unit("m/s2")
      .doc(
          "gravity, which lifts fluid that scalars make lighter; the pressure is without the "
          "weight at rest");
  schema.real("flow.speed")
      .at_least(0)
      .unit("m/s")
      .optional()
      .doc(
          "typical speed: Courant numbers count at least this, coefficients of force refer to it; "
          "default: the largest of moving sides and inflows");
  declare_area(schema);

  schema.section("boundary",
                 "each side: periodic, wall (at rest), slip, moving (a wall), inflow or inflow V "
                 "(m/s, across the side into the grid), outflow, pressure P (Pa)");
  declare_sides(schema,
                "low and high side, as [\"inflow\", \"outflow\"] or [\"pressure 2 Pa\", "
                "\"pressure 0\"]; values may be expressions of t",
                true);
  schema.key("boundary.wall_velocity", &Model::wall_velocity)
      .unit("m/s")
      .doc("velocity of moving sides, along them");
  schema.key("boundary.inflow_velocity", &Model::inflow_velocity)
      .unit("m/s")
      .doc(
          "velocity through inflow sides that have none of their own; of a parabolic profile the "
          "largest");
  schema
      .key("boundary.inflow_profile", &Model::parabolic_inflow,
           {{"uniform", false}, {"parabolic", true}})
      .doc("profile of inflows; parabolic: between the sides that are not periodic");

  CaseSchema& scalar =
      schema.tables("scalar", "a scalar that the fluid carries, such as temperature or salt");
  scalar.key("name", &Scalar::name).in_file_name().doc("name of the scalar's field");
  scalar.key("diffusivity", &Scalar::diffusivity)
      .required()
      .at_least(0)
      .unit("m2/s")
      .doc("diffusivity of the scalar");
  scalar.key("expansion", &Scalar::expansion)
      .unit("1/K")
      .doc("relative decrease of the density when the scalar grows by 1");
  scalar.key("reference", &Scalar::reference)
      .unit("K")
      .doc("value of the scalar at which the fluid has its density");
  for (const char* axis : {"x", "y", "z"}) {
    scalar.texts(axis).length(2).or_one_for_all().may_vary().optional().doc(
        "low and high side: mirror (nothing goes through), wall_value T, constant T (beyond "
        "the face), gradient G (outward); default: mirror, or periodic as the flow");
  }
  CaseSchema& initial =
      schema.tables("initial", "a term of the initial values of a field; terms add up");
  initial.text("field").doc(
      "field that the term is added to: velocity_x, velocity_y, velocity_z or a scalar");
  declare_profile(initial, {"uniform", "box", "sphere", "gaussian", "mode", "image", "inflow"});
  initial.key("value", &Profile::amplitude)
      .unit("m/s")
      .or_unit("K")
      .doc("height of the term; for an image the factor of its numbers");
  declare_pattern(initial);
  CaseSchema& source = schema.tables("source", "a source of a scalar; sources add up");
  source.text("field", "temperature").doc("scalar that the source feeds");
  declare_profile(source, {"uniform", "box", "sphere", "cylinder", "gaussian", "stl"});
  source.key("value", &Source::value)
      .required()
      .unit("K/s")
      .doc("strength of the source, per time");
  declare_solids(schema);
  declare_flow_planes(schema);

  schema.section("scheme",
                 "central differences on a staggered grid; the time step is chosen in "
                 "every step unless time.dt gives it");
  schema.key("scheme.time", &Model::scheme, {{"ab2", TimeScheme::ab2}, {"rk3", TimeScheme::rk3}})
      .doc(
          "ab2: Adams-Bashforth of order 2; rk3: Runge-Kutta of order 3, with three pressures a "
          "step");
  schema.real("scheme.courant")
      .positive()
      .optional()
      .doc("largest time step times sum |u|/h; default: 0.4 with ab2, 1.2 with rk3");
  schema.choice("scheme.implicit_diffusion", {"none", "y", "z"}, "none")
      .doc(
          "axis along which diffusion is implicit (Crank-Nicolson), between walls, so that it does "
          "not limit the time step");
  schema.key("scheme.stability", &Model::stability)
      .positive()
      .at_most(1)
      .doc("largest time step, as a share of the largest that is stable for diffusion");

  schema.section("output.spectrum",
                 "energy of the velocity by wave number, in a periodic box, by FFTW, as CSV");
  declare_schedule(schema, "output.spectrum", "s", false);
  declare_poisson(schema, "pressure",
                  "in every stage of a step; the pressure itself always in float64",
                  "largest |div u| that a stage may leave, over the largest sum |u| / h");
}

Model read_model(const Case& values) {
  auto model = values.read<Model>();
  read_side_values(model, values);
  const bool is_flat = values.integer3("grid.cells")[2] == 1 && model.edges[2][0] == Edge::periodic;
  model.dimensions = is_flat ? 2 : 3;
  model.acceleration = times(model.acceleration, 1 / model.density);
  for (const Case& row : values.list("scalar")) model.scalars.push_back(read_scalar(row, model));
  for (const Case& row : values.list("source")) {
    model.sources.push_back(read_source(row, values, model));
  }
  model.planes = read_flow_planes(values);
  for (const Case& row : values.list("initial")) {
    model.initial.push_back(read_term(row, values, model));
  }
  model.solids = read_solids(values);
  model.speed = typical_speed(model, values);
  read_time(model, values);
  model.pressure = read_poisson(values, "pressure", !model.solids.empty());
  check(values, model);
  return model;
}

}  // namespace goban::flow
