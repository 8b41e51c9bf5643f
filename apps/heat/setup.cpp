// A case becomes grid, fields, program and simulation.

#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/io/case/types.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application_module.hpp"
#include "goban/simulation/application/from_case.hpp"
#include "heat/effective.hpp"
#include "heat/keys.hpp"
#include "heat/steady.hpp"
#include "heat/step.hpp"

namespace goban {
namespace heat {
namespace {

using Json = nlohmann::ordered_json;

double time_step(const Case& values, const Model& model, const Grid& grid) {
  const double conductivity =
      largest_conductivity(model.medium, *grid.state()->context->communicator());
  const double limit = largest_stable_step(conductivity / model.medium.heat_capacity, model.order,
                                           grid.cells(), grid.spacing(), model.boundary);
  if (!std::isfinite(limit) && !values.has("time.dt")) {
    throw values.error("medium.conductivity", "no time step can be chosen", "nothing conducts",
                       "give time.dt");
  }
  return stable_time_step(values, limit);
}

std::map<std::string, std::string> units_of_results() {
  return {{"time_step", "s"},           {"minimum_temperature", "K"},
          {"maximum_temperature", "K"}, {"mean_temperature", "K"},
          {"heat_content", "J"},        {"effective_conductivity", "W/(m K)"},
          {"voigt_bound", "W/(m K)"},   {"reuss_bound", "W/(m K)"}};
}

template <class T, class Layout>
class TransientSetup : public Setup {
 public:
  TransientSetup(const Case& values, const Model& model, Runtime& runtime)
      : grid_(runtime, grid_options(values, model.boundary)),
        dt_(time_step(values, model, grid_)),
        step_(grid_, model, dt_),
        simulation_(grid_, step_.program(), simulation_options(values)) {
    simulation_.options().dt = dt_;
    std::vector<AnyField> fields = {{step_.u, "K"}};
    if (step_.medium) fields.push_back({step_.medium->conductivity, "W/(m K)"});
    add_outputs(simulation_, values, fields,
                {mean_of(fields[0]), minimum_of(fields[0]), maximum_of(fields[0])});
    const Real3 h = grid_.spacing();
    const double content = model.medium.heat_capacity * h[0] * h[1] * h[2];
    simulation_.results(
        [this, content](Json& results) {
          results["time_step"] = dt_;
          results["minimum_temperature"] = step_.u.minimum();
          results["maximum_temperature"] = step_.u.maximum();
          results["mean_temperature"] = step_.u.sum() / static_cast<double>(product(grid_.cells()));
          results["heat_content"] = content * step_.u.sum();
        },
        units_of_results());
  }
  Simulation& simulation() override { return simulation_; }

 private:
  Grid grid_;
  double dt_;
  ExplicitStep<T, Layout> step_;
  Simulation simulation_;
};

constexpr Index most_iterations = 10000;  // unless time.steps says otherwise
constexpr Index steps_between_looks = 10;

SimulationOptions solver_options(const Case& values) {
  SimulationOptions options = simulation_options(values);
  if (options.steps < 0) options.steps = most_iterations;
  options.time_unit = "iterations";
  return options;
}

void add_convergence(Json& results, const Simulation& simulation, double residual,
                     double tolerance) {
  results["converged"] = residual < tolerance;
  results["iterations"] = simulation.report().last_step;
  results["residual"] = residual;
}

template <class Layout>
class SteadySetup : public Setup {
 public:
  SteadySetup(const Case& values, const Model& model, Runtime& runtime)
      : grid_(runtime, grid_options(values, model.boundary)),
        state_(grid_, model),
        simulation_(grid_, state_.program(), solver_options(values)) {
    simulation_.stop_when(state_.residual < model.tolerance, steps_between_looks);
    add_outputs(simulation_, values, {{state_.u, "K"}, {state_.medium.conductivity, "W/(m K)"}},
                {state_.residual});
    simulation_.results(
        [this, tolerance = model.tolerance](Json& results) {
          add_convergence(results, simulation_, state_.residual.value(), tolerance);
          results["minimum_temperature"] = state_.u.minimum();
          results["maximum_temperature"] = state_.u.maximum();
          results["mean_temperature"] =
              state_.u.sum() / static_cast<double>(product(grid_.cells()));
        },
        units_of_results());
  }
  Simulation& simulation() override { return simulation_; }

 private:
  Grid grid_;
  SteadyState<1, Layout> state_;
  Simulation simulation_;
};

template <class Layout>
class EffectiveSetup : public Setup {
 public:
  EffectiveSetup(const Case& values, const Model& model, Runtime& runtime)
      : grid_(runtime, grid_options(values, model.boundary)),
        state_(grid_, model),
        balance_(grid_, state_),
        simulation_(grid_, state_.program(), solver_options(values)) {
    simulation_.stop_when(state_.residual < model.tolerance, steps_between_looks);
    simulation_.derive(balance_.program());
    add_outputs(simulation_, values,
                {{state_.u, "K"}, {state_.medium.conductivity, "W/(m K)"}, {balance_.flow, "W/m2"}},
                {state_.residual});
    simulation_.results(
        [this, tolerance = model.tolerance](Json& results) {
          const EffectiveConductivity effective = balance_.result();
          results["effective_conductivity"] = effective.tensor;
          results["voigt_bound"] = effective.voigt;
          results["reuss_bound"] = effective.reuss;
          results["asymmetry"] = effective.asymmetry();
          results["plane_deviation"] = effective.plane_deviation;
          add_convergence(results, simulation_, state_.residual.value(), tolerance);
        },
        units_of_results());
  }
  Simulation& simulation() override { return simulation_; }

 private:
  Grid grid_;
  SteadyState<3, Layout> state_;
  FlowBalance<Layout> balance_;
  Simulation simulation_;
};

template <class Layout>
std::unique_ptr<Setup> make_setup(const Case& values, Runtime& runtime) {
  const Model model = read_model(values);
  const bool is_transient = model.problem == Problem::transient;
  load_part("heat", is_transient
                        ? values.choice("run.precision") + "_" + values.choice("run.layout")
                        : "steady");
  if (model.problem == Problem::steady) {
    return std::make_unique<SteadySetup<Layout>>(values, model, runtime);
  }
  if (model.problem == Problem::effective) {
    load_part("heat", "effective");
    return std::make_unique<EffectiveSetup<Layout>>(values, model, runtime);
  }
  return with_precision<float, double, half>(values, [&]<class T>() -> std::unique_ptr<Setup> {
    return std::make_unique<TransientSetup<T, Layout>>(values, model, runtime);
  });
}

class Heat : public Application {
 public:
  std::string name() const override { return "heat"; }
  std::string summary() const override {
    return "heat conduction: in time, steady, and the conductivity of a porous or composite medium";
  }
  std::vector<ShownField> fields() const override {
    return {{"temperature", "K", "transient and steady problems"},
            {"conductivity", "W/(m K)", "of media that are not the same everywhere"},
            {"fluctuation", "K",
             "effective conductivity: one component for each mean gradient of 1 K a metre"},
            {"flow", "W/m2", "effective conductivity: across lower faces, of the same gradients"}};
  }
  void declare(CaseSchema& schema) const override { declare_keys(schema); }
  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    return with_layout<ijk, kij>(
        values, [&]<class Layout>() { return make_setup<Layout>(values, runtime); });
  }
};

}  // namespace
}  // namespace heat

const Application& heat_application() {
  static const heat::Heat application;
  return application;
}

}  // namespace goban
