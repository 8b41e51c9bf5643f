#include "blood/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blood/red_cells.hpp"
#include "blood/vessel_keys.hpp"
#include "goban/io/case/place.hpp"

namespace goban::blood {
namespace {

/// Values of an opening, one of which its kind asks for.
struct OpeningValues {
  TimeValue speed, flow, pressure;
};

constexpr Named<FlowOpening::Kind> kind_names[] = {{"velocity", FlowOpening::Kind::velocity},
                                                   {"flow", FlowOpening::Kind::flow},
                                                   {"pressure", FlowOpening::Kind::pressure},
                                                   {"windkessel", FlowOpening::Kind::windkessel}};

constexpr Named<Relaxation> relaxation_names[] = {{"two_rates", Relaxation::two_rates},
                                                  {"regularized", Relaxation::regularized}};

void declare_openings(CaseSchema& schema) {
  CaseSchema& row =
      schema.tables("opening", "an opening through which fluid enters or leaves, at any angle");
  row.key("name", &Opening::name)
      .required()
      .doc(
          "name of the opening, in the columns flow_<name> and pressure_<name>; for openings of a "
          "tree, * at its end stands for anything");
  row.key("kind", &FlowOpening::kind, kind_names)
      .doc(
          "quantity that is given: speed, flow or pressure, or proximal, distal and compliance of "
          "a windkessel");
  row.key("center", &Opening::center)
      .unit("m")
      .optional()
      .doc("centre of the opening's disc; left out for openings of a tree or of centre lines");
  row.key("normal", &Opening::normal).doc("vector out of the fluid, of any length");
  row.key("radius", &Opening::radius).at_least(0).unit("m").doc("radius of the opening's disc");
  row.key("speed", &OpeningValues::speed)
      .unit("m/s")
      .doc("velocity: speed into the vessel; of a parabolic profile the largest");
  row.key("flow", &OpeningValues::flow).unit("m3/s").doc("flow: flow rate into the vessel");
  row.key("pressure", &OpeningValues::pressure)
      .unit("Pa")
      .doc("pressure: pressure that is held at the opening");
  row.key("profile", &FlowOpening::is_parabolic, {{"parabolic", true}, {"flat", false}})
      .doc("velocity and flow: profile over the disc");
  row.key("proximal", &FlowOpening::proximal)
      .at_least(0)
      .unit("Pa s/m3")
      .doc("windkessel: resistance before the compliance");
  row.key("distal", &FlowOpening::distal)
      .at_least(0)
      .unit("Pa s/m3")
      .doc("windkessel: resistance behind the compliance");
  row.key("compliance", &FlowOpening::compliance)
      .at_least(0)
      .unit("m3/Pa")
      .doc("windkessel: compliance");
  row.key("start", &FlowOpening::start).unit("Pa").doc("windkessel: pressure at the beginning");
  row.key("sponge", &FlowOpening::sponge)
      .at_least(0)
      .unit("m")
      .doc(
          "length of a layer before the opening in which the viscosity rises, so that jets die "
          "out; 0: no layer");
  row.key("sponge_viscosity", &FlowOpening::sponge_viscosity)
      .at_least(1)
      .doc("viscosity of that layer at the opening, as a multiple of the fluid's");
}

FlowOpening read_opening(const Case& row) {
  auto opening = row.read<FlowOpening>();
  static_cast<Opening&>(opening) = row.read<Opening>();
  const auto values = row.read<OpeningValues>();
  using Kind = FlowOpening::Kind;
  const std::pair<const char*, Kind> keys[] = {
      {"speed", Kind::velocity},    {"flow", Kind::flow},
      {"pressure", Kind::pressure}, {"proximal", Kind::windkessel},
      {"distal", Kind::windkessel}, {"compliance", Kind::windkessel},
      {"start", Kind::windkessel}};
  for (const auto& [key, kind] : keys) {
    if (row.given(key) && kind != opening.kind) {
      throw row.error(key, fmt::format("opening {} is refused {}", opening.name, key),
                      std::string("its kind is ") + name_in(kind_names, opening.kind),
                      std::string("kind = \"") + name_in(kind_names, kind) + "\" takes it");
    }
  }
  if (opening.kind == Kind::windkessel && !(opening.distal > 0 && opening.compliance > 0)) {
    throw row.error("distal", "opening " + opening.name + " is no windkessel",
                    "its distal resistance or its compliance is 0", "give both");
  }
  opening.value = opening.kind == Kind::velocity ? values.speed
                  : opening.kind == Kind::flow   ? values.flow
                                                 : values.pressure;
  return opening;
}

bool matches(const std::string& pattern, const std::string& name) {
  if (pattern.empty() || pattern.back() != '*') return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

/// Those of the case, in places of their own or in those that the geometry has.
std::vector<FlowOpening> read_openings(const Case& values, const std::vector<Opening>& places) {
  std::vector<FlowOpening> openings;
  std::vector<bool> is_taken(places.size());
  for (const Case& row : values.list("opening")) {
    FlowOpening opening = read_opening(row);
    if (row.given("center")) {
      const double length =
          std::sqrt(opening.normal[0] * opening.normal[0] + opening.normal[1] * opening.normal[1] +
                    opening.normal[2] * opening.normal[2]);
      if (!(length > 0) || !(opening.radius > 0)) {
        throw row.error("normal", "opening " + opening.name + " has no disc",
                        "its normal or its radius is 0", "give both");
      }
      for (double& x : opening.normal) x /= length;
      openings.push_back(opening);
      continue;
    }
    const std::string pattern = opening.name;
    bool is_found = false;
    for (std::size_t n = 0; n < places.size(); ++n) {
      if (is_taken[n] || !matches(pattern, places[n].name)) continue;
      is_taken[n] = is_found = true;
      static_cast<Opening&>(opening) = places[n];
      openings.push_back(opening);
    }
    if (is_found) continue;
    std::string names;
    for (const Opening& place : places) names += (names.empty() ? "" : ", ") + place.name;
    throw row.error("name", "no opening of the vessel is called " + pattern,
                    names.empty() ? "it has none of its own" : "those left are " + names,
                    "give its center, normal and radius");
  }
  for (std::size_t n = 0; n < places.size(); ++n) {
    require(is_taken[n], "nothing is said of opening " + places[n].name, "the vessel is open there",
            "add an [[opening]] of this name");
  }
  return openings;
}

void read_units(Model& model, const Case& values) {
  const Real3 spacing = values.real3("grid.spacing");
  if (spacing[1] != spacing[0] || spacing[2] != spacing[0]) {
    throw values.error("grid.spacing", "cells are not cubes", "populations stream along diagonals",
                       "give one number");
  }
  const double h = spacing[0], speed = values.real("flow.speed");
  model.length_unit = h;
  model.time_unit = values.has("time.dt") ? values.real("time.dt")
                                          : values.real("scheme.lattice_speed") * h / speed;
  const double viscosity = model.rheology.at(1e9, values.real("flow.viscosity"));
  model.tau = 0.5 + 3 * viscosity / model.viscosity_unit();
  if (speed / model.speed_unit() > 0.3) {
    throw values.error("flow.speed",
                       fmt::format("{:.3g} cells per step is refused", speed / model.speed_unit()),
                       "the scheme holds far below the speed of sound, 0.577",
                       "make time.dt smaller or leave it out");
  }
  // Stable where (u / (tau - 1/2))^2 magic < 2, found by trial; see lbm.
  const double ratio = (model.tau - 0.5) / (speed / model.speed_unit());
  model.magic =
      values.has("scheme.magic") ? values.real("scheme.magic") : std::min(3.0 / 16, ratio * ratio);
}

void check_pressures(const Case& values, const Model& model) {
  const auto check = [&](double pressure, const std::string& what) {
    constexpr double most = 0.3;
    const double excess = model.excess_at(pressure);
    if (std::abs(excess) <= most) return;
    throw values.error(
        "flow.reference_pressure", fmt::format("{} of {:.4g} Pa is refused", what, pressure),
        fmt::format("it would change the density by {:.3g} %, and the fluid is to be nearly "
                    "incompressible",
                    100 * excess),
        "make flow.reference_pressure a mean pressure, or scheme.lattice_speed smaller");
  };
  check(model.start_pressure, "a pressure at the beginning");
  for (const FlowOpening& opening : model.openings) {
    if (opening.kind == FlowOpening::Kind::pressure) {
      check(opening.value.at(0), "the pressure at " + opening.name);
    }
    if (opening.kind == FlowOpening::Kind::windkessel) {
      check(opening.start, "the pressure of " + opening.name);
    }
  }
}

std::vector<FlowRegion> read_regions(const Case& values) {
  const GridPlace grid(values);
  std::vector<FlowRegion> regions;
  for (const Case& row : values.list("region")) {
    auto region = row.read<FlowRegion>();
    for (std::size_t a = 0; a < 3; ++a) {
      const auto cell = [&](double x) {
        const double at = std::round((x - grid.lower[a]) / grid.spacing[a]);
        return static_cast<Index>(std::clamp(at, 0.0, static_cast<double>(grid.cells[a])));
      };
      region.cells.lower[a] = cell(region.lower[a]);
      region.cells.upper[a] = cell(region.upper[a]);
    }
    if (region.cells.empty()) {
      throw row.error("upper", "region " + region.name + " is empty",
                      "no cell of the grid lies in it", "lower is its corner of small coordinates");
    }
    regions.push_back(region);
  }
  return regions;
}

void check_noise(const Case& values, const Model& model) {
  if (model.temperature == 0 || model.relaxation == Relaxation::two_rates) return;
  throw values.error("scheme.relaxation", "thermal fluctuations of regularized fluid are refused",
                     "their noise is that of two rates", "leave one of them out");
}

void check_cells(const Case& values, const Model& model) {
  if (!model.cells.are_there()) return;
  const char* const key = model.cells.hematocrit > 0 ? "cells.hematocrit" : "cell";
  if (model.temperature > 0) {
    throw values.error(key, "red cells in a fluid that fluctuates are refused",
                       "they live on active cells, where there are no random numbers",
                       "leave flow.thermal_energy out");
  }
}

}  // namespace

void declare_keys(CaseSchema& schema) {
  declare_common(schema, {.layouts = {"ijk"}});
  schema.section("flow", "the fluid and its scale");
  schema.real("flow.viscosity", 3.3e-6)
      .positive()
      .unit("m2/s")
      .doc("kinematic viscosity of a Newtonian fluid");
  schema.key("flow.density", &Model::density_unit).positive().unit("kg/m3").doc("density at rest");
  schema.real("flow.speed", 0.5)
      .positive()
      .unit("m/s")
      .doc("largest speed that is expected; it sets the time step");
  schema.key("flow.force", &Model::force).unit("N/m3").doc("force on the fluid, per volume");
  schema.key("flow.reference_pressure", &Model::reference_pressure)
      .unit("Pa")
      .doc("pressure at which the density is that at rest");
  schema.real("flow.start_pressure")
      .unit("Pa")
      .optional()
      .doc("pressure everywhere at the beginning; default: flow.reference_pressure");
  schema.key("flow.thermal_energy", &Model::temperature)
      .at_least(0)
      .unit("J")
      .doc("kT of thermal fluctuations; 0: no fluctuations");
  declare_rheology(schema);
  schema.section("scheme", "lattice Boltzmann, D3Q19, two rates; time.dt may give the time step");
  schema.real("scheme.lattice_speed", 0.05)
      .positive()
      .at_most(0.3)
      .doc("cells per step of flow.speed; errors of compressibility grow with its square");
  schema.real("scheme.magic")
      .positive()
      .optional()
      .doc(
          "product (1/even - 1/2) (1/odd - 1/2) of the two rates; default: 3/16, or less where "
          "flow.speed needs it");
  schema.key("scheme.relaxation", &Model::relaxation, relaxation_names)
      .doc(
          "part beside the equilibrium that is kept: all, with two rates, or the stress alone "
          "(regularized), which is stable in coarse cells");
  schema.choice("scheme.wall", {"interpolated", "half_way"}, "interpolated")
      .doc(
          "place of walls: where the surface is (interpolated), or half-way between cells, which "
          "conserves mass to the last bit");
  declare_vessel(schema);
  declare_openings(schema);
  declare_red_cells(schema);
  CaseSchema& region =
      schema.tables("region",
                    "a box, with columns hematocrit_, flow_ and discharge_hematocrit_<name> along "
                    "vessel.periodic");
  region.key("name", &FlowRegion::name)
      .required()
      .in_file_name()
      .doc("name of the region, in its columns");
  region.key("lower", &FlowRegion::lower).required().unit("m").doc("corner of the region");
  region.key("upper", &FlowRegion::upper).required().unit("m").doc("opposite corner of the region");
  schema.section("output.cells", "red cells as VTK PolyData, for tensor glyphs");
  declare_schedule(schema, "output.cells", "s", false);
  schema.section(
      "output.surface",
      "shear of the wall at its points, its mean and the oscillatory shear index over the "
      "samples, as VTK PolyData: at the end and with snapshots");
  declare_schedule(schema, "output.surface", "s", true);
}

VesselCase read_case(const Case& values) {
  VesselCase all;
  all.model = values.read<Model>();
  Model& model = all.model;
  model.rheology = read_rheology(values);
  read_units(model, values);
  model.start_pressure = values.has("flow.start_pressure") ? values.real("flow.start_pressure")
                                                           : model.reference_pressure;
  VesselSource source = read_vessel(values);
  model.openings = read_openings(values, source.openings);
  check_pressures(values, model);
  model.periodic = periodic_axis(values);
  model.cells = read_red_cells(values);
  model.regions = read_regions(values);
  check_cells(values, model);
  check_noise(values, model);
  Vessel vessel = source.make({model.openings.begin(), model.openings.end()});
  if (values.choice("scheme.wall") == "half_way") {
    for (RimCell& rim : vessel.rim) {
      for (float& part : rim.parts) part = part > 0 ? 0.5f : part;
    }
  }
  all.vessel = std::make_shared<const Vessel>(std::move(vessel));
  all.pipe_radius = source.pipe_radius;
  all.pipe_length = source.pipe_length;
  return all;
}

}  // namespace goban::blood
