// A case becomes grid, fields, program and simulation.

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "dendrite/frame.hpp"
#include "dendrite/keys.hpp"
#include "dendrite/tip.hpp"
#include "goban/io/case/types.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/from_case.hpp"

namespace goban {
namespace dendrite {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
class GrowthSetup : public Setup {
 public:
  GrowthSetup(const Case& values, const Model& model, Runtime& runtime)
      : model_(model),
        grid_(runtime, grid_options(values, model.boundary)),
        spacing_(grid_.spacing()[0]),
        dt_(stable_time_step(values, model.largest_stable_step(grid_.cells(), spacing_))),
        step_(grid_, model, dt_),
        follower_(step_, spacing_, highest_tip(values)),
        simulation_(grid_, step_.program(), simulation_options(values)) {
    simulation_.options().dt = dt_;
    if (is_alloy()) simulation_.derive(step_.observation());
    simulation_.derive(step_.balance());
    simulation_.keep(step_.shifted).keep(follower_.speed);
    simulation_.keep(follower_.tip_before).keep(follower_.time_before);
    simulation_.adjust(values.integer("tip.every"),
                       [this](const Clock& now) { follower_.look(now.time); });
    std::vector<AnyField> fields = {step_.phase, {step_.other, is_alloy() ? "wt%" : ""}};
    if (is_alloy()) fields.push_back({*step_.concentration, "wt%"});
    const std::string thickness = flat() ? "/m" : "";
    const std::vector<Column> columns = {
        {"tip", "m", [this] { return follower_.tip(); }},
        {"tip_speed", "m/s", [this] { return follower_.speed.value(); }},
        {"solid_fraction", "", [this] { return step_.solid.value() / cells(); }},
        {is_alloy() ? "interface_energy" : "free_energy", is_alloy() ? "J" + thickness : "",
         [this] { return energy(); }},
        {is_alloy() ? "mean_concentration" : "mean_enthalpy", is_alloy() ? "wt%" : "",
         [this] { return step_.content.value() / cells(); }}};
    add_outputs(simulation_, values, fields, columns);
    add_results(simulation_, columns);
    simulation_.results([this](Json& results) { report(results); },
                        {{"time_step", "s"}, {"concentration_before_tip", "wt%"}});
  }
  Simulation& simulation() override { return simulation_; }

 private:
  bool is_alloy() const { return model_.formulation == Formulation::alloy; }
  bool flat() const { return dimensions_of(grid_.cells()) == 2; }
  double cells() const { return static_cast<double>(product(grid_.cells())); }
  double energy() const {
    return step_.energy.value() * std::pow(spacing_, dimensions_of(grid_.cells()));
  }

  std::optional<double> highest_tip(const Case& values) const {
    if (!values.has("tip.highest")) return std::nullopt;
    const auto a = static_cast<std::size_t>(index_of(growth_axis(dimensions_of(grid_.cells()))));
    const double length = static_cast<double>(grid_.cells()[a]) * spacing_;
    return grid_.origin()[a] + values.real("tip.highest") * length;
  }

  void report(Json& results) const {
    results["time_step"] = dt_;
    if (is_alloy()) {
      const TipLine line = tip_line(step_);
      results["concentration_before_tip"] = line.largest;
      results["partition_at_tip"] = line.partition();
    } else {
      const Thermal& thermal = model_.thermal;
      results["dimensionless_tip_speed"] =
          follower_.speed.value() * thermal.capillary_length() / thermal.diffusivity;
    }
    results["cells_moved"] = step_.shifted.value();
  }

  Model model_;
  Grid grid_;
  double spacing_, dt_;
  GrowthStep<T> step_;
  TipFollower<T> follower_;
  Simulation simulation_;
};

class Dendrite : public Application {
 public:
  std::string name() const override { return "dendrite"; }
  std::string summary() const override {
    return "growth of dendrites: a solidifying alloy or a pure melt, by phase fields";
  }
  std::vector<ShownField> fields() const override {
    return {{"phase", "", "order parameter"},
            {"liquid_excess", "wt%", "alloys"},
            {"concentration", "wt%", "alloys"},
            {"temperature", "", "pure melts: undercooling over that of the latent heat"}};
  }
  void declare(CaseSchema& schema) const override { declare_keys(schema); }
  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    const Model model = read_model(values);
    return with_precision<float, double>(values, [&]<class T>() -> std::unique_ptr<Setup> {
      return std::make_unique<GrowthSetup<T>>(values, model, runtime);
    });
  }
};

}  // namespace
}  // namespace dendrite

const Application& dendrite_application() {
  static const dendrite::Dendrite application;
  return application;
}

}  // namespace goban
