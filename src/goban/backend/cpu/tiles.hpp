#pragma once
// How a sweep over a box is cut for threads and caches.

#include "goban/backend/api.hpp"
#include "goban/backend/cpu/thread_team.hpp"

namespace goban::cpu {

/// Rows of a tile such that the planes a stencil reaches over stay in the second-level cache while
/// the tile moves along the slowest axis. At least 4.
Index rows_per_tile(const SweepTask& task);

/// Bytes a sweep over the task's box reads and writes.
double bytes_touched(const SweepTask& task);

/// The part of `box` that thread `thread` of `threads` updates: cut along the slowest axis, or the
/// middle one if that is too short, or if threads should work on the same planes.
Box thread_part(const Box& box, const std::array<int, 3>& order, int threads, int thread,
                bool shares_planes = false);

/// A thread's part of a fill: layers of one place stay together, for ghosts may be made of a wall
/// face that another fill of the same call sets.
Box fill_part(const FillTask& task, int threads, int thread);

/// Runs the kernel over the call's box in tiles; the task's edges follow a few planes behind.
void run_tiles(SweepFunction kernel, const SweepCall& call, const SweepTask& task, Index rows);

}  // namespace goban::cpu
