#pragma once
// Where a run begins.

#include <string>

#include "goban/base/types.hpp"

namespace goban {

struct Restart {
  enum class From {
    beginning,
    newest,  ///< the newest checkpoint that verifies; the beginning if there is none at all
    step     ///< the checkpoint of that step and no other
  };
  From from = From::beginning;
  Index step = 0;
};
inline Restart restart_newest() { return {Restart::From::newest, 0}; }
inline Restart restart_at(Index step) { return {Restart::From::step, step}; }
/// The restart that "newest" or a step names. Error (usage): anything else.
Restart restart_named(const std::string& word);

}  // namespace goban
