#pragma once
// How the steps of a pass through cache depend on each other.

#include <algorithm>
#include <array>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban::cpu {

struct Reach {
  Index low = 0, high = 0;
};

/// How far the steps of a pass must stay apart. A step follows those that make what it reads, and
/// those that still read what it writes over: versions of a field take turns in its memory.
class PassLags {
 public:
  explicit PassLags(const PassTask& task);

  int fast() const { return fast_; }
  int middle() const { return middle_; }
  int slow() const { return slow_; }
  std::size_t steps() const { return task_.steps.size(); }

  /// Planes that a step updates at a time: as many as the kernels like to.
  Index planes_per_round() const { return planes_per_round_; }
  /// Planes that a step is behind the front of the pass.
  Index lag(std::size_t step) const { return lag_[step]; }
  /// At an edge where the neighbour comes later: cells that a step stays away from it, at the low
  /// end of a tile and at the high end. The neighbour goes so much beyond the edge.
  Reach withdrawal(std::size_t step, int axis) const {
    return withdrawals_[static_cast<std::size_t>(axis)][step];
  }
  Reach widest_withdrawal(int axis) const;
  /// The mean withdrawal over all steps.
  Reach mean_withdrawal(int axis) const;
  /// A tile at the end of the patch is to have so many cells more than steps withdraw: ghosts are
  /// made of them, and ghosts are read from them.
  Index thickness(int axis) const { return thickness_[static_cast<std::size_t>(axis)]; }
  /// How far beyond its owned cells the pass reads a version that it makes. The cycle may need it
  /// farther out: for later passes, and where values add up that only other patches need.
  const Extents& ghosts(int v) const { return ghosts_[static_cast<std::size_t>(v)]; }
  /// How far step s reads version v along an axis.
  Reach reach(std::size_t s, int v, int axis) const;
  /// Versions in the same memory are those of one field and take turns there.
  const std::byte* memory(int v) const {
    return task_.versions[static_cast<std::size_t>(v)].memory.write;
  }
  /// Versions that step s reads, or leaves in part as they are.
  std::vector<int> used_by(std::size_t s) const;

 private:
  /// Step s comes after step `before`, by so much.
  void follow(std::size_t s, std::size_t before, Index planes, const std::array<Reach, 3>& cells);
  void follow_makers(std::size_t s);
  void follow_readers(std::size_t s);
  /// What step s reads of version v beyond the owned cells.
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
