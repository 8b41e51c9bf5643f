// A case becomes grid, fields, program and simulation.

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "blood/keys.hpp"
#include "blood/step.hpp"
#include "blood/surface_output.hpp"
#include "goban/io/case/types.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/from_case.hpp"

namespace goban {
namespace blood {
namespace {

using Json = nlohmann::ordered_json;

/// The cells of the vessel; random numbers are there for whole boxes alone.
GridOptions options_of(const Case& values, const VesselCase& all) {
  BoundarySet boundary(mirror);
  if (all.model.periodic) {
    for (const Side side : both_sides) boundary.at(*all.model.periodic, side) = periodic;
  }
  GridOptions options = grid_options(values, boundary);
  if (all.model.temperature > 0) return options;
  options.active = Active::List(all.vessel, &all.vessel->fluid);
  return options;
}

template <class T>
class BloodSetup : public Setup {
 public:
  BloodSetup(const Case& values, const VesselCase& all, Runtime& runtime)
      : model_(all.model),
        vessel_(all.vessel),
        grid_(runtime, options_of(values, all)),
        step_(grid_, model_, vessel_),
        radius_(all.pipe_radius),
        length_(all.pipe_length),
        speed_(values.real("flow.speed")),
        simulation_(grid_, step_.program(), simulation_options(values)) {
    simulation_.options().dt = model_.time_unit;
    simulation_.options().advice_on_divergence = fmt::format(
        "tau is {:.4g} and flow.speed {:.3g} cells a step: make flow.speed the largest speed of "
        "the "
        "flow, scheme.lattice_speed smaller, or cells finer",
        model_.tau, speed_ / model_.speed_unit());
    simulation_.derive(step_.observation());
    simulation_.derive(step_.balance());
    add_outputs(simulation_, values,
                {{step_.pressure, "Pa"},
                 {step_.velocity, "m/s"},
                 {step_.viscosity, "m2/s"},
                 {step_.stress, "Pa"},
                 {step_.wall_shear_stress, "Pa"},
                 step_.opening},
                columns());
    if (step_.cells) {
      simulation_.options().shapes = [this](Axis axis, double position) {
        return step_.cells->bodies.outlines(axis, position);
      };
      if (const When when = schedule_of(values, "output.cells"); !when.is_never()) {
        simulation_.add(step_.cells->bodies.output(when));
      }
    }
    if (const When when = schedule_of(values, "output.surface"); !when.is_never()) {
      const CellPlace place{grid_.origin(), model_.length_unit, grid_.cells()};
      simulation_.add(surface_output(
          {step_.wall_shear_stress, "Pa"},
          [this](const std::vector<RimCell>& cells) { return shear_at(cells); }, *vessel_, place,
          when));
    }
    simulation_.results([this](Json& results) { report(results); }, {{"time_step", "s"}});
    add_results(simulation_, columns());
  }
  Simulation& simulation() override { return simulation_; }

