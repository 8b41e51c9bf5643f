#include "heat/keys.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "goban/cases/profile.hpp"
#include "goban/cases/side_keys.hpp"
#include "goban/io/case/time_value.hpp"
#include "goban/io/case/units.hpp"
#include "goban/io/image/image_source.hpp"

namespace goban::heat {
namespace {

std::vector<Profile> read_profiles(const Case& values, const std::string& list) {
  std::vector<Profile> profiles;
  for (const Case& row : values.list(list)) {
    profiles.push_back(read_profile(row, values));
    if (list == "initial") read_pattern(profiles.back(), row, values);
  }
  return profiles;
}

struct Phases {
  /// Conductivities of grey values; empty: the grey values are conductivities.
  std::map<double, double> conductivities;
  /// Capacities of grey values that have one of their own.
  std::map<double, double> capacities;
};

/// Reads phases from "87: 129 W/(m K)" or "87: 129 W/(m K), 3.5e6 J/(m3 K)".
Phases read_phases(const Case& values) {
  Phases phases;
  for (const std::string& text : values.texts("medium.phases")) {
    const auto colon = text.find(':'), comma = text.find(',');
    const auto after = [&](std::size_t sign, std::size_t end) {
      return sign == std::string::npos ? "" : text.substr(sign + 1, end - sign - 1);
    };
    const Quantity grey = parse_quantity(text.substr(0, colon), "1");
    const Quantity conductivity = parse_quantity(after(colon, comma), "W/(m K)");
    const Quantity capacity = parse_quantity(after(comma, std::string::npos), "J/(m3 K)");
    const bool has_capacity = comma != std::string::npos;
    if (!grey.value || !conductivity.value || *conductivity.value < 0 ||
        (has_capacity && (!capacity.value || !(*capacity.value > 0)))) {
      throw values.error("medium.phases", "\"" + text + "\" is refused",
                         "a grey value, a colon and a conductivity are expected, perhaps a comma "
                         "and a heat capacity",
                         "write for example \"87: 129\" or \"87: 129, 3.5e6\"");
    }
    phases.conductivities[*grey.value] = *conductivity.value;
    if (has_capacity) phases.capacities[*grey.value] = *capacity.value;
  }
  return phases;
}

/// The grey values of an image as conductivities or capacities.
class MediumImage : public ImageSource {
 public:
  /// `others`: what greys stand for that have no phase; not given: for themselves if there are no
  /// phases, otherwise they are refused.
  MediumImage(const Case& values, std::map<double, double> phases,
              std::optional<double> others = {})
      : ImageSource(ElementType::float64, values.integer3("grid.cells")),
        values_(values),
        greys_(open_image(values.path("medium.image"), {.extents = extents()})),
        phases_(std::move(phases)),
        others_(others) {}

  Array read(const Box& box) override {
    ImageWindow greys(greys_);
    greys.show(box);
    Array numbers(type(), box.extents());
    const auto out = numbers.as<double>();
    std::size_t at = 0;
    Index3 cell;
    for (cell[2] = box.lower[2]; cell[2] < box.upper[2]; ++cell[2]) {
      for (cell[1] = box.lower[1]; cell[1] < box.upper[1]; ++cell[1]) {
        for (cell[0] = box.lower[0]; cell[0] < box.upper[0]; ++cell[0]) {
          out[at++] = number_of(greys.at(cell), cell);
        }
      }
    }
    return numbers;
  }

 private:
  double number_of(double grey, Index3 cell) const {
    const auto place = [&] {
      return fmt::format("cell {} {} {} of the image has it", cell[0], cell[1], cell[2]);
    };
    double value = grey;
    if (!phases_.empty()) {
      const auto phase = phases_.find(grey);
      if (phase == phases_.end() && others_) return *others_;
      if (phase == phases_.end()) {
        throw values_.error("medium.phases", fmt::format("grey value {} has no conductivity", grey),
                            place(), fmt::format("add \"{}: 1.0\"", grey));
      }
      value = phase->second;
    }
    if (!(value >= 0) || !std::isfinite(value)) {
      throw values_.error("medium.image", fmt::format("conductivity {} is refused", value), place(),
                          "name the conductivity of every grey value in medium.phases");
    }
    return value;
  }

