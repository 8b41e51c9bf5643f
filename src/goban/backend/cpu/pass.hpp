#pragma once
// Several steps of unmodified sweeps in one pass through cache, in the memory of the fields.
//
// A tile has some rows of all the planes of a part. It moves along the slowest axis: in every round
// each step updates the planes that the step before has just made possible, so that step s lags
// behind step s - 1 by the reach of its reads. What the steps read and write, a few planes of every
// field, stays in the core's own cache. A step may overwrite the values of the step before last as
// soon as these have been read for the last time (pass_lags.hpp), so that versions need no memory
// besides that of the fields. No value is computed twice (pass_tiles.hpp).
//
//   slow axis ->            field    -------------------------  before the pass
//                           step 0   ======================
//                           step 1   ====================
//                           step 2   ==================

#include "goban/backend/api.hpp"
#include "goban/backend/cpu/thread_team.hpp"

namespace goban::cpu {

/// Runs a pass with all threads of the team and returns when it is done.
void run_pass(const PassTask& task, ThreadTeam& team);

}  // namespace goban::cpu
