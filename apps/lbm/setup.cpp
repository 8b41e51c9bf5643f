// A case becomes grid, fields, program and simulation.

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include <fmt/format.h>

#include "goban/io/case/types.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/from_case.hpp"
#include "goban/simulation/output/solid_forces.hpp"
#include "lbm/keys.hpp"
#include "lbm/step.hpp"

namespace goban {
namespace lbm {
namespace {

using Json = nlohmann::ordered_json;

template <class Lattice, class T, class Layout>
class FlowSetup : public Setup {
 public:
  FlowSetup(const Case& values, const Model& model, Runtime& runtime)
      : model_(model),
        grid_(runtime, grid_options(values, model.population_boundary())),
        step_(grid_, model),
        speed_(values.real("flow.speed")),
        simulation_(grid_, step_.program(), simulation_options(values)) {
    simulation_.options().dt = model.time_unit;
    simulation_.options().advice_on_divergence =
        model.advice_on_divergence(speed_ / model.speed_unit());
    simulation_.derive(step_.observation());
    simulation_.derive(step_.balance());
    simulation_.derive(step_.shear());
    const double h = model.length_unit;
    std::vector<Column> columns = {
        {"excess_mass", "kg", [=, this] { return step_.mass.value() * h * h * h * density(); }},
        {"kinetic_energy", "J", [this] { return energy(); }}};
    for (std::size_t a = 0; a < dimensions; ++a) {
      columns.push_back({fmt::format("mean_velocity_{}", "xyz"[a]), "m/s",
                         [this, a] { return mean_velocity(a); }});
    }
    for (std::size_t n = 0; n < model.planes.size(); ++n) {
      columns.push_back({"flow_rate_" + model.planes[n].name, "m3/s", [=, this] {
                           return step_.flow_rates[n].value() * model_.speed_unit() * h * h;
                         }});
    }
    if (driving_axis()) {
      columns.push_back({"permeability", "m2", [this] { return permeability(); }});
    }
    if (model.has_obstacles()) {
      check_probes(values, model.solids, *grid_.state());
      forces_.emplace(values, model.solids, *grid_.state(), density(), speed_,
                      [this](std::size_t axis) { return force(axis); });
      std::ranges::copy(forces_->columns(dimensions), std::back_inserter(columns));
    }
    add_outputs(simulation_, values,
                {step_.density,
                 {step_.pressure, "Pa"},
                 {step_.velocity, "m/s"},
                 {step_.vorticity, "1/s"},
                 step_.type,
                 {step_.viscosity, "m2/s"},
                 {step_.stress, "Pa"},
                 {step_.wall_shear_stress, "Pa"}},
                columns);
    std::map<std::string, std::string> units = {{"time_step", "s"},       {"excess_mass", "kg"},
                                                {"kinetic_energy", "J"},  {"viscosity", "m2/s"},
                                                {"force", "N"},           {"area", "m2"},
                                                {"mean_velocity", "m/s"}, {"permeability", "m2"}};
    for (const FlowPlane& plane : model.planes) units["flow_rate_" + plane.name] = "m3/s";
    simulation_.results([this](Json& results) { report(results); }, units);
  }
  Simulation& simulation() override { return simulation_; }

 private:
  double density() const { return model_.density_unit; }
  double energy() const {
    const double h = model_.length_unit, unit = model_.speed_unit();
    return step_.kinetic_energy.value() * density() * unit * unit * h * h * h;
  }
  /// N; of flows in the plane for one layer of cells.
  double force(std::size_t axis) const {
    const double h = model_.length_unit, unit = model_.speed_unit();
    return step_.force[axis].value() * density() * unit * unit * h * h;
  }

