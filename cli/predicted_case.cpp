#include "cli/predicted_case.hpp"

#include <fmt/format.h>

#include "goban/base/error.hpp"
#include "goban/io/case/setting_keys.hpp"
#include "goban/runtime/on_paper.hpp"
#include "goban/simulation/run/predicted_run.hpp"

namespace goban::cli {
namespace {

std::vector<std::string> grown(const Case& values, std::vector<std::string> overrides,
                               Index3 times) {
  const Index3 cells = values.integer3("grid.cells");
  const Real3 spacing = values.real3("grid.spacing"), origin = values.real3("grid.origin");
  overrides.push_back(fmt::format("grid.cells={},{},{}", times[0] * cells[0], times[1] * cells[1],
                                  times[2] * cells[2]));
  overrides.push_back(
      fmt::format("grid.spacing={:.17g},{:.17g},{:.17g}", spacing[0], spacing[1], spacing[2]));
  overrides.push_back(
      fmt::format("grid.origin={:.17g},{:.17g},{:.17g}", origin[0], origin[1], origin[2]));
  return overrides;
}

PredictedCase case_on_paper(const Context& context, const PredictedSource& source, Index3 times) {
  const Application& application = application_for(context, source.file, source.overrides);
  Case values = case_of(application, source.file, source.overrides);
  if (times != Index3{1, 1, 1}) {
    values = case_of(application, source.file, grown(values, source.overrides, times));
  }
  PredictedCase one{on_paper(application, values), {}, run_settings(values), {}};
  const Simulation* simulation = one.paper.simulation;
  require(simulation != nullptr, "cannot predict it",
          application.name() + " has no sweeps over a grid", "name a case of another application");
  one.run = predicted_run(*simulation, source.rounds);
  one.run.name = values.name();
  return one;
}

/// The keys that count where there is no case.
CaseSchema schema_of_work() {
  CaseSchema schema;
  schema.section("grid", "the board");
  schema.integers("grid.cells").length(3).or_one_for_all().at_least(1).doc("cells along x, y, z");
  declare_machine(schema, "how it is computed");
  schema.choice("run.precision", {"float32", "float64"}, "float32").doc("size of values");
  declare_settings(schema);
  return schema;
}

PredictedCase work_on_paper(const PredictedSource& source, Index3 times) {
  const Case values = parse_case(schema_of_work(), "", "--work", source.overrides);
  PredictedCase one{{}, {"the work told", {}, 0, {}}, run_settings(values), {}};
  require(one.settings.temporal_blocking < 0, "run.temporal_blocking cannot be predicted",
          "what is told is told of one sweep", "leave it out");
  const bool is_double = values.choice("run.precision") == "float64";
  one.work = told_work(source.work, is_double ? ElementType::float64 : ElementType::float32);
  Index3 cells = values.integer3("grid.cells");
  for (int a = 0; a < 3; ++a) cells[a] *= times[a];
  one.paper.runtime = std::make_unique<Runtime>(settings_on_paper(one.settings));
  one.run.runs = {run_of(*one.work, cells, *one.paper.runtime)};
  return one;
}

}  // namespace

PredictedCase predicted_case(const Context& context, const PredictedSource& source, Index3 times) {
  return source.work.empty() ? case_on_paper(context, source, times) : work_on_paper(source, times);
}

}  // namespace goban::cli
