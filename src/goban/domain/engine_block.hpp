#pragma once
// How an engine has cut its program: straight segments, loops, host calls.

#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "goban/domain/engine.hpp"

namespace goban {

/// Consecutive stages on one grid; what a cycle is made of.
struct Engine::Segment {
  std::shared_ptr<GridState> grid;
  std::vector<std::shared_ptr<Stage>> stages;
  Slots slots;
  std::vector<bool> alive;            ///< per name: its value at the end is needed
  std::map<int, Schedule> schedules;  ///< per number of steps
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

}  // namespace goban
