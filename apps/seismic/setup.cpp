// A case becomes grid, fields, program and simulation.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numbers>

#include <fmt/format.h>

#include "goban/io/case/types.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/from_case.hpp"
#include "seismic/attenuation.hpp"
#include "seismic/keys.hpp"
#include "seismic/segy_traces.hpp"
#include "seismic/step.hpp"

namespace goban {
namespace seismic {
namespace {

using Json = nlohmann::ordered_json;

/// Largest vp, m/s. With attenuation that of the moduli without relaxation, which grow with the
/// time step: of the longest there may be.
double fastest_wave(const Case& values, const Model& model, double vp) {
  if (!model.band) return vp;
  const double longest =
      std::min(largest_stable_step(vp, model, values.real3("grid.spacing")),
               Mechanisms::largest_angle / (2 * std::numbers::pi * model.band->high));
  const Mechanisms mechanisms(*model.band, longest);
  double fastest = 0;
  each_rock(model.medium, grid_options(values),
            [&](const Rock& rock) { fastest = std::max(fastest, mechanisms.unrelaxed(rock).vp); });
  return fastest;
}

double time_step(const Case& values, const Model& model, double fastest) {
  const Real3 spacing = values.real3("grid.spacing");
  const double dt = stable_time_step(values, largest_stable_step(fastest, model, spacing));
  const double highest = Mechanisms::largest_angle / (2 * std::numbers::pi * dt);
  if (model.band && model.band->high > highest) {
    throw values.error(
        "attenuation.band", "the band reaches too far",
        fmt::format("steps of {:.3g} s follow waves of up to {:.3g} Hz", dt, highest),
        "end it where P waves have 6 cells");
  }
  return dt;
}

template <int Dimensions, class T>
class WaveSetup : public Setup {
 public:
  WaveSetup(const Case& values, const Model& model, Runtime& runtime)
      : model_(model),
        grid_(runtime, grid_options(values, conditions_at(model.edges,
                                                          [](auto, Edge) { return constant(0); }))),
        speeds_(speeds(model.medium, grid_options(values), ranks())),
        fastest_(fastest_wave(values, model, speeds_.fastest)),
        dt_(time_step(values, model, fastest_)),
        step_(grid_, model, fastest_, dt_),
        comparisons_(read_comparisons(values)),
        simulation_(grid_, step_.program(), simulation_options(values)) {
    simulation_.options().dt = dt_;
    std::vector<AnyField> velocity, fields;
    for (const auto& v : step_.velocity) velocity.emplace_back(v, "m/s");
    fields = velocity;
    fields.emplace_back(step_.normal, "Pa");
    for (const auto& s : step_.shear) fields.emplace_back(s, "Pa");
    fields.emplace_back(step_.density, "kg/m3");
    fields.emplace_back(step_.lambda, "Pa");
    fields.emplace_back(step_.compliance, "1/Pa");
    for (const auto& u : step_.displacement) fields.emplace_back(u, "m");
    if (step_.peak) fields.emplace_back(*step_.peak, "m/s");
    std::vector<Column> columns;
    if (is_periodic()) {
      simulation_.derive(step_.balance());
      columns.push_back({"energy", "J", [this] { return energy(); }});
    } else {
      for (const AnyField& v : velocity) {
        columns.push_back(minimum_of(v));
        columns.push_back(maximum_of(v));
      }
    }
    const auto depth = std::make_shared<const Vertical>(Vertical{.points_down = true});
    for (AnyField& field : fields) field.set_vertical(depth);
    add_outputs(simulation_, values, fields, columns);
    const SeismogramFormats formats = read_formats(values);
    if (const auto receivers = read_receivers(values, model); !receivers.empty()) {
      std::optional<Real3> source;
      if (model.sources.size() == 1) source = model.sources.front().position;
      auto seismograms = std::make_unique<Seismograms>(
          velocity, receivers, every(values.integer("output.seismograms.every")), formats, source);
      if (formats.segy) require_segy(values, receivers, source);
      seismograms_ = seismograms.get();
      simulation_.add(std::move(seismograms));
    }
    std::map<std::string, std::string> units = {
        {"time_step", "s"}, {"slowest_s_wave", "m/s"}, {"energy", "J"}, {"peak_velocity", "m/s"}};
    for (const AnyField& v : velocity) units["largest_" + v.name()] = "m/s";
    simulation_.results([this](Json& results) { report(results); }, units);
  }
  Simulation& simulation() override { return simulation_; }

