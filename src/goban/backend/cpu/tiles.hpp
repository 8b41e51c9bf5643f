#pragma once
// Cuts a sweep over a box for threads and caches.

#include <atomic>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cpu/stage_kernel.hpp"
#include "goban/backend/cpu/thread_team.hpp"

namespace goban::cpu {

/// Returns the rows of a tile, at least 4, such that the planes that a stencil reaches stay in the
/// second-level cache while the tile moves along the slowest axis.
Index rows_per_tile(const SweepTask& task, const KernelShape& shape);

/// Returns whether some results go to lines of memory that have not just been read, so that they
/// may be stored past the caches.
bool writes_anew(const SweepTask& task);

/// Returns the bytes that a sweep over the task's box reads and writes.
double bytes_touched(const SweepTask& task);

/// Returns the part of `box` that thread `thread` of `threads` updates. The box is cut along the
/// slowest axis, or along the middle one if the slowest is too short or if threads should work on
/// the same planes (`shares_planes`). With `cuts_rows` a single row is cut at lines of memory; this
/// is possible if nothing is made from the ends of rows.
Box thread_part(const Box& box, const std::array<int, 3>& order, int threads, int thread,
                bool shares_planes = false, bool cuts_rows = false);

/// The tiles of all threads' parts of a sweep, in sections along the slowest axis. Threads first
/// take those of their own part, whose memory lies near them, then those that slower threads have
/// left.
class SharedTiles {
 public:
  SharedTiles(const SweepTask& task, const KernelShape& shape, int threads, Index rows_of_tile);
  /// Sets the call's box and tile to the thread's next section; returns false once all are taken.
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

/// Returns a thread's part of a fill. All layers at one place stay together, because ghosts may be
/// made from a wall face that another fill of the same call sets.
Box fill_part(const FillTask& task, int threads, int thread);

/// Runs the kernel over the call's box in tiles of `rows` rows. The task's edge fills and copies
/// follow a few planes behind. Memory is fetched ahead within the call's tile, which contains what
/// the walk will reach later.
void run_tiles(StageRun& run, const KernelShape& shape, const SweepCall& call,
               const SweepTask& task, Index rows);

}  // namespace goban::cpu
