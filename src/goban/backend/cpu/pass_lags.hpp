#pragma once
// How the steps of a pass through cache depend on each other.

#include <algorithm>
#include <array>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban::cpu {

constexpr Index planes_per_round = 2;

struct Reach {
  Index low = 0, high = 0;
};

/// How each step reads each version, how far steps lag and how far their tiles overlap.
class PassLags {
 public:
  explicit PassLags(const PassTask& task);

  int fast() const { return fast_; }
  int middle() const { return middle_; }
  int slow() const { return slow_; }
  int producer(int v) const { return producer_[static_cast<std::size_t>(v)]; }
  bool is_read_inside(int v) const { return read_inside_[static_cast<std::size_t>(v)]; }
  bool is_kept(int v) const { return task_.versions[static_cast<std::size_t>(v)].kept; }
  /// Lives in a window: made by the pass and read by it; or of no use to anyone, when the memory of
  /// its field may hold what others still read.
  bool has_window(int v) const { return producer(v) >= 0 && (is_read_inside(v) || !is_kept(v)); }
  Index lag(std::size_t step) const { return lag_[step]; }
  /// How far beyond its owned cells the pass reads a version that it makes. The cycle may need it
  /// farther out: for later passes, and where values add up that only other patches need.
  const Extents& ghosts(int v) const { return ghosts_[static_cast<std::size_t>(v)]; }
  /// How far beyond its tile a step computes for later steps.
  Reach beyond(std::size_t step, int axis) const {
    return beyond_[static_cast<std::size_t>(axis)][step];
  }

  /// How far step s reads version v along an axis.
  Reach reach(std::size_t s, int v, int axis) const;
  /// Planes of version v alive at a time.
  Index planes(int v) const;

 private:
  bool has_fill(int v, int axis) const;
  /// Versions that step s reads, or leaves in part as they are.
  std::vector<int> used_by(std::size_t s) const;
  /// What step s reads of version v beyond the owned cells.
  void add_ghosts(std::size_t s, int v);

  const PassTask& task_;
  int fast_, middle_, slow_;
  std::vector<Index> lag_;
  std::array<std::vector<Reach>, 3> beyond_;
  std::vector<int> producer_;
  std::vector<bool> read_inside_;
  std::vector<Extents> ghosts_;
};

}  // namespace goban::cpu
