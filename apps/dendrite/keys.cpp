#include "dendrite/keys.hpp"

#include <fmt/format.h>

#include "goban/io/case/place.hpp"

namespace goban::dendrite {
namespace {

constexpr double cells_of_width = 4;

void declare_alloy(CaseSchema& schema) {
  schema.section("alloy", "model = \"alloy\": a dilute binary alloy; the defaults are Al-Si");
  schema.key("alloy.composition", &Alloy::composition)
      .at_least(0)
      .doc("solute in the melt, percent by weight; 0: a pure melt");
  schema.key("alloy.melting_point", &Alloy::melting_point)
      .positive()
      .unit("K")
      .doc("melting point of the pure metal");
  schema.key("alloy.liquidus_slope", &Alloy::liquidus_slope)
      .at_least(0)
      .unit("K")
      .doc("temperature by which a percent of solute lowers the melting point");
  schema.key("alloy.partition", &Alloy::partition)
      .positive()
      .at_most(1)
      .doc("concentration of the solid over that of the melt beside it");
  schema.key("alloy.liquid_diffusivity", &Alloy::liquid_diffusivity)
      .positive()
      .unit("m2/s")
      .doc("diffusivity of the solute in the melt");
  schema.key("alloy.solid_diffusivity", &Alloy::solid_diffusivity)
      .at_least(0)
      .unit("m2/s")
      .doc("diffusivity of the solute in the solid");
  schema.key("alloy.interface_energy", &Alloy::interface_energy)
      .positive()
      .unit("J/m2")
      .doc("energy of a flat interface");
  schema.key("alloy.entropy", &Alloy::entropy)
      .positive()
      .unit("J/(m3 K)")
      .doc("entropy of fusion, per volume");
  schema.key("alloy.kinetic_coefficient", &Alloy::kinetic_coefficient)
      .positive()
      .unit("m/(s K)")
      .doc("speed of a flat interface of the pure metal per undercooling");
  schema.key("alloy.anisotropy", &Alloy::anisotropy)
      .at_least(0)
      .less_than(1.0 / 15)
      .doc("anisotropy of the interface energy; from 1/15 on, directions would be missing");
  schema.key("alloy.width", &Alloy::width)
      .positive()
      .unit("m")
      .optional()
      .doc("width of the interface, from 0.1 to 0.9 of the solid; default: 4 cells");
  schema.key("alloy.noise", &Alloy::noise)
      .at_least(0)
      .unit("K")
      .doc("amplitude of random noise on the undercooling");
}

void declare_temperature(CaseSchema& schema) {
  schema.section("temperature",
                 "model = \"alloy\": given, along the growth axis (z; y of one layer)");
  schema.key("temperature.undercooling", &Alloy::undercooling)
      .unit("K")
      .doc("undercooling at the low end at the beginning, below the liquidus of the melt");
  schema.key("temperature.gradient", &Alloy::gradient)
      .unit("K/m")
      .doc("temperature gradient along the growth axis");
  schema.key("temperature.cooling_rate", &Alloy::cooling_rate)
      .unit("K/s")
      .doc("cooling rate everywhere");
  schema.real("temperature.pulling_speed")
      .unit("m/s")
      .optional()
      .doc(
          "speed of the isotherms, in place of a cooling rate, which is then gradient times speed");
}

void declare_thermal(CaseSchema& schema) {
  schema.section("thermal", "model = \"thermal\": a pure melt; the defaults are PFHub benchmark 3");
  schema.key("thermal.undercooling", &Thermal::undercooling)
      .positive()
      .less_than(1)
      .doc("dimensionless undercooling of the melt");
  schema.key("thermal.width", &Thermal::width)
      .positive()
      .unit("m")
      .doc("width W_0 of the interface");
  schema.key("thermal.relaxation_time", &Thermal::relaxation_time)
      .positive()
      .unit("s")
      .doc("time tau_0 of the interface");
  schema.key("thermal.diffusivity", &Thermal::diffusivity)
      .positive()
      .unit("m2/s")
      .doc("diffusivity of heat");
  schema.key("thermal.anisotropy", &Thermal::anisotropy)
      .at_least(0)
      .less_than(1.0 / 15)
      .doc("anisotropy of the interface energy; from 1/15 on, directions would be missing");
  schema.key("thermal.coupling", &Thermal::coupling)
      .positive()
      .optional()
      .doc("coupling lambda; default: D tau_0 / (47/75 W_0^2), an interface without kinetics");
  schema.key("thermal.noise", &Thermal::noise)
      .at_least(0)
      .doc("amplitude of random noise on the temperature");
}

void declare_nuclei(CaseSchema& schema) {
  CaseSchema& row = schema.tables("nucleus", "a solid body at the beginning");
  row.key("shape", &Nucleus::shape,
          {{"sphere", Nucleus::Shape::sphere}, {"layer", Nucleus::Shape::layer}})
      .doc("sphere: around a point; layer: below a height along the growth axis");
  row.key("center", &Nucleus::center)
      .optional()
      .unit("m")
      .doc("centre of a sphere; default: the middle of the grid");
  row.key("radius", &Nucleus::radius).optional().positive().unit("m").doc("radius of a sphere");
  row.key("height", &Nucleus::height).optional().unit("m").doc("height of a layer");
  schema.section("scattered", "nuclei at the low end of the growth axis; run.seed chooses where");
  schema.integer("scattered.count", 0).at_least(0).doc("number of nuclei");
  schema.real("scattered.radius").positive().unit("m").optional().doc("radius of each nucleus");
}

void declare_initial(CaseSchema& schema) {
  schema.section(
      "initial",
      "fields at the beginning from files: NPY, NRRD, TIFF, PNG, raw, as large as the grid");
  schema.path("initial.phase", "").doc("file of the order parameter, in place of nuclei");
  schema.path("initial.liquid_excess", "")
      .doc("model = \"alloy\": file of c_L - c_0, percent by weight; default: 0");
  schema.path("initial.temperature", "")
      .doc(
          "model = \"thermal\": file of the dimensionless temperature; default: "
          "-thermal.undercooling");
}

void read_initial(Model& model, const Case& values, bool is_alloy) {
  const std::string other = is_alloy ? "initial.liquid_excess" : "initial.temperature";
  const std::string refused = is_alloy ? "initial.temperature" : "initial.liquid_excess";
  if (!values.path(refused).empty()) {
    throw values.error(refused, refused + " is refused",
                       fmt::format("it belongs to model = \"{}\"", is_alloy ? "thermal" : "alloy"));
  }
  model.start_phase = image_of(values, "initial.phase");
  model.start_other = image_of(values, other);
  if (model.start_phase && !model.nuclei.empty()) {
    throw values.error("initial.phase", "nuclei are refused",
                       "initial.phase says where the solid is", "leave them or the file out");
  }
}

Nucleus read_nucleus(const Case& row, const Case& values) {
  Nucleus nucleus;
  nucleus.center = GridPlace(values).middle();
  nucleus = row.read(nucleus);
  require_key(row, nucleus.shape == Nucleus::Shape::layer ? "height" : "radius", "\"1 um\"");
  return nucleus;
}

Alloy read_alloy(const Case& values) {
  auto alloy = values.read<Alloy>();
  if (!values.has("alloy.width")) alloy.width = cells_of_width * values.real3("grid.spacing")[0];
  if (values.has("temperature.pulling_speed")) {
    if (values.given("temperature.cooling_rate")) {
      throw values.error("temperature.pulling_speed", "temperature.pulling_speed is refused",
                         "temperature.cooling_rate says it otherwise");
    }
    alloy.cooling_rate = alloy.gradient * values.real("temperature.pulling_speed");
  }
  return alloy;
}

Thermal read_thermal(const Case& values) {
  auto thermal = values.read<Thermal>();
  if (!values.has("thermal.coupling")) {
    thermal.coupling = Thermal::coupling_without_kinetics(thermal.diffusivity,
                                                          thermal.relaxation_time, thermal.width);
  }
  return thermal;
}

/// Keys of a model that is not this one's would do nothing.
void refuse_others(const Case& values, bool is_alloy) {
  for (const CaseKey& key : values.schema().keys()) {
    const std::string section = section_of(key.name());
    const bool is_of_alloys = section == "alloy" || section == "temperature";
    const bool is_other = is_alloy ? section == "thermal" : is_of_alloys;
    if (is_other && values.given(key.name())) {
      throw values.error(
          key.name(), key.name() + " is refused",
          fmt::format("it belongs to model = \"{}\"", is_alloy ? "thermal" : "alloy"));
    }
  }
}

BoundaryCondition read_boundary(const Case& values, const std::string& key) {
  return values.choice(key) == "periodic" ? periodic : mirror;
}

}  // namespace

void declare_keys(CaseSchema& schema) {
  declare_common(schema, {.precisions = {"float32", "float64"}, .layouts = {"ijk"}});
  schema
      .key("model", &Model::formulation,
           {{"alloy", Formulation::alloy}, {"thermal", Formulation::thermal}})
      .doc("alloy: solute at a given temperature; thermal: heat of a pure melt");
  declare_alloy(schema);
  declare_temperature(schema);
  declare_thermal(schema);
  declare_nuclei(schema);
  declare_initial(schema);
  schema.section("boundary", "mirror: nothing flows");
  for (const char* axis : {"x", "y", "z"}) {
    schema.choice(std::string("boundary.") + axis, {"mirror", "periodic"}, "mirror")
        .doc("condition on both sides of the axis");
  }
  schema.section("tip", "the highest point of the solid along the growth axis");
  schema.integer("tip.every", 100).at_least(1).doc("steps between searches for the tip");
  schema.real("tip.highest")
      .positive()
      .less_than(1)
      .optional()
      .doc(
          "highest place of the tip, as a share of the grid's length, from which on the frame "
          "moves with it by whole cells; default: the frame stands still");
  schema.section("scheme", "forward Euler");
  declare_stability(schema, 0.8);
}

Model read_model(const Case& values) {
  const Real3 spacing = values.real3("grid.spacing");
  if (spacing[1] != spacing[0] || spacing[2] != spacing[0]) {
    throw values.error("grid.spacing", "cells are not cubes",
                       "differences along diagonals are taken", "give one number");
  }
  auto model = values.read<Model>();
  const bool is_alloy = model.formulation == Formulation::alloy;
  refuse_others(values, is_alloy);
  is_alloy ? void(model.alloy = read_alloy(values)) : void(model.thermal = read_thermal(values));
  for (const Case& row : values.list("nucleus")) model.nuclei.push_back(read_nucleus(row, values));
  const Index count = values.integer("scattered.count");
  if ((count > 0) != values.has("scattered.radius")) {
    throw values.error(count > 0 ? "scattered.count" : "scattered.radius",
                       "scattered nuclei need a count and a radius", "one of them is missing");
  }
  if (count > 0) {
    const auto more =
        scattered(count, values.real("scattered.radius"), run_settings(values).seed,
                  values.integer3("grid.cells"), values.real3("grid.origin"), spacing[0]);
    model.nuclei.insert(model.nuclei.end(), more.begin(), more.end());
  }
  read_initial(model, values, is_alloy);
  if (model.nuclei.empty() && !model.start_phase) {
    throw values.error("model", "there is no nucleus", "nothing would ever grow",
                       "add a [[nucleus]] with a radius, or initial.phase");
  }
  model.boundary = {read_boundary(values, "boundary.x"), read_boundary(values, "boundary.y"),
                    read_boundary(values, "boundary.z")};
  return model;
}

}  // namespace goban::dendrite
