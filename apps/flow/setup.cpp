// A case becomes grid, fields, program and simulation.

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "flow/keys.hpp"
#include "flow/step.hpp"
#include "goban/io/case/types.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/from_case.hpp"
#include "goban/simulation/output/solid_forces.hpp"
#include "goban/simulation/output/table_output.hpp"
#include "goban/solver/spectrum.hpp"

namespace goban {
namespace flow {
namespace {

Grid make_grid(const Case& values, const Model& model, Runtime& runtime) {
  GridOptions options = grid_options(values);
  options.boundary = model.mirrors();
  return Grid(runtime, options);
}

constexpr Index steps_between_looks = 20;

/// Energy by wave number: that of each velocity adds to it.
void add_spectrum(const AnyField& velocity, const std::vector<double>& values,
                  TableColumns& table) {
  const std::vector<SpectrumLine> lines = spectrum_of(velocity.grid(), values);
  for (auto& column : table) column.resize(lines.size());
  for (std::size_t l = 0; l < lines.size(); ++l) {
    table[0][l] = lines[l].wave_number;
    table[1][l] += lines[l].density;
  }
}

template <int D, class T>
class FlowSetup : public Setup {
 public:
  FlowSetup(const Case& values, const Model& model, Runtime& runtime)
      : model_(model),
        grid_(make_grid(values, model, runtime)),
        step_(grid_, model),
        simulation_(grid_, step_.program(), simulation_options(values)) {
    SimulationOptions& options = simulation_.options();
    if (model.dt) {
      options.dt = *model.dt;
      simulation_.derive(step_.rate());
      simulation_.on(every(steps_between_looks), [this](const Clock&) { look_at_courant(); });
    } else {
      options.dt = step_.dt;
      options.dt_limit = step_.dt_limit;
    }
    options.advice_on_divergence = "make scheme.courant or time.dt smaller, or cells finer";
    simulation_.derive(step_.observation());
    simulation_.derive(step_.balance());
    std::vector<AnyField> fields{
        {step_.velocity, "m/s"}, {step_.pressure, "Pa"}, {step_.vorticity, "1/s"}};
    for (const auto& face : step_.faces) fields.emplace_back(face, "m/s");
    for (const auto& scalar : step_.scalars) fields.emplace_back(scalar, "K");
    if (step_.type) fields.emplace_back(*step_.type);
    if (step_.subgrid) fields.emplace_back(*step_.subgrid, "m2/s");
    if (!model.solids.empty()) {
      check_probes(values, model.solids, *grid_.state());
      forces_.emplace(values, model.solids, *grid_.state(), model.density, model.speed,
                      [this](std::size_t axis) { return force(axis); });
    }
    const std::vector<Column> columns = this->columns();
    add_outputs(simulation_, values, fields, columns);
    add_results(simulation_, columns);
    if (forces_) {
      simulation_.results([this](nlohmann::ordered_json& results) {
        results["solid_cells"] = forces_->solid_cells();
      });
    }
    simulation_.results([this](nlohmann::ordered_json& results) {
      if (const std::string text = step_.transforms(); !text.empty()) results["transforms"] = text;
    });
    simulation_.warn([this] { return warning(); });
    if (const When when = schedule_of(values, "output.spectrum"); !when.is_never()) {
      require_spectrum(*grid_.state());
      simulation_.add(table_output("spectrum", "energy spectrum",
                                   {step_.faces.begin(), step_.faces.end()},
                                   {{"k", "1/m"}, {"E", "m3/s2"}}, add_spectrum, when));
    }
  }
  Simulation& simulation() override { return simulation_; }

 private:
  /// The columns of the series, which are results, too.
  std::vector<Column> columns() const {
    const double volume = this->volume(), cells = static_cast<double>(product(grid_.cells()));
    std::vector<Column> all = {
        {"time_step", "s", [this] { return step_.dt.value(); }},
        {"courant_number", "", [this] { return step_.courant_rate.value() * step_.dt.value(); }},
        {"largest_divergence", "1/s", [this] { return step_.divergence.value(); }},
        {"relative_divergence", "", [this] { return relative_divergence(); }},
        {"kinetic_energy", "J",
         [=, this] { return model_.density * volume * step_.kinetic_energy.value(); }},
        {"dissipation", "W/kg",
         [=, this] { return model_.viscosity * step_.shear.value() / cells; }}};
    for (std::size_t a = 0; a < D; ++a) {
      all.push_back({std::string("mean_velocity_") + "xyz"[a], "m/s",
                     [=, this] { return step_.velocity_sums[a].value() / cells; }});
    }
    for (std::size_t n = 0; n < model_.planes.size(); ++n) {
      const double face = volume / grid_.spacing()[index_of(model_.planes[n].axis)];
      all.push_back({"flow_rate_" + model_.planes[n].name, "m3/s",
                     [=, this] { return face * step_.flow_rates[n].value(); }});
    }
    if (step_.subgrid) {
      all.push_back(
          {"subgrid_dissipation", "W/kg", [=, this] { return step_.to_eddies.value() / cells; }});
    }
    if (forces_) std::ranges::copy(forces_->columns(D), std::back_inserter(all));
    for (std::size_t n = 0; n < model_.scalars.size(); ++n) {
      for (std::size_t a = 0; a < D; ++a) {
        if (walls_differ(n, a)) {
          all.push_back({"nusselt_" + model_.scalars[n].name, "",
                         [=, this] { return nusselt_number(n, a); }});
        }
      }
    }
    return all;
  }

