#pragma once
// Several steps of unmodified sweeps in one pass through cache.
//
// The middle axis is cut into tiles of a few rows, the slowest axis into slabs. A tile moves along
// the slowest axis through its slab; on every round each step updates the planes that the step
// before has just made possible, so step s lags behind step s - 1 by the reach of its reads. Values
// between steps live in a window of a few planes per version, small enough for the second-level
// cache; only what is kept goes to memory. Tiles overlap: what a later step reads beyond the tile
// is computed twice, so tiles are independent of each other and threads never wait.
//
//   slow axis ->            held values   ..................|      read from memory
//                           step 0        ============[window]
//                           step 1        ===========[window]
//                           step 2        ==========|              written to memory

#include "goban/backend/api.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/backend/cpu/window.hpp"

namespace goban::cpu {

/// Windows of every thread, kept from pass to pass.
using PassWindows = std::vector<std::vector<Window>>;

void run_pass(const PassTask& task, ThreadTeam& team, PassWindows& windows, bool streaming_stores);

}  // namespace goban::cpu
