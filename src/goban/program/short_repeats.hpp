#pragma once
// Repeats that need no loop: their rounds stand one after the other in the run of stages around
// them.

#include <memory>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

/// The stages of all rounds of a repeat, in their order; none if it is better kept as a loop, or
/// has more than `most`. It is where something happens between two rounds or differs from one to
/// the other (numbers are computed, samples taken; the step, the time or ghosts that follow it are
/// seen), and where a round works on one grid alone, as rounds are then run several at a time.
std::vector<std::shared_ptr<Stage>> rounds_of_short_repeat(const Stage& repeat, std::size_t most);

}  // namespace goban
