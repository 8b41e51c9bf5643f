#pragma once
// Finds how the steps of a pass through cache depend on each other.

#include <algorithm>
#include <array>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban::cpu {

struct Reach {
  Index low = 0, high = 0;
};

/// Computes how far the steps of a pass must stay apart. A step follows the steps that write what
/// it reads, and those that still read what it overwrites, as versions of a field take turns in its
/// memory.
class PassLags {
 public:
  explicit PassLags(const PassTask& task);

  int fast() const { return fast_; }
  int middle() const { return middle_; }
  int slow() const { return slow_; }
  std::size_t steps() const { return task_.steps.size(); }

  /// Returns how many planes a step updates at a time, as is best for the kernels.
  Index planes_per_round() const { return planes_per_round_; }
  /// Returns how many planes a step is behind the front of the pass.
  Index lag(std::size_t step) const { return lag_[step]; }
  /// Returns, for edges where the neighbouring part is computed later, how many cells a step stays
  /// away from the edge, at the low and at the high end of a tile. The neighbour goes as far beyond
  /// the edge.
  Reach withdrawal(std::size_t step, int axis) const {
    return withdrawals_[static_cast<std::size_t>(axis)][step];
  }
  Reach widest_withdrawal(int axis) const;
  /// Returns the mean withdrawal over all steps.
  Reach mean_withdrawal(int axis) const;
  /// Returns how many cells a tile at the end of the patch must have beyond what steps withdraw,
  /// because ghosts are made from these cells and read by them.
  Index thickness(int axis) const { return thickness_[static_cast<std::size_t>(axis)]; }
  /// Returns how far beyond the owned cells the pass reads a version that it writes. The cycle may
  /// need it farther out: for later passes, and where values are summed that only other patches
  /// need.
  const Extents& ghosts(int v) const { return ghosts_[static_cast<std::size_t>(v)]; }
  /// Returns how far step s reads version v along an axis.
  Reach reach(std::size_t s, int v, int axis) const;
  /// Returns the memory of a version. Versions in the same memory belong to one field and take
  /// turns there.
  const std::byte* memory(int v) const {
    return task_.versions[static_cast<std::size_t>(v)].memory.write;
  }
  /// Returns the versions that step s reads, or leaves partly unchanged.
  std::vector<int> used_by(std::size_t s) const;

 private:
  /// Notes that step s stays behind step `before` by this much.
  void follow(std::size_t s, std::size_t before, Index planes, const std::array<Reach, 3>& cells);
  void follow_makers(std::size_t s);
  void follow_readers(std::size_t s);
  /// Adds what step s reads of version v beyond the owned cells.
  void add_ghosts(std::size_t s, int v);

  const PassTask& task_;
  int fast_, middle_, slow_;
  Index planes_per_round_ = 2;
  std::vector<Index> lag_;
  std::array<std::vector<Reach>, 3> withdrawals_;
  std::array<Index, 3> thickness_{};
  std::vector<int> producer_;
  std::vector<Extents> ghosts_;
};

}  // namespace goban::cpu
