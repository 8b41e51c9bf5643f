#pragma once
// What is known of the halo of one component of a field, the same on every patch.

#include <algorithm>
#include <array>
#include <optional>

#include "goban/base/types.hpp"
#include "goban/grid/box.hpp"

namespace goban {

struct ComponentHalo {
  using Constants = std::optional<std::array<double, 2>>;

  Extents valid;         ///< how much of it holds current values
  bool corners = false;  ///< with its edges and corners
  /// Per axis: the values beyond both ends of the grid if they are constant. They stay when cells
  /// are written.
  std::array<Constants, 3> constants;
  Extents made;  ///< what one exchange has made, if its constants and corners are still there
  bool operator==(const ComponentHalo&) const = default;

  /// An exchange of this width was made.
  void make(const Extents& need, bool with_corners, const std::array<Constants, 3>& with) {
    const bool adds_corners = with_corners && !corners;
    if (with != constants || adds_corners || !made.covers(need)) made = need;
    constants = with;
    if (valid.covers(need) && !adds_corners) return;
    valid = need;
    corners = with_corners;
  }
  /// Rows along `fast` have moved, some of them out of the halo. Constants at their ends have come
  /// along if the halo's corners hold them, too.
  void move_rows(int fast, bool constants_at_corners) {
    const auto axis = static_cast<std::size_t>(fast);
    ComponentHalo moved;
    if (corners && constants_at_corners) {
      moved.constants[axis] = constants[axis];
      moved.valid.low[fast] = valid.low[fast];
      moved.valid.high[fast] = valid.high[fast];
    }
    *this = moved;
  }
  /// Cells are written: what depends on them is no longer valid.
  void outdate(const std::array<bool, 3>& joined) {
    for (int a = 0; a < 3; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      if (!constants[axis] || joined[axis]) valid.low[a] = valid.high[a] = 0;
    }
  }
};

}  // namespace goban