 private:
  /// Into the vessel, m3/s.
  double flow_rate(std::size_t n) const {
    const auto& flow = step_.flows[n];
    const double density = 1 + flow.excess.value() / static_cast<double>(flow.cells);
    return -flow.out.value() / density * model_.flow_unit();
  }
  /// Mean over the cells at an opening, Pa.
  double pressure(std::size_t n) const {
    const auto& flow = step_.flows[n];
    return model_.reference_pressure +
           flow.excess.value() / static_cast<double>(flow.cells) / 3 * model_.pressure_unit();
  }
  /// Where `transports` are sums: the whole vessel, regions from 1.
  Box region(std::size_t n) const {
    return n == 0 ? Box{{0, 0, 0}, grid_.cells()} : model_.regions[n - 1].cells;
  }
  double length(std::size_t n) const {
    return static_cast<double>(region(n).extent(index_of(*model_.periodic)));
  }
  /// m3/s.
  double flow_along(std::size_t n) const {
    return step_.transports[n].value() / length(n) * model_.flow_unit();
  }
  /// What part of it is red cells.
  double discharge_hematocrit(std::size_t n) const {
    const auto axis = static_cast<std::size_t>(index_of(*model_.periodic));
    return step_.cells->bodies.transport(region(n))[axis] / step_.transports[n].value();
  }
  /// mu = pi R^4 F / (8 Q) of a pipe that a force F drives.
  double driven_viscosity() const {
    const auto axis = static_cast<std::size_t>(index_of(*model_.periodic));
    const double force =
        step_.force(axis) * model_.density_unit * model_.speed_unit() / model_.time_unit;
    return std::numbers::pi * std::pow(radius_, 4) * force / (8 * flow_along(0));
  }
  double plasma_viscosity() const {
    return model_.viscosity() * model_.viscosity_unit() * model_.density_unit;
  }
  void add_periodic_columns(std::vector<Column>& all) const {
    for (std::size_t n = 0; n < step_.transports.size(); ++n) {
      const std::string end = n == 0 ? "" : "_" + model_.regions[n - 1].name;
      all.push_back({"flow" + end, "m3/s", [this, n] { return flow_along(n); }});
      if (!step_.cells) continue;
      const Bodies& cells = step_.cells->bodies;
      all.push_back(
          {"hematocrit" + end, "", [this, n, &cells] { return cells.hematocrit(region(n)); }});
      all.push_back(
          {"discharge_hematocrit" + end, "", [this, n] { return discharge_hematocrit(n); }});
    }
    if (!model_.periodic || !(radius_ > 0)) return;
    all.push_back({"apparent_viscosity", "Pa s", [this] { return driven_viscosity(); }});
    all.push_back(
        {"relative_viscosity", "", [this] { return driven_viscosity() / plasma_viscosity(); }});
  }
  /// mu = pi R^4 dp / (8 Q L) of a pipe between the cells at two openings.
  double apparent_viscosity() const {
    return std::numbers::pi * std::pow(radius_, 4) * (pressure(0) - pressure(1)) /
           (8 * flow_rate(0) * (length_ - step_.flows[0].depth - step_.flows[1].depth));
  }
  std::vector<double> shear_at(const std::vector<RimCell>& cells) const {
    const std::vector<T> values = step_.wall_shear_stress.active_values();
    const std::size_t all = values.size() / 3;
    const Index3 n = grid_.cells();
    std::vector<double> shear;
    for (const RimCell& rim : cells) {
      const Index3& at = rim.cell;
      const auto place = static_cast<std::size_t>(
          grid_.active() ? grid_.active()->find(at) : at[0] + n[0] * (at[1] + n[1] * at[2]));
      for (std::size_t a = 0; a < 3; ++a) shear.push_back(values[a * all + place]);
    }
    return shear;
  }
  std::vector<Column> columns() const {
    const double mass = model_.density_unit * std::pow(model_.length_unit, 3);
    std::vector<Column> all = {
        {"excess_mass", "kg", [=, this] { return step_.mass.value() * mass; }}};
    for (std::size_t n = 0; n < model_.openings.size(); ++n) {
      all.push_back(
          {"flow_" + model_.openings[n].name, "m3/s", [this, n] { return flow_rate(n); }});
      all.push_back(
          {"pressure_" + model_.openings[n].name, "Pa", [this, n] { return pressure(n); }});
    }
    if (model_.openings.size() >= 2) {
      all.push_back({"pressure_drop", "Pa", [this] { return pressure(0) - pressure(1); }});
      if (radius_ > 0)
        all.push_back({"apparent_viscosity", "Pa s", [this] { return apparent_viscosity(); }});
    }
    add_periodic_columns(all);
    return all;
  }
  void report(Json& results) const {
    results["time_step"] = model_.time_unit;
    results["relaxation_time"] = model_.tau;
    results["lattice_speed"] = speed_ / model_.speed_unit();
    results["fluid_cells"] = vessel_->fluid.size();
    results["cells_at_walls_and_openings"] = vessel_->rim.size();
    if (step_.cells) {
      results["red_cells"] = step_.cells->bodies.count();
      results["red_cells_share_of_time"] = step_.cells->bodies.share();
    }
  }

  Model model_;
  std::shared_ptr<const Vessel> vessel_;
  Grid grid_;
  VesselStep<T> step_;
  double radius_, length_, speed_;
  Simulation simulation_;
};

class Blood : public Application {
 public:
  std::string name() const override { return "blood"; }
  std::string summary() const override {
    return "flow of blood through vessels of any shape, by the lattice Boltzmann method";
  }
  std::vector<ShownField> fields() const override {
    return {{"pressure", "Pa", ""},
            {"velocity", "m/s", "three components"},
            {"viscosity", "m2/s", "apparent"},
            {"viscous_stress", "Pa", "xx, yy, zz, xy, xz, yz"},
            {"wall_shear_stress", "Pa", "three components, in cells beside the wall"},
            {"opening", "", "number of the opening that a cell lies at, 0 none"}};
  }
  void declare(CaseSchema& schema) const override { declare_keys(schema); }
  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    const VesselCase all = read_case(values);
    return with_precision<float, double>(values, [&]<class T>() -> std::unique_ptr<Setup> {
      return std::make_unique<BloodSetup<T>>(values, all, runtime);
    });
  }
};

}  // namespace
}  // namespace blood

const Application& blood_application() {
  static const blood::Blood application;
  return application;
}

}  // namespace goban
