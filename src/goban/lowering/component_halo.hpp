#pragma once
// What is known about the halo of one component of a field. It is the same on every patch.

#include <algorithm>
#include <array>
#include <optional>

#include "goban/base/types.hpp"
#include "goban/grid/box.hpp"

namespace goban {

/// Which parts of a halo hold current values. Lowering follows it through a cycle, so that valid
/// halos are not exchanged again.
struct ComponentHalo {
  using Constants = std::optional<std::array<double, 2>>;

  Extents valid;         ///< the width that holds current values, in cells
  bool corners = false;  ///< its edges and corners are valid, too
  /// Per axis: the values beyond both ends of the grid if they are constant. They stay valid when
  /// cells are written.
  std::array<Constants, 3> constants;
  /// The width that one exchange has filled, if its constants and corners are still there.
  Extents made;
  bool operator==(const ComponentHalo&) const = default;

  /// Notes an exchange of this width.
  void make(const Extents& need, bool with_corners, const std::array<Constants, 3>& with) {
    const bool adds_corners = with_corners && !corners;
    if (with != constants || adds_corners || !made.covers(need)) made = need;
    constants = with;
    if (valid.covers(need) && !adds_corners) return;
    valid = need;
    corners = with_corners;
  }
  /// Notes that the cells of a field stored in place have moved. Halos are then stale, except for
  /// constants beyond the ends of rows along `fast`, which have moved along if the corners hold
  /// them, too.
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
  /// Notes that cells are written: the halo is stale along axes with neighbours or without
  /// constants. `joined`: per axis, whether patches have neighbours.
  void outdate(const std::array<bool, 3>& joined) {
    for (int a = 0; a < 3; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      if (!constants[axis] || joined[axis]) valid.low[a] = valid.high[a] = 0;
    }
  }
};

}  // namespace goban
