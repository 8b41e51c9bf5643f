#pragma once
// The parts into which an engine cuts its program: straight segments, loops and host calls.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "goban/domain/engine/device_loop.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/domain/engine/plan_choice.hpp"
#include "goban/domain/engine/recorded_cycles.hpp"
#include "goban/domain/engine/sample_memory.hpp"

namespace goban {

/// The schedule of one cycle length, the command lists that it becomes, and what devices recorded
/// of them.
struct Engine::Planned {
  Schedule schedule;
  Phases phases;
  RecordedCycles recorded;
};

/// A straight run of consecutive stages on one family of grids. Cycles are made of segments.
struct Engine::Segment {
  /// The grid of its first stage; null if its stages have no grid.
  std::shared_ptr<GridState> grid;
  /// Its number among the segments with a grid, in the program's order; see TimeSplit::parts.
  std::size_t number = 0;
  std::vector<std::shared_ptr<Stage>> written;  ///< the stages of the program
  /// The stages as they run; see with_moves() and on_lists().
  std::vector<std::shared_ptr<Stage>> stages;
  Slots slots;
  std::vector<bool> alive;  ///< per name: whether its value is needed after a step
  bool has_run = false;     ///< a cycle has run, so later ones need not wait for kernels
  bool repeats = false;     ///< it is all of its block, so that one step follows the other
  StepPlan plan;
  std::string pass_refusal;  ///< why temporal blocking is off; empty if it is on
  /// What was planned so far, keyed by steps per cycle, steps per pass, and overlap.
  std::map<std::tuple<int, int, Overlap>, Planned> planned;
  /// The trials of plans that the settings leave open and that are predicted to be nearly equally
  /// fast, in the first steps of a run.
  PlanChoice choice;
  NearPlans near;         ///< the plans that are worth a trial
  PlanOffer offer;        ///< all plans, with their predictions
  int distribution = -1;  ///< the number of the domain's distribution for which plans were chosen
  struct Turn {
    Index cycles_left = 0, steps = 0;
    double seconds = 0;
  } turn;
  /// The number of runs in a row that had fewer steps than the cycle to be tried.
  int short_runs = 0;
  std::vector<SampleMemory> samples;
  /// Parameters that sweeps read and no stage computes. Code outside of the stages may change them.
  std::vector<const ParameterRecord*> settings;
  std::vector<double> values;  ///< the values of those `settings` that recordings depend on

  void forget_recorded() {
    for (auto& [key, one] : planned) one.recorded = {};
  }
};

struct Engine::Loop {
  std::shared_ptr<Stage> stage;
  std::shared_ptr<Block> body;
  std::unique_ptr<Block> check;
  /// The recordings with which a device repeats the loop by itself, and the reason if there are
  /// none.
  std::vector<std::unique_ptr<DeviceLoop>> recorded;
  std::string refusal;
  /// Why its stages need the host on any device (empty if they do not); null until this is asked
  /// for.
  std::optional<std::string> refusal_of_stages;
  /// For rounds that the host has run: the number of the domain's state before a round, and after
  /// it.
  std::map<int, int> ends;
  /// How often a loop with a condition was entered so far, and its rounds in all.
  Index entered = 0, rounds = 0;
  Index on_device = 0;  ///< rounds that a device has repeated by itself

  /// Returns the number of times that the body runs between two tests of the condition.
  Index steps_of_round() const { return stage->kind == Stage::Kind::until ? stage->count : 1; }
  double mean_rounds() const {
    return entered > 0 ? static_cast<double>(rounds) / static_cast<double>(entered) : 1;
  }

  void forget_recorded() {
    recorded.clear();
    refusal.clear();
    refusal_of_stages.reset();
    ends.clear();
  }
};

struct Engine::Item {
  std::variant<Segment, Loop, std::shared_ptr<Stage>> what;
};

struct Engine::Block {
  std::vector<Item> items;
  bool straight = false;  ///< it is one segment with a grid and nothing else
};

/// Visits all items, including those within loops.
template <class Visit>
void Engine::visit_items(Block& block, Visit&& visit) {
  for (auto& item : block.items) {
    visit(item.what);
    auto* const loop = std::get_if<Loop>(&item.what);
    if (loop) visit_items(*loop->body, visit);
    if (loop && loop->check) visit_items(*loop->check, visit);
  }
}

template <class Visit>
void Engine::visit_segments(Block& block, Visit&& visit) {
  visit_items(block, [&](auto& what) {
    auto* const segment = std::get_if<Segment>(&what);
    if (segment && segment->grid) visit(*segment);
  });
}

}  // namespace goban
