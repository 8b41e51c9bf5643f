#pragma once
// Several steps of unmodified sweeps in one pass through cache, in the memory of the fields.
//
// A tile is some rows of all planes it has. It moves along the slowest axis: on every round each
// step updates the planes that the step before has just made possible, so step s lags behind step
// s - 1 by the reach of its reads, and what they read and write, a few planes of every field, stays
// in the core's own cache. A step may write over the values of the step before last as soon as
// these have been read for the last time (pass_lags.hpp): versions need no memory beside that of
// the fields. No value is computed twice (pass_tiles.hpp).
//
//   slow axis ->            field    -------------------------  before the pass
//                           step 0   ======================
//                           step 1   ====================
//                           step 2   ==================

#include "goban/backend/api.hpp"
#include "goban/backend/cpu/thread_team.hpp"

namespace goban::cpu {

void run_pass(const PassTask& task, ThreadTeam& team);

}  // namespace goban::cpu