  Case values_;
  std::shared_ptr<ImageSource> greys_;
  std::map<double, double> phases_;
  std::optional<double> others_;
};

Medium read_medium(const Case& values) {
  auto medium = values.read<Medium>();
  medium.inclusions = read_profiles(values, "inclusion");
  const std::vector<Case> rows = values.list("inclusion");
  const bool has_capacities = std::any_of(rows.begin(), rows.end(),
                                          [](const Case& row) { return row.has("heat_capacity"); });
  for (std::size_t n = 0; n < rows.size() && has_capacities; ++n) {
    medium.capacities.push_back(medium.inclusions[n]);
    medium.capacities[n].amplitude =
        rows[n].has("heat_capacity") ? rows[n].real("heat_capacity") : medium.heat_capacity;
  }
  if (values.path("medium.image").empty()) {
    if (values.texts("medium.phases").empty()) return medium;
    throw values.error("medium.phases", "phases are refused",
                       "they say what the greys of an image are, and there is no image",
                       "name the image in medium.image");
  }
  const Phases phases = read_phases(values);
  medium.image = std::make_shared<MediumImage>(values, phases.conductivities);
  if (!phases.capacities.empty()) {
    medium.capacity_image =
        std::make_shared<MediumImage>(values, phases.capacities, medium.heat_capacity);
    for (const auto& [grey, capacity] : phases.capacities) {
      medium.phases.push_back({phases.conductivities.at(grey), capacity});
    }
  }
  return medium;
}

void refuse(const Case& values, const std::string& key, bool condition, const std::string& why) {
  if (condition && values.given(key)) throw values.error(key, key + " is refused", why);
}

}  // namespace

void declare_keys(CaseSchema& schema) {
  declare_common(schema, {.precisions = {"float64", "float32", "half"}});
  schema.section("problem", "the problem to solve");
  schema
      .key("problem.kind", &Model::problem,
           {{"transient", Problem::transient},
            {"steady", Problem::steady},
            {"effective", Problem::effective}})
      .doc(
          "transient: a run in time; steady: the steady state; effective: the conductivity tensor "
          "of a periodic medium");
  schema.key("problem.tolerance", &Model::tolerance)
      .positive()
      .doc("steady, effective: residual at which the solution ends, relative to the first");
  schema
      .key("problem.solver", &Model::solver,
           {{"conjugate gradients", Solver::diagonal}, {"multigrid", Solver::multigrid}})
      .doc("steady: preconditioner, the diagonal or a cycle over coarser grids");
  schema.section("medium", "the medium that conducts");
  schema.key("medium.conductivity", &Medium::conductivity)
      .at_least(0)
      .unit("W/(m K)")
      .doc("conductivity of the matrix");
  schema.key("medium.heat_capacity", &Medium::heat_capacity)
      .positive()
      .unit("J/(m3 K)")
      .doc("heat capacity per volume");
  schema.path("medium.image", "")
      .doc(
          "image of the conductivity, cell by cell, as large as the grid: NPY, NRRD, TIFF, "
          "PNG, raw");
  schema.texts("medium.phases", std::vector<std::string>{})
      .doc(
          "\"grey value: conductivity\" for every grey value, with its own heat capacity as "
          "\"87: 129 W/(m K), 3.5e6 J/(m3 K)\"; none: they are W/(m K)");
  CaseSchema& inclusion = schema.tables("inclusion", "a body of another material");
  declare_profile(inclusion, {"box", "sphere", "cylinder", "stl"});
  inclusion.key("conductivity", &Profile::amplitude)
      .required()
      .at_least(0)
      .unit("W/(m K)")
      .doc("conductivity of the body");
  inclusion.real("heat_capacity")
      .positive()
      .unit("J/(m3 K)")
      .optional()
      .doc("heat capacity of the body, per volume; default: that of the medium");

  schema.section("boundary",
                 "each side: periodic, mirror (nothing flows), wall_value T (held at the face), "
                 "constant T (held beyond it), gradient G (outward), convection H T (a fluid of "
                 "temperature T takes H W/(m2 K) times the difference to it)");
  declare_sides(schema,
                "low and high side, as [\"wall_value 300 K\", \"mirror\"]; values may be "
                "expressions of t",
                true);
  CaseSchema& initial = schema.tables("initial", "a term of the initial temperature; they add up");
  declare_profile(initial,
                  {"uniform", "box", "sphere", "cylinder", "gaussian", "mode", "image", "stl"});
  initial.key("value", &Profile::amplitude)
      .required()
      .unit("K")
      .doc("height of the term; for an image the factor of its numbers");
  declare_pattern(initial);
  CaseSchema& source = schema.tables("source", "heat released; sources add up");
  declare_profile(source, {"uniform", "box", "sphere", "cylinder", "gaussian", "stl"});
  source.key("power", &Model::VaryingSource::power)
      .required()
      .unit("W/m3")
      .doc("power released per volume");

  schema.section("scheme", "transient: forward Euler, central differences");
  schema.key("scheme.order", &Model::order)
      .between(2, 8)
      .doc("order of the Laplacian: 2, 4, 6 or 8");
  declare_stability(schema, 0.9);
}

Model read_model(const Case& values) {
  auto model = values.read<Model>();
  model.medium = read_medium(values);
  for (std::size_t a = 0; a < 3; ++a) {
    model.boundary.sides[a] = read_conditions(values, key_of_sides(a), "K", &model.convection[a]);
  }
  model.initial = read_profiles(values, "initial");
  for (const Case& row : values.list("source")) {
    Profile profile = read_profile(row, values);
    const TimeValue power = row.read<Model::VaryingSource>().power;
    if (power.varies()) {
      profile.amplitude = 1;
      model.varying_sources.push_back({profile, power});
    } else {
      profile.amplitude = power.at(0);
      model.sources.push_back(profile);
    }
  }
  if (model.order % 2 != 0) {
    throw values.error("scheme.order", "scheme.order is refused", "it is 2, 4, 6 or 8");
  }
  const Index3 cells = values.integer3("grid.cells");
  for (std::size_t a = 0; a < 3; ++a) {
    if (cells[a] >= model.order / 2) continue;
    throw values.error(
        "scheme.order", fmt::format("order {} is refused", model.order),
        fmt::format("its differences reach {} cells, along {} there {}", model.order / 2, "xyz"[a],
                    cells[a] == 1 ? "is 1" : fmt::format("are {}", cells[a])),
        fmt::format("take order {}, or {} cells along {}", 2 * cells[a], model.order / 2,
                    "xyz"[a]));
  }
  const bool transient = model.problem == Problem::transient;
  refuse(values, "scheme.order", model.order > 2 && (!transient || model.has_conductances()),
         "steady states, media that vary and convection are computed in second order");
  refuse(values, "run.precision", !transient && values.choice("run.precision") != "float64",
         "steady states are computed in float64");
  if (!transient) {
    const std::string why = "a steady state is that of values that stay";
    for (std::size_t a = 0; a < 3; ++a) {
      const auto& sides = model.boundary.sides[a];
      refuse(values, key_of_sides(a), sides[0].varying || sides[1].varying, why);
    }
    refuse(values, "source", !model.varying_sources.empty(), why);
  }
  refuse(values, "time.dt", !transient, "steady states have no time step");
  refuse(values, "time.end", !transient,
         "steady states have no time; time.steps limits iterations");
  refuse(values, "problem.solver", model.problem != Problem::steady,
         "there is a choice for steady states alone");
  refuse(values, "problem.solver",
         model.solver == Solver::multigrid && values.choice("run.layout") == "kij",
         "multigrid keeps fields with x fastest in memory; leave run.layout at ijk");
  refuse(values, "problem.tolerance", transient, "a run in time ends with time.steps or time.end");
  if (model.problem == Problem::effective) {
    for (std::size_t a = 0; a < 3; ++a) {
      refuse(values, key_of_sides(a), values.texts(key_of_sides(a))[0] != "periodic",
             "effective conductivity is that of a periodic medium");
    }
    for (const char* list : {"initial", "source"}) {
      refuse(values, list, !values.list(list).empty(), "effective conductivity needs none");
    }
  }
  return model;
}

}  // namespace goban::heat