 private:
  Communicator& ranks() const { return *grid_.state()->context->communicator(); }
  bool is_periodic() const {
    for (const auto& axis : model_.edges) {
      if (axis[0] != Edge::periodic) return false;
    }
    return true;
  }
  /// Error (usage): SEG-Y would be misread.
  void require_segy(const Case& values, const std::vector<Receiver>& receivers,
                    const std::optional<Real3>& source) const {
    const auto every = static_cast<double>(values.integer("output.seismograms.every"));
    const SimulationOptions& options = simulation_.options();
    const double steps =
        options.steps >= 0 ? static_cast<double>(options.steps) : options.end / dt_;
    SegyGather gather;
    gather.interval = every * dt_;
    gather.source = source;
    for (const Receiver& receiver : receivers) gather.traces.push_back({receiver.position, {}});
    const std::string why = why_not_segy(gather, static_cast<Index>(steps / every) + 1);
    if (why.empty()) return;
    const double whole = std::floor(1e6 * gather.interval);
    throw values.error("output.seismograms.formats", "SEG-Y cannot hold these seismograms", why,
                       whole >= 100 ? fmt::format("set time.dt = {:.12g}, or write csv or sac",
                                                  1e-6 * whole / every)
                                    : "write csv or sac");
  }
  double energy() const {
    const Real3 h = grid_.spacing();
    return (step_.motion.value() + step_.strain.value()) * h[0] * h[1] * h[2];
  }

  void report(Json& results) const {
    results["time_step"] = dt_;
    results["slowest_s_wave"] = speeds_.slowest;
    for (const auto& v : step_.velocity) {
      results["largest_" + v.name()] = std::max(-v.minimum(), v.maximum());
    }
    if (is_periodic()) results["energy"] = energy();
    if (step_.peak) results["peak_velocity"] = step_.peak->maximum();
    if (comparisons_.empty()) return;
    Json& all = results["misfit"] = Json::array();
    for (const Comparison& one : comparisons_) {
      Trace trace;
      const std::size_t column = seismograms_->column(one.quantity);
      for (const auto& row : seismograms_->rows(one.receiver)) {
        trace.time.push_back(row[0]);
        trace.value.push_back(row[column]);
      }
      const Misfit found = misfit(trace, one.reference, one.low_pass);
      all.push_back({{"receiver", one.receiver},
                     {"quantity", one.quantity},
                     {"relative_l2", found.relative_l2},
                     {"envelope", found.of_envelope},
                     {"peak_ratio", found.peak_ratio},
                     {"delay", found.delay}});
    }
  }

  Model model_;
  Grid grid_;
  SpeedRange speeds_;
  double fastest_;  ///< m/s
  double dt_;
  WaveStep<Dimensions, T> step_;
  std::vector<Comparison> comparisons_;
  Simulation simulation_;
  const Seismograms* seismograms_ = nullptr;
};

template <int Dimensions>
std::unique_ptr<Setup> make_setup(const Case& values, const Model& model, Runtime& runtime) {
  return with_precision<float, double>(values, [&]<class T>() -> std::unique_ptr<Setup> {
    return std::make_unique<WaveSetup<Dimensions, T>>(values, model, runtime);
  });
}

class Seismic : public Application {
 public:
  std::string name() const override { return "seismic"; }
  std::string summary() const override {
    return "elastic waves in rock: earthquakes, sources and receivers, free surface, layers";
  }
  std::vector<ShownField> fields() const override {
    return {
        {"velocity_x", "m/s", "on faces, as velocity_y and velocity_z"},
        {"velocity_y", "m/s", "in space"},
        {"velocity_z", "m/s", ""},
        {"displacement_x", "m", "where output.displacement asks for it"},
        {"displacement_y", "m", "in space"},
        {"displacement_z", "m", ""},
        {"normal_stress", "Pa", "components xx, yy, zz; in the plane xx, zz"},
        {"shear_xy", "Pa", "in space"},
        {"shear_xz", "Pa", ""},
        {"shear_yz", "Pa", "in space"},
        {"density", "kg/m3", ""},
        {"lambda", "Pa", "Lame's first parameter"},
        {"shear_compliance", "1/Pa", "1 / mu"},
        {"peak_velocity", "m/s", "at the surface, where output.surface.peak_velocity asks for it"}};
  }
  void declare(CaseSchema& schema) const override { declare_keys(schema); }
  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    const Model model = read_model(values);
    return model.dimensions == 2 ? make_setup<2>(values, model, runtime)
                                 : make_setup<3>(values, model, runtime);
  }
};

}  // namespace
}  // namespace seismic

const Application& seismic_application() {
  static const seismic::Seismic application;
  return application;
}

}  // namespace goban
