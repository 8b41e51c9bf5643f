#pragma once
// How an engine has cut its program: straight segments, loops, host calls.

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

/// What a cycle does: the schedule, and the commands it becomes.
struct Engine::Planned {
  Schedule schedule;
  Phases phases;
  RecordedCycles recorded;
};

/// Consecutive stages on one family of grids; what a cycle is made of.
struct Engine::Segment {
  std::shared_ptr<GridState> grid;  ///< the grid of the first stage
  /// Its number among the segments with a grid, in the program's order.
  std::size_t number = 0;
  std::vector<std::shared_ptr<Stage>> written;  ///< as in the program
  std::vector<std::shared_ptr<Stage>> stages;   ///< as they run, see with_moves()
  Slots slots;
  std::vector<bool> alive;  ///< per name: its value at the end is needed
  bool has_run = false;     ///< a cycle, which may have waited for kernels to be loaded
  bool repeats = false;     ///< all of its block: step follows step with nothing between
  StepPlan plan;
  std::string pass_refusal;  ///< why temporal blocking is off; empty: it is on
  /// What was planned, by steps of a cycle, steps of a pass, and overlap.
  std::map<std::tuple<int, int, Overlap>, Planned> planned;
  /// What the settings leave open is predicted, and what lies near found out in the first steps of
  /// a run.
  PlanChoice choice;
  NearPlans near;         ///< the plans near the choice
  PlanOffer offer;        ///< the plans that these were taken from
  int distribution = -1;  ///< the number of the domain's distribution when the choice was offered
  struct Turn {
    Index cycles_left = 0, steps = 0;
    double seconds = 0;
  } turn;
  /// Short runs in a row: they have fewer steps than the cycle to be tried.
  int short_runs = 0;
  std::vector<SampleMemory> samples;  ///< the memory of each stage that takes samples
  /// Parameters that sweeps read and no stage computes: others set them now and then.
  std::vector<const ParameterRecord*> settings;
  std::vector<double> values;  ///< values of these parameters

  void forget_recorded() {
    for (auto& [key, one] : planned) one.recorded = {};
  }
};

struct Engine::Loop {
  std::shared_ptr<Stage> stage;
  std::shared_ptr<Block> body;
  std::unique_ptr<Block> check;
  /// What its device recorded, to repeat the loop by itself; and why there is nothing.
  std::vector<std::unique_ptr<DeviceLoop>> recorded;
  std::string refusal;
  /// Why its stages need the host, whatever they run on; null: nobody has asked.
  std::optional<std::string> refusal_of_stages;
  /// For rounds that the host runs: the number of the domain's state before and after.
  std::map<int, int> ends;
  /// How often a loop with a condition was entered, and its rounds, so far.
  Index entered = 0, rounds = 0;
  Index on_device = 0;  ///< rounds that its device has repeated by itself

  /// Steps of the program between two looks at the condition.
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
  bool straight = false;  ///< one segment and nothing else
};

/// Visits all items, those of loops, too.
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
