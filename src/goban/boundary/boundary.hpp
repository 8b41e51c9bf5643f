#pragma once
// Physical boundary conditions: what ghost cells beyond the edge of the domain hold.

#include <array>
#include <functional>
#include <memory>

#include "goban/base/types.hpp"

namespace goban {

/// What a user-written boundary condition sees of one ghost cell.
/// Space: n cells beyond the face (n = 1, 2, ...).
struct GhostCell {
  static constexpr int most = 16;   ///< interior values it sees
  int depth;                        ///< layers beyond the face, from 1
  Index3 index;                     ///< global index of the ghost cell
  Real3 position;                   ///< of the ghost cell, in the grid's length unit
  double time;                      ///< simulated time of the step being computed
  std::array<double, most> values;  ///< interior values, nearest first
  int available;                    ///< how many of `values` are valid

  /// Value of the n-th interior cell counted from the face, n = 1 is the cell at the face.
  double inside(int n) const { return values[static_cast<std::size_t>(n - 1)]; }
};

/// Value of a ghost cell from its interior neighbours; computed in double.
using GhostFunction = std::function<double(const GhostCell&)>;

/// Ghost value rule of one side of one field. For a ghost cell n layers beyond the face and the
/// interior cell n layers inside (face values: mirrored about the wall face itself):
///   periodic    the cell at the opposite side of the domain
///   constant    ghost = value
///   wall_value  ghost = 2 value - inside       (odd reflection: `value` holds at the face)
///   gradient    ghost = inside + value * distance between the two points (outward derivative)
///   mirror      ghost = inside                 (zero gradient, symmetry)
///   custom      ghost = function(ghost cell)
struct BoundaryCondition {
  enum class Kind : std::uint8_t { periodic, constant, wall_value, gradient, mirror, custom };
  Kind kind = Kind::periodic;
  double value = 0;
  std::shared_ptr<const GhostFunction> function = nullptr;

  bool operator==(const BoundaryCondition&) const = default;
};

inline constexpr auto periodic_kind = BoundaryCondition::Kind::periodic;

inline const BoundaryCondition periodic{};
inline const BoundaryCondition mirror{BoundaryCondition::Kind::mirror};
inline BoundaryCondition constant(double value) {
  return {BoundaryCondition::Kind::constant, value};
}
inline BoundaryCondition wall_value(double value) {
  return {BoundaryCondition::Kind::wall_value, value};
}
/// Outward normal derivative at the face.
inline BoundaryCondition gradient(double derivative) {
  return {BoundaryCondition::Kind::gradient, derivative};
}
/// A rule of the user's own; switches temporal blocking off.
inline BoundaryCondition custom(GhostFunction f) {
  return {BoundaryCondition::Kind::custom, 0, std::make_shared<const GhostFunction>(std::move(f))};
}

/// One condition per axis and side. A single condition converts to "all six sides".
struct BoundarySet {
  std::array<std::array<BoundaryCondition, 2>, 3> sides{};

  BoundarySet() = default;
  BoundarySet(const BoundaryCondition& all) {  // NOLINT: `.boundary = periodic` is the idiom
    for (auto& axis : sides) axis = {all, all};
  }
  BoundarySet(const BoundaryCondition& x, const BoundaryCondition& y, const BoundaryCondition& z)
      : sides{{{x, x}, {y, y}, {z, z}}} {}

  bool operator==(const BoundarySet&) const = default;
  bool has_custom() const {
    for (const auto& axis : sides) {
      for (const auto& side : axis) {
        if (side.kind == BoundaryCondition::Kind::custom) return true;
      }
    }
    return false;
  }

  BoundaryCondition& at(Axis a, Side s) { return sides[index_of(a)][index_of(s)]; }
  const BoundaryCondition& at(Axis a, Side s) const { return sides[index_of(a)][index_of(s)]; }
};

/// Index of the interior cell a ghost cell at `ghost` (global, outside [0, cells)) mirrors; of a
/// wall face (0 or `cells`, staggered) itself.
constexpr Index mirrored(Index ghost, Index cells, bool staggered) {
  if (staggered ? ghost <= 0 : ghost < 0) return staggered ? -ghost : -1 - ghost;
  return staggered ? 2 * cells - ghost : 2 * cells - 1 - ghost;
}

}  // namespace goban
