// A case becomes grid, fields, program and simulation.

#include <cmath>

#include "atmosphere/keys.hpp"
#include "atmosphere/step.hpp"
#include "goban/io/case/types.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/from_case.hpp"

namespace goban {
namespace atmosphere {
namespace {

Grid make_grid(const Case& values, Runtime& runtime) {
  return Grid(runtime, grid_options(values, BoundarySet(periodic, periodic, mirror)));
}

template <int D, class T>
class AtmosphereSetup : public Setup {
 public:
  AtmosphereSetup(const Case& values, const Model& model, Runtime& runtime)
      : grid_(make_grid(values, runtime)),
        step_(grid_, model),
        simulation_(grid_, step_.program(), simulation_options(values)) {
    SimulationOptions& options = simulation_.options();
    options.dt = model.dt;
    options.advice_on_divergence = "make time.dt or scheme.stability smaller";
    simulation_.derive(step_.observation());
    std::vector<AnyField> fields{
        {step_.velocity, "m/s"},    {step_.theta_deviation, "K"}, {step_.pressure, "Pa"},
        {step_.height, "m"},        {step_.now.density, "kg/m3"}, {step_.now.heat, "kg K/m3"},
        {step_.now.x, "kg/(m2 s)"}, {step_.now.y, "kg/(m2 s)"},   {step_.now.z, "kg/(m2 s)"}};
    if (const auto& water = step_.water) {
      for (const auto& ratio : water->ratio.all()) fields.push_back({ratio, "kg/kg"});
      fields.push_back({water->equivalent_theta, "K"});
      fields.push_back({water->rain_rate, "kg/(m2 s)"});
      fields.push_back({water->fallen_rain, "kg/m2"});
    }
    const Levels levels(model, *grid_.state());
    if (!levels.are_flat()) {
      const auto vertical = std::make_shared<const Vertical>(
          Vertical{.face = [levels](Index3 cell) { return levels.face(cell); }});
      for (AnyField& field : fields) field.set_vertical(vertical);
    }
    const std::vector<Column> columns = this->columns();
    add_outputs(simulation_, values, fields, columns);
    add_results(simulation_, columns);
  }
  Simulation& simulation() override { return simulation_; }

 private:
  std::vector<Column> columns() const {
    const Real3 h = grid_.spacing();
    const double volume = h[0] * h[1] * h[2];
    std::vector<Column> columns{
        {step_.largest_w, "m/s"},
        {step_.smallest_w, "m/s"},
        {step_.largest_theta, "K"},
        {step_.smallest_theta, "K"},
        {"mass", "kg",
         [=, this] { return volume * (step_.base_mass.value() + step_.added_mass.value()); }}};
    if (const auto& water = step_.water) {
      columns.push_back({"water", "kg", [=, this] { return volume * step_.water->water.value(); }});
      columns.push_back(
          {"fallen_rain", "kg", [=, this] { return h[0] * h[1] * step_.water->fallen.value(); }});
      columns.push_back({water->largest_cloud, "kg/kg"});
      columns.push_back({water->largest_rain, "kg/kg"});
      columns.push_back({water->largest_equivalent, "K"});
      columns.push_back({water->smallest_equivalent, "K"});
    }
    return columns;
  }

  Grid grid_;
  AtmosphereStep<D, T> step_;
  Simulation simulation_;
};

template <int D>
std::unique_ptr<Setup> make_setup(const Case& values, const Model& model, Runtime& runtime) {
  return with_precision<float, double>(values, [&]<class T>() -> std::unique_ptr<Setup> {
    return std::make_unique<AtmosphereSetup<D, T>>(values, model, runtime);
  });
}

class Atmosphere : public Application {
 public:
  std::string name() const override { return "atmosphere"; }
  std::string summary() const override {
    return "a weather core over terrain with warm rain, by split-explicit steps";
  }
  std::vector<ShownField> fields() const override {
    return {
        {"velocity", "m/s", "three components, in cells"},
        {"theta_deviation", "K", "potential temperature of moist air less that of the base state"},
        {"pressure_deviation", "Pa", "the same of the pressure"},
        {"height", "m", "of the middle of cells"},
        {"density_deviation", "kg/m3", "from the base state, times G = dz/ds"},
        {"heat_deviation", "kg K/m3", "the same of density times potential temperature"},
        {"momentum_x", "kg/(m2 s)", "G rho u, on lower faces along x; momentum_y likewise"},
        {"momentum_y", "kg/(m2 s)", ""},
        {"momentum_z", "kg/(m2 s)", "rho w, below cells"},
        {"vapor", "kg/kg", "mixing ratio, of moist air as those that follow"},
        {"cloud", "kg/kg", "mixing ratio"},
        {"rain", "kg/kg", "mixing ratio"},
        {"equivalent_theta", "K", "equivalent potential temperature of saturated air"},
        {"rain_rate", "kg/(m2 s)", "at the ground, in the lowest level, mean of a step"},
        {"fallen_rain", "kg/m2", "at the ground, in the lowest level, since the beginning"}};
  }
  void declare(CaseSchema& schema) const override { declare_keys(schema); }
  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    const Model model = read_model(values);
    const int dimensions = values.integer3("grid.cells")[1] == 1 ? 2 : 3;
    return dimensions == 2 ? make_setup<2>(values, model, runtime)
                           : make_setup<3>(values, model, runtime);
  }
};

}  // namespace
}  // namespace atmosphere

const Application& atmosphere_application() {
  static const atmosphere::Atmosphere application;
  return application;
}

}  // namespace goban
