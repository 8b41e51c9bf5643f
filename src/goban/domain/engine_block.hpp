#pragma once
// How an engine has cut its program: straight segments, loops, host calls.

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "goban/domain/engine.hpp"
#include "goban/domain/recorded_cycles.hpp"

namespace goban {

/// Consecutive stages on one grid; what a cycle is made of.
struct Engine::Segment {
  std::shared_ptr<GridState> grid;
  std::vector<std::shared_ptr<Stage>> stages;
  Slots slots;
  std::vector<bool> alive;  ///< per name: its value at the end is needed
  bool has_run = false;     ///< a cycle, which may have waited for kernels to be loaded
  bool repeats = false;     ///< all of its block: step follows step with nothing between
  int steps_per_cycle = 1;
  int steps_per_pass = 1;
  std::string pass_refusal;           ///< why temporal blocking is off; empty if it is on
  std::map<int, Schedule> schedules;  ///< per number of steps
  /// Passes left open by the settings are compared with single sweeps in the first steps of a run.
  struct Comparison {
    int cycles_left = 0;                                      ///< in turn
    double passes = std::numeric_limits<double>::infinity();  ///< seconds, fastest cycle
    double sweeps = std::numeric_limits<double>::infinity();
  } comparison;
  RecordedCycles recorded;
};

struct Engine::Loop {
  std::shared_ptr<Stage> stage;
  std::unique_ptr<Block> body;
  std::unique_ptr<Block> check;
};

struct Engine::Item {
  std::variant<Segment, Loop, std::shared_ptr<Stage>> what;
};

struct Engine::Block {
  std::vector<Item> items;
  bool straight = false;  ///< one segment and nothing else
};

template <class Visit>
void Engine::visit_segments(Block& block, Visit&& visit) {
  for (auto& item : block.items) {
    if (auto* segment = std::get_if<Segment>(&item.what)) {
      if (segment->grid) visit(*segment);
    } else if (auto* loop = std::get_if<Loop>(&item.what)) {
      visit_segments(*loop->body, visit);
      if (loop->check) visit_segments(*loop->check, visit);
    }
  }
}

}  // namespace goban
