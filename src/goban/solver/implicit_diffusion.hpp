#pragma once
// Diffusion along one axis that does not limit the time step: columns that are tridiagonal, for
// Program::columns.

#include <cstdint>

#include "goban/base/error.hpp"
#include "goban/grid/grid.hpp"
#include "goban/stencil/operators.hpp"

namespace goban {

/// Diffusion along the axis N, at the beginning and the end of a stage alike (Crank, Nicolson): for
/// what a stage makes of u without it, u*, finds v with
///   v = u* + length nu / 2 (d^2 u + d^2 v), d^2 the second difference along N.
/// v - u is what is solved for, whose ghosts are `low` and `high` times what they mirror. OnFaces:
/// u lies on the faces along N, of which the first and the last keep what they hold. Arguments:
/// site, u, u* which becomes v, length [s], scratch.
template <Axis N, bool OnFaces, class Real>
struct DiffuseAlong {
  Real share;  ///< nu / (2 h^2), 1/s
  Real low, high;
  std::int32_t last;  ///< index of the last level

  GOBAN_FUNCTION void forward(auto site, auto u, auto next, auto length, auto s) const {
    sweep(site, next() - u(), u, length, s);
  }
  GOBAN_FUNCTION void backward(auto, auto u, auto next, auto, auto s) const {
    next = u() + substitute(s);
  }

 protected:
  GOBAN_FUNCTION void sweep(const auto& site, const auto& change, const auto& u, const auto& length,
                            const auto& s) const {
    const auto a = share * length();
    const auto is_low = site.index(N) == 0, is_high = site.index(N) == last;
    const auto bend = u.shift(N, 1)() - 2 * u() + u.shift(N, -1)();
    const auto below = s[0].before();
    // A selection of plain numbers is as wide as the indices that were compared.
    const auto ends =
        a * (convert<Real>(select(is_low, low, 0)) + convert<Real>(select(is_high, high, 0)));
    const auto per_pivot = 1 / ((1 + 2 * a) - ends - a * below);
    const auto known = (change + 2 * a * bend + a * s[1].before()) * per_pivot;
    if constexpr (OnFaces) {
      const auto is_inside = site.index(N) > 0 && site.index(N) < last;
      s[0] = select(is_inside, a * per_pivot, 0);
      s[1] = select(is_inside, known, 0);
    } else {
      s[0] = a * per_pivot;
      s[1] = known;
    }
  }
  GOBAN_FUNCTION auto substitute(const auto& s) const {
    const auto change = s[1]() + s[0]() * s[1].before();
    s[1] = change;
    return change;
  }
};

/// Returns what ghosts of a change hold, over what they mirror. Errors (ExitCode::usage): a side
/// that is periodic, or of the user's own.
inline double reflection(const BoundaryCondition& side) {
  using Kind = BoundaryCondition::Kind;
  require(side.kind != Kind::periodic && side.kind != Kind::custom,
          "implicit diffusion refuses a boundary condition",
          side.kind == Kind::custom ? "what it makes of a change is not known"
                                    : "columns end at both sides",
          "use wall_value, constant, gradient or mirror along this axis");
  if (side.kind == Kind::constant) return 0;
  return side.kind == Kind::wall_value ? -1 : 1;
}

/// nu: m2/s; `boundary`: of u, whose ends along N are not periodic.
template <Axis N, bool OnFaces, class T>
DiffuseAlong<N, OnFaces, T> diffuse_along(double nu, const BoundarySet& boundary,
                                          const GridState& grid) {
  const auto a = static_cast<std::size_t>(index_of(N));
  const auto& [low, high] = boundary.sides[a];
  return {static_cast<T>(nu / (2 * grid.spacing[a] * grid.spacing[a])),
          static_cast<T>(reflection(low)), static_cast<T>(reflection(high)),
          static_cast<std::int32_t>(grid.cells[a] - (OnFaces ? 0 : 1))};
}

}  // namespace goban