  /// Largest |div u| over the largest sum |u| / h; 0 where nothing flows.
  double relative_divergence() const {
    const double rate = step_.courant_rate.value();
    return rate > 0 ? step_.divergence.value() / rate : 0;
  }
  std::string warning() const {
    constexpr double most = 1e-3;
    if (relative_divergence() <= most) return "";
    return fmt::format(
        "the flow is not incompressible (|div u| is up to {:.2g} of sum |u| / h); {}",
        relative_divergence(),
        model_.pressure.iterations > 0 ? "raise pressure.iterations, or leave it out"
                                       : "make pressure.tolerance smaller");
  }

  double volume() const {
    const Real3 h = grid_.spacing();
    return h[0] * h[1] * h[2];
  }
  /// N; of flows in the plane for one layer of cells.
  double force(std::size_t axis) const {
    return model_.density * volume() * step_.push[axis].value();
  }
  /// A scalar is held at two values at the ends of an axis.
  bool walls_differ(std::size_t n, std::size_t a) const {
    const auto& sides = model_.scalars[n].boundary.sides[a];
    const auto is_held = [](const BoundaryCondition& side) {
      return side.kind == BoundaryCondition::Kind::wall_value && !side.varying;
    };
    return is_held(sides[0]) && is_held(sides[1]) && sides[0].value != sides[1].value;
  }
  /// What goes through both ends, in the mean, over what would go through fluid at rest.
  double nusselt_number(std::size_t n, std::size_t a) const {
    const auto& sides = model_.scalars[n].boundary.sides[a];
    const auto& across = step_.across[n][a];
    const double faces = static_cast<double>(product(grid_.cells()) / grid_.cells()[a]);
    const double per_face = (across[0].value() - across[1].value()) / (2 * faces);
    return per_face * static_cast<double>(grid_.cells()[a]) / (sides[1].value - sides[0].value);
  }

  void look_at_courant() const {
    const double most = largest_courant_number(model_.scheme);
    const double courant = step_.courant_rate.value() * *model_.dt;
    const double subgrid = step_.largest_subgrid.value();
    const double longest = model_.largest_diffusive_step(grid_.spacing(), subgrid);
    if (courant <= most && *model_.dt <= longest) return;
    throw Error(ExitCode::diverged, "the time step is too long",
                courant > most
                    ? fmt::format("the Courant number is {:.3g}, the scheme holds up to {:.3g}",
                                  courant, most)
                    : fmt::format("with a subgrid viscosity of {:.3g} m2/s the scheme is stable up "
                                  "to {:.3g} s",
                                  subgrid, longest),
                "make time.dt smaller or leave it out");
  }

  Model model_;
  Grid grid_;
  FlowStep<D, T> step_;
  std::optional<SolidForces> forces_;
  Simulation simulation_;
};

template <int D>
std::unique_ptr<Setup> make_setup(const Case& values, const Model& model, Runtime& runtime) {
  return with_precision<float, double>(values, [&]<class T>() -> std::unique_ptr<Setup> {
    return std::make_unique<FlowSetup<D, T>>(values, model, runtime);
  });
}

class Flow : public Application {
 public:
  std::string name() const override { return "flow"; }
  std::string summary() const override {
    return "incompressible flow with buoyancy, between walls and around bodies, by projection";
  }
  std::vector<ShownField> fields() const override {
    return {{"velocity", "m/s", "three components, in cells"},
            {"pressure", "Pa", "less the weight of the fluid at rest"},
            {"vorticity", "1/s", "three components"},
            {"velocity_x", "m/s", "on lower faces, as velocity_y and velocity_z"},
            {"velocity_y", "m/s", ""},
            {"velocity_z", "m/s", "in space"},
            {"temperature", "K", "and other scalars, by their names"},
            {"subgrid_viscosity", "m2/s", "with flow.smagorinsky"},
            {"type", "", "0 solid, 1 fluid; where there are solids, inflows or outflows"}};
  }
  void declare(CaseSchema& schema) const override { declare_keys(schema); }
  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    const Model model = read_model(values);
    return model.dimensions == 2 ? make_setup<2>(values, model, runtime)
                                 : make_setup<3>(values, model, runtime);
  }
};

}  // namespace
}  // namespace flow

const Application& flow_application() {
  static const flow::Flow application;
  return application;
}

}  // namespace goban
