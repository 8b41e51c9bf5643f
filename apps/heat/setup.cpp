// A case becomes grid, fields, program and simulation.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/io/case/types.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/from_case.hpp"
#include "heat/effective.hpp"
#include "heat/keys.hpp"
#include "heat/sides.hpp"
#include "heat/steady.hpp"
#include "heat/step.hpp"

namespace goban {
namespace heat {
namespace {

using Json = nlohmann::ordered_json;

double time_step(const Case& values, const Model& model, const Grid& grid) {
  const double diffusivity =
      largest_diffusivity(model.medium, *grid.state()->context->communicator());
  const double limit =
      largest_stable_step(diffusivity, model.order, grid.cells(), grid.spacing(), model.boundary);
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

/// Every held temperature and that of a fluid, at the beginning.
std::vector<double> held_temperatures(const BoundarySet& boundary) {
  using Kind = BoundaryCondition::Kind;
  std::vector<double> all;
  for (const auto& sides : boundary.sides) {
    for (const auto& side : sides) {
      if (side.kind == Kind::constant || side.kind == Kind::wall_value) {
        all.push_back(side.value_at(0));
      }
    }
  }
  return all;
}

/// Says where a precision cannot hold what steps add, by estimates: the heating of a step of each
/// source, and the differences that conduct, which n cells share, of each of them the n-th part.
/// `rounding`: the rounding of a number, relative to it.
template <class T, class Layout>
std::vector<std::string> lost_increments(const std::string& precision, double rounding,
                                         const Model& model, const Field<T, 1, Layout>& u,
                                         double dt) {
  constexpr double noticeable = 0.01;
  std::vector<double> temperatures = held_temperatures(model.boundary);
  temperatures.push_back(u.minimum());
  temperatures.push_back(u.maximum());
  const auto [low, high] = std::minmax_element(temperatures.begin(), temperatures.end());
  const double error = rounding * std::max(std::abs(*low), std::abs(*high));
  std::vector<std::string> found;
  const auto note = [&](double share, const std::string& what) {
    if (!(share > noticeable)) return;
    found.push_back(fmt::format(
        "{} rounds these temperatures by up to {:.2g} K, which is {:.2g} % of {}: increments are "
        "lost; leave run.precision at float64 or write temperatures as differences",
        precision, error, 100 * share, what));
  };
  double least = std::numeric_limits<double>::infinity();
  for (const Profile& source : model.sources) {
    if (source.amplitude != 0) least = std::min(least, std::abs(source.amplitude));
  }
  note(error / (least * dt / model.medium.heat_capacity), "what a source heats in a step");
  const Index3 n = u.grid()->cells;
  const auto longest = static_cast<double>(*std::max_element(n.begin(), n.end()));
  if (*high > *low) {
    note(error * longest * longest / (*high - *low), "what conducts in a cell of the longest axis");
  }
  return found;
}

template <class T, class Layout>
SideFlows flows_of_sides(const Model& model, const Field<T, 1, Layout>& u,
                         const std::optional<Conductances<T, Layout>>& medium) {
  std::optional<AnyField> conductivity;
  if (medium) conductivity = AnyField(medium->conductivity);
  return {model, u, conductivity};
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
    if (!std::is_same_v<T, double>) {
      const double rounding = std::is_same_v<T, float> ? 0x1p-24 : 0x1p-11;
      for (const std::string& line :
           lost_increments(values.choice("run.precision"), rounding, model, step_.u, dt_)) {
        values.warn(line);
      }
    }
    std::vector<AnyField> fields = {{step_.u, "K"}};
    if (step_.medium) fields.push_back({step_.medium->conductivity, "W/(m K)"});
    if (const Program balance = step_.balance(); !balance.stages().empty()) {
      simulation_.derive(balance);
    }
    const auto flows = flows_of_sides(model, step_.u, step_.medium).columns(step_.now);
    std::vector<Column> columns = {mean_of(fields[0]), minimum_of(fields[0]),
                                   maximum_of(fields[0])};
    std::copy(flows.begin(), flows.end(), std::back_inserter(columns));
    add_outputs(simulation_, values, fields, columns);
    add_results(simulation_, flows);
    const Real3 h = grid_.spacing();
    const double content = model.medium.heat_capacity * h[0] * h[1] * h[2];
    simulation_.results(
        [this, content](Json& results) {
          results["time_step"] = dt_;
          results["minimum_temperature"] = step_.u.minimum();
          results["maximum_temperature"] = step_.u.maximum();
          results["mean_temperature"] = step_.u.sum() / static_cast<double>(product(grid_.cells()));
          results["heat_content"] = content * step_.content();
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
    const SideFlows flows(model, state_.u, state_.medium.conductivity);
    add_results(simulation_, flows.columns(Parameter<double>("now")));
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
  if (model.problem == Problem::steady) {
    return std::make_unique<SteadySetup<Layout>>(values, model, runtime);
  }
  if (model.problem == Problem::effective) {
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