  /// The mean over the whole grid, in which solid cells are at rest: in a porous medium Darcy's
  /// velocity.
  double mean_velocity(std::size_t axis) const {
    return step_.velocity_sum[axis].value() * model_.speed_unit() /
           static_cast<double>(product(grid_.cells()));
  }
  /// The axis of the force that drives the flow, if it stays the same.
  std::optional<std::size_t> driving_axis() const {
    if (model_.drive || !model_.is_driven()) return {};
    const auto stronger = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const auto most = std::max_element(model_.force.begin(), model_.force.end(), stronger);
    return static_cast<std::size_t>(most - model_.force.begin());
  }
  /// Darcy's k = nu rho u / F along the force.
  double permeability() const {
    const std::size_t axis = *driving_axis();
    const double h = model_.length_unit;
    return model_.viscosity() * mean_velocity(axis) / model_.speed_unit() / model_.force[axis] * h *
           h;
  }

  void report(Json& results) const {
    results["time_step"] = model_.time_unit;
    results["relaxation_time"] = model_.tau;
    results["lattice_speed"] = speed_ / model_.speed_unit();
    results["excess_mass"] = step_.mass.value() * density() * std::pow(model_.length_unit, 3);
    results["kinetic_energy"] = energy();
    results["viscosity"] =
        model_.viscosity() * model_.length_unit * model_.length_unit / model_.time_unit;
    results["mean_velocity"] = Real3{mean_velocity(0), mean_velocity(1), mean_velocity(2)};
    for (std::size_t n = 0; n < model_.planes.size(); ++n) {
      const double h = model_.length_unit;
      results["flow_rate_" + model_.planes[n].name] =
          step_.flow_rates[n].value() * model_.speed_unit() * h * h;
    }
    if (driving_axis()) results["permeability"] = permeability();
    results["minimum_density"] = step_.density.minimum();
    results["maximum_density"] = step_.density.maximum();
    if (!model_.has_obstacles()) return;
    results["force"] = Real3{force(0), force(1), force(2)};
    results["area"] = forces_->area();
    results["solid_cells"] = forces_->solid_cells();
    results["drag_coefficient"] = forces_->coefficient(0);
    results["lift_coefficient"] = forces_->coefficient(1);
  }

  static constexpr std::size_t dimensions = Lattice::dimensions;
  Model model_;
  Grid grid_;
  FlowStep<Lattice, T, Layout> step_;
  double speed_;
  std::optional<SolidForces> forces_;
  Simulation simulation_;
};

template <class Lattice>
std::unique_ptr<Setup> make_setup(const Case& values, const Model& model, Runtime& runtime) {
  return with_precision<float, double, half>(values, [&]<class T>() -> std::unique_ptr<Setup> {
    if constexpr (!std::is_same_v<T, half>) {
      if (values.choice("run.layout") == "kij") {
        return std::make_unique<FlowSetup<Lattice, T, kij>>(values, model, runtime);
      }
    }
    return std::make_unique<FlowSetup<Lattice, T, ijk>>(values, model, runtime);
  });
}

class Lbm : public Application {
 public:
  std::string name() const override { return "lbm"; }
  std::string summary() const override {
    return "flow of a fluid around bodies and between walls, by the lattice Boltzmann method";
  }
  std::vector<ShownField> fields() const override {
    return {{"density", "", "over that at rest"},
            {"pressure", "Pa", "less that at rest"},
            {"velocity", "m/s", "three components"},
            {"vorticity", "1/s", "three components"},
            {"viscosity", "m2/s", "apparent"},
            {"viscous_stress", "Pa", "xx, yy, zz, xy, xz, yz"},
            {"wall_shear_stress", "Pa", "three components, in cells beside walls"},
            {"type", "", "0 fluid, 1 wall, 2 obstacle, 3 inflow, 4 outflow or pressure"}};
  }
  void declare(CaseSchema& schema) const override { declare_keys(schema); }
  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    const Model model = read_model(values);
    if (values.choice("scheme.storage") == "in_place") {
      return with_precision<float, double, half>(values, [&]<class T>() -> std::unique_ptr<Setup> {
        return std::make_unique<FlowSetup<D3Q19, InPlace<T>, ijk>>(values, model, runtime);
      });
    }
    return model.lattice == Model::Lattice::d2q9 ? make_setup<D2Q9>(values, model, runtime)
                                                 : make_setup<D3Q19>(values, model, runtime);
  }
};

}  // namespace
}  // namespace lbm

const Application& lbm_application() {
  static const lbm::Lbm application;
  return application;
}

}  // namespace goban
