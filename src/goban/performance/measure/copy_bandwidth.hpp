#pragma once
// How fast this machine moves memory: the ceiling of every sweep that reads and writes it.

#include "goban/base/types.hpp"

namespace goban {

class ThreadTeam;

struct CopyBandwidth {
  double best = 0;    ///< bytes per second, read and written bytes counted
  double median = 0;  ///< the median of the repetitions, in the same unit
  Index bytes = 0;    ///< size of each of the two arrays
};

/// Copies an array of about `bytes` into another with stores that bypass the caches, each thread
/// the part it touched first: one warm-up, then 9 repetitions. Takes 2 x bytes of memory and about
/// 20 x bytes / bandwidth of time.
///
/// Errors: resources if the memory cannot be had.
CopyBandwidth measure_copy_bandwidth(ThreadTeam& team, Index bytes);

/// The bandwidth of copies between arrays of eight times the largest cache, but of no more than
/// `most` bytes each (256 MiB where that is less) and an eighth of the memory that is left;
/// `processes` that measure on this machine at the same time share them. It is measured once per
/// process, team and size, then remembered.
CopyBandwidth copy_bandwidth(ThreadTeam& team, int processes = 1, Index most = Index{1} << 30);
/// The memory that this takes for a moment if it is measured now, all processes of the machine
/// together.
Index memory_of_copy_bandwidth(Index most);

}  // namespace goban
