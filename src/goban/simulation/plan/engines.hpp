#pragma once
// Everything of a simulation that computes: the step, what decides when to stop, what outputs show.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "goban/domain/engine/engine.hpp"
#include "goban/simulation/output/output.hpp"
#include "goban/simulation/plan/program_parts.hpp"
#include "goban/simulation/plan/sampling.hpp"

namespace goban {

/// Ends a run when its condition holds.
struct StopRule {
  Condition condition;
  Index every = 1;  ///< steps between looks
  std::optional<Program> check;

  /// "residual < 1e-06".
  std::string describe() const;
};

/// A field whose values the next step needs, or that was asked for as output.
struct LiveField {
  std::shared_ptr<FieldRecord> record;
  std::shared_ptr<GridState> grid;
  bool needed = true;   ///< to go on from here; otherwise for output alone
  bool changes = true;  ///< the step writes it
};

class Engines {
 public:
  /// Marks the fields of `outputs`, of checks and of derived programs as outputs of the step.
  Engines(const Program& step, const std::vector<StopRule>& stops,
          const std::vector<Program>& derived,
          const std::vector<std::unique_ptr<SimulationOutput>>& outputs);

  Engine& step() { return *step_; }
  /// What the step takes for outputs.
  Sampling& sampling() { return *sampling_; }
  const Sampling& sampling() const { return *sampling_; }
  const std::vector<LiveField>& live_fields() const { return live_; }
  /// The parameters of all programs.
  std::vector<std::shared_ptr<ParameterRecord>> parameters() const;
  /// Bytes of all fields; no storage is made.
  Index bytes_needed();
  Index bytes_allocated() const;
  TimeSplit time_split() const;
  /// How the grids of the step were balanced.
  std::vector<const BalanceReport*> balance() const { return step_->balance(); }

  void prepare();
  /// Runs the check of rule `index` and returns whether its condition holds.
  bool holds(std::size_t index, const StepClock& clock);
  /// Brings up to date what the output shows and what that is derived from, once per step.
  void derive(const SimulationOutput& output, const StepClock& clock);
  /// Brings all that is derived up to date.
  void derive(const StepClock& clock);

 private:
  struct Derived {
    Program program;
    std::unique_ptr<Engine> engine;
    std::set<const void*> writes = {}, uses = {};  ///< records of fields and parameters
    bool has_calls = false;
    Index step = -1;  ///< up to date with this one
  };
  std::vector<GridState*> grids() const;
  void run(Derived& derived, const StepClock& clock);

  std::vector<StopRule> stops_;
  std::vector<std::unique_ptr<Engine>> checks_;  ///< per rule; null where there is no program
  std::vector<Derived> derived_;
  std::optional<Sampling> sampling_;
  std::unique_ptr<Engine> step_;
  std::vector<LiveField> live_;
};

}  // namespace goban
