#pragma once
// All that was said of a run before it starts.

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "goban/program/program.hpp"
#include "goban/simulation/any_field.hpp"
#include "goban/simulation/case_changes.hpp"
#include "goban/simulation/options.hpp"
#include "goban/simulation/plan/engines.hpp"
#include "goban/simulation/when.hpp"

namespace goban {

/// Changes the state between steps.
struct Adjustment {
  Index every = 1;  ///< steps between two
  std::function<void(const Clock&)> change;
};

struct RunPlan {
  Grid grid;
  Program program;
  SimulationOptions options;
  std::vector<std::unique_ptr<SimulationOutput>> outputs = {};
  std::vector<AnyField> shown = {};  ///< what outputs of the case may name
  std::vector<Adjustment> adjustments = {};
  std::vector<StopRule> stops = {};
  std::vector<Program> derived = {};
  std::vector<std::shared_ptr<ParameterRecord>> kept = {};
  std::vector<std::function<void(nlohmann::ordered_json&)>> results = {};
  std::map<std::string, std::string> result_units = {};
  std::vector<std::function<std::string()>> warnings = {};
  std::optional<When> checkpoints = {};
  CheckpointPolicy checkpoint_policy = {};
  bool shows_progress = false;
  std::vector<CaseChange> changes = {};  ///< what restarts have changed in the case so far

  const std::string& name() const { return options.name.empty() ? program.name() : options.name; }
  const std::string& app() const { return options.app.empty() ? program.name() : options.app; }
  /// Where files go, as the command line says or else the options; empty if there are none.
  std::string directory() const;
  /// Where they would go if the command line said nothing, were there any.
  std::string own_directory() const;
  /// Where its live page is: as the command line says or else the options; empty: there is none.
  const std::string& live() const;
  /// Where it begins: as the command line says or else the options.
  Restart restart() const;
  /// The ranks that run it together.
  std::shared_ptr<Communicator> communicator() const;
  /// Throws Error (usage) unless something ends the run.
  void check() const;
};

}  // namespace goban
