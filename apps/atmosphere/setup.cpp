// A case becomes grid, fields, program and simulation.

#include <algorithm>

#include "atmosphere/keys.hpp"
#include "atmosphere/step.hpp"
#include "goban/io/case/types.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/from_case.hpp"

namespace goban {
namespace atmosphere {
namespace {

const std::vector<ShownField> shown_fields{
    {"velocity", "m/s", "three components, in cells"},
    {"potential_temperature", "K", "of the air"},
    {"temperature", "K", "of the air"},
    {"pressure", "Pa", "of the air"},
    {"density", "kg/m3", "of the air with its water"},
    {"theta_deviation", "K", "potential temperature of moist air less that of the base state"},
    {"pressure_deviation", "Pa", "pressure less that of the base state"},
    {"height", "m", "of the middle of cells"},
    {"latitude", "degrees_north", "of the middle of cells, with map.kind"},
    {"longitude", "degrees_east", "likewise"},
    {"density_deviation", "kg/m3", "from the base state, times G = dz/ds"},
    {"heat_deviation", "kg K/m3", "the same of density times potential temperature"},
    {"momentum_x", "kg/(m2 s)", "G rho u, on lower faces along x; momentum_y likewise"},
    {"momentum_y", "kg/(m2 s)", ""},
    {"momentum_z", "kg/(m2 s)", "rho w, below cells"},
    {"vapor", "kg/kg", "mixing ratio, of moist air as those that follow"},
    {"cloud", "kg/kg", "mixing ratio"},
    {"rain", "kg/kg", "mixing ratio"},
    {"ice", "kg/kg", "mixing ratio of cloud ice, with moisture.rain = wsm6"},
    {"snow", "kg/kg", "likewise"},
    {"graupel", "kg/kg", "likewise"},
    {"relative_humidity", "", "over water"},
    {"equivalent_theta", "K", "equivalent potential temperature of saturated air"},
    {"liquid_water_path", "kg/m2", "cloud and rain of the column, in all its cells"},
    {"cloud_cover", "", "1 where a column has more than 1e-5 kg/kg of cloud, else 0"},
    {"rain_rate", "kg/(m2 s)", "at the ground, in the lowest level, mean of a step"},
    {"fallen_rain", "kg/m2", "at the ground, in the lowest level, since the beginning"},
    {"fallen_ice", "kg/m2", "what of it was ice, with moisture.rain = wsm6"},
    {"reflectivity", "dBZ", "of rain, snow and graupel, where output.storms asks for it"},
    {"composite_reflectivity", "dBZ", "the largest of the column, likewise"},
    {"cape", "J/kg", "of air of the lowest level, in all cells of its column, likewise"},
    {"cin", "J/kg", "likewise"}};

std::string unit_of(const std::string& field) {
  const auto at = std::find_if(shown_fields.begin(), shown_fields.end(),
                               [&](const ShownField& shown) { return shown.name == field; });
  return at->unit;
}

template <int D, class T>
class AtmosphereSetup : public Setup {
 public:
  AtmosphereSetup(const Case& values, const Model& model, Runtime& runtime)
      : grid_(runtime, grid_options(values, model.sides.boundary())),
        step_(grid_, model),
        simulation_(grid_, step_.program(), simulation_options(values)) {
    SimulationOptions& options = simulation_.options();
    options.dt = model.dt;
    options.advice_on_divergence = "make time.dt or scheme.stability smaller";
    simulation_.derive(step_.observation());
    std::vector<AnyField> fields;
    const auto show = [&](const auto&... field) {
      (fields.emplace_back(field, unit_of(field.name())), ...);
    };
    const auto& now = step_.now;
    show(step_.velocity, step_.air.theta, step_.air.temperature, step_.air.pressure,
         step_.air.density, step_.theta_deviation, step_.pressure_deviation, step_.height,
         now.density, now.heat, now.x, now.y, now.z);
    if (const auto& map = step_.map) show(map->latitude, map->longitude);
    if (const auto& water = step_.water) {
      for (const auto& ratio : water->ratio.all()) show(ratio);
      if (water->fallen_ice) show(*water->fallen_ice);
      show(water->relative_humidity, water->liquid_path, water->cloud_cover,
           water->equivalent_theta, water->rain_rate, water->fallen_rain);
    }
    if (const auto& storms = step_.storms) {
      simulation_.derive(step_.storm_observation());
      show(storms->reflectivity, storms->composite, storms->cape, storms->cin);
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
    const Index3 cells = grid_.cells();
    const auto scaled = [](const char* name, const char* unit, double factor,
                           const Parameter<double>& sum) {
      return Column(name, unit, [=] { return factor * sum.value(); });
    };
    const double volume = h[0] * h[1] * h[2], area = h[0] * h[1];
    const double per_column = 1 / static_cast<double>(cells[0] * cells[1]);
    std::vector<Column> columns{
        {step_.largest_w, "m/s"},
        {step_.smallest_w, "m/s"},
        {step_.largest_wind, "m/s"},
        {step_.lowest_pressure, "Pa"},
        {step_.largest_theta, "K"},
        {step_.smallest_theta, "K"},
        {"mass", "kg", [=, base = step_.base_mass, added = step_.added_mass] {
           return volume * (base.value() + added.value());
         }}};
    if (!step_.water) return columns;
    const auto& water = *step_.water;
    columns.push_back(scaled("water", "kg", volume, water.water));
    columns.push_back(scaled("fallen_rain", "kg", area, water.fallen));
    if (step_.skin) columns.push_back(scaled("evaporated", "kg", area, step_.evaporated));
    columns.insert(columns.end(),
                   {scaled("cloud_cover", "", per_column, water.all_cover),
                    scaled("liquid_water_path", "kg/m2", per_column, water.all_liquid),
                    {water.cloud_base, "m"},
                    {water.cloud_top, "m"},
                    {water.largest_cloud, "kg/kg"},
                    {water.largest_rain, "kg/kg"},
                    {water.largest_equivalent, "K"},
                    {water.smallest_equivalent, "K"}});
    return columns;
  }

  Grid grid_;
  AtmosphereStep<D, T> step_;
  Simulation simulation_;
};

class Atmosphere : public Application {
 public:
  std::string name() const override { return "atmosphere"; }
  std::string summary() const override {
    return "a weather core over terrain with rain and ice, by split-explicit steps";
  }
  std::vector<ShownField> fields() const override { return shown_fields; }
  void declare(CaseSchema& schema) const override { declare_keys(schema); }
  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    const Model model = read_model(values);
    return with_precision<float, double>(values, [&]<class T>() -> std::unique_ptr<Setup> {
      if (values.integer3("grid.cells")[1] == 1) {
        return std::make_unique<AtmosphereSetup<2, T>>(values, model, runtime);
      }
      return std::make_unique<AtmosphereSetup<3, T>>(values, model, runtime);
    });
  }
};

}  // namespace
}  // namespace atmosphere

const Application& atmosphere_application() {
  static const atmosphere::Atmosphere application;
  return application;
}

}  // namespace goban
