#pragma once
// How a sweep over a box is cut for threads and caches.

#include <atomic>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cpu/thread_team.hpp"

namespace goban::cpu {

/// Bytes of a core's own second-level cache.
double second_level_cache();

/// Rows of a tile such that the planes a stencil reaches over stay in the second-level cache while
/// the tile moves along the slowest axis: in half of it, or all of it where groups of planes are
/// walked together. At least 4.
Index rows_per_tile(const Stage& stage, const Index3& cells, const std::array<int, 3>& order);

/// Bytes a sweep over the task's box reads and writes.
double bytes_touched(const SweepTask& task);

/// The part of `box` that thread `thread` of `threads` updates: cut along the slowest axis, or the
/// middle one if that is too short.
Box thread_part(const Box& box, const std::array<int, 3>& order, int threads, int thread);

/// The tiles of a sweep, handed out in sections of their way along the slowest axis. A thread takes
/// half of what is left divided by the threads (guided self-scheduling), at most a whole tile: the
/// first sections are long, so that few planes are read twice, and the last ones short, so that
/// nobody waits for long. Threads whose memory lies near them share a part of the box and begin
/// with it; then they take what others have left.
class SharedTiles {
 public:
  /// `nodes`: of every thread the memory that lies near it; equal numbers follow each other.
  SharedTiles(const SweepTask& task, const std::vector<int>& nodes, Index rows_of_tile);
  /// Makes the call one for the thread's next section; false once all are taken.
  bool take(int thread, SweepCall& call);

 private:
  /// Sections are counted in grains, all planes of the first tile, then those of the next.
  struct alignas(64) Share {
    Box box;
    Index tiles = 0, grains = 0, fewest = 1, threads = 0;
    std::atomic<Index> taken = 0;
  };
  std::array<int, 3> order_;
  Index grain_;  ///< planes
  std::vector<std::size_t> share_of_;
  std::vector<Share> shares_;
};

/// A thread's part of a fill: layers of one place stay together, for ghosts may be made of a wall
/// face that another fill of the same call sets.
Box fill_part(const FillTask& task, int threads, int thread);

/// Runs the kernel over the call's box in tiles; the task's edges follow a few planes behind. What
/// is fetched ahead lies in the call's tile, which reaches as far as the walk goes on.
void run_tiles(SweepFunction kernel, const SweepCall& call, const SweepTask& task, Index rows);

}  // namespace goban::cpu
