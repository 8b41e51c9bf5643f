#pragma once
// How a sweep over a box is cut for threads and caches.

#include <atomic>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cpu/stage_kernel.hpp"
#include "goban/backend/cpu/thread_team.hpp"

namespace goban::cpu {

/// Rows of a tile such that the planes a stencil reaches over stay in the second-level cache while
/// the tile moves along the slowest axis. At least 4.
Index rows_per_tile(const SweepTask& task, const KernelShape& shape);

/// Whether some results go to lines that have not just been read, and may be stored past the
/// caches.
bool writes_anew(const SweepTask& task);

/// Bytes a sweep over the task's box reads and writes.
double bytes_touched(const SweepTask& task);

/// The part of `box` that thread `thread` of `threads` updates: cut along the slowest axis, or the
/// middle one if that is too short, or if threads should work on the same planes. A single row is
/// cut at lines of memory, if it may be, as nothing is made of its ends.
Box thread_part(const Box& box, const std::array<int, 3>& order, int threads, int thread,
                bool shares_planes = false, bool cuts_rows = false);

/// The tiles of all threads' parts of a sweep, in sections along the slowest axis. Threads take
/// those of their own part, whose memory lies near them, then what slower threads have left.
class SharedTiles {
 public:
  SharedTiles(const SweepTask& task, const KernelShape& shape, int threads, Index rows_of_tile);
  /// Makes the call one for the thread's next section; false once all are taken.
  bool take(int thread, SweepCall& call);

 private:
  struct alignas(64) Part {
    Box box;
    Index tiles = 0, sections = 1;
    std::atomic<Index> taken = 0;
  };
  std::array<int, 3> order_;
  Index grain_;
  std::vector<Part> parts_;
};

/// A thread's part of a fill: layers of one place stay together, for ghosts may be made of a wall
/// face that another fill of the same call sets.
Box fill_part(const FillTask& task, int threads, int thread);

/// Runs the kernel over the call's box in tiles; the task's edges follow a few planes behind. What
/// is fetched ahead lies in the call's tile, which reaches as far as the walk goes on.
void run_tiles(StageRun& run, const KernelShape& shape, const SweepCall& call,
               const SweepTask& task, Index rows);

}  // namespace goban::cpu
