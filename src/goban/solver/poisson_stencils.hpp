#pragma once
// What the stages of the multigrid do at a cell. A is div(c grad .), c = 1 or conductances on the
// lower faces of the cells, which come last: x, y, z.

#include "goban/base/macros.hpp"
#include "goban/base/types.hpp"
#include "goban/stencil/between_grids.hpp"
#include "goban/stencil/operators.hpp"

namespace goban::multigrid {

/// A u = sum over axes of (c (u(+1) - u) - c (u - u(-1))) / h^2.
GOBAN_FUNCTION auto divergence(const Real3& per_h2, const auto& u) {
  const auto here = u();
  return per_h2[0] * ((u(1, 0, 0) - here) - (here - u(-1, 0, 0))) +
         per_h2[1] * ((u(0, 1, 0) - here) - (here - u(0, -1, 0))) +
         per_h2[2] * ((u(0, 0, 1) - here) - (here - u(0, 0, -1)));
}
GOBAN_FUNCTION auto divergence(const Real3& per_h2, const auto& u, const auto& x, const auto& y,
                               const auto& z) {
  const auto here = u();
  return per_h2[0] * (x(1, 0, 0) * (u(1, 0, 0) - here) - x() * (here - u(-1, 0, 0))) +
         per_h2[1] * (y(0, 1, 0) * (u(0, 1, 0) - here) - y() * (here - u(0, -1, 0))) +
         per_h2[2] * (z(0, 0, 1) * (u(0, 0, 1) - here) - z() * (here - u(0, 0, -1)));
}

/// 1 / D, D = sum over the faces of c / h^2; 0 in a cell whose faces are all closed.
/// Defined without any numbers, too: functors whose members are 0 tell what their type does.
GOBAN_FUNCTION auto inverse_diagonal(const Real3& per_h2) {
  const double sum = per_h2[0] + per_h2[1] + per_h2[2];
  return sum > 0 ? 0.5 / sum : 0.0;
}
GOBAN_FUNCTION auto inverse_diagonal(const Real3& per_h2, const auto& x, const auto& y,
                                     const auto& z) {
  const auto diagonal = per_h2[0] * (x() + x(1, 0, 0)) + per_h2[1] * (y() + y(0, 1, 0)) +
                        per_h2[2] * (z() + z(0, 0, 1));
  return select(diagonal == 0, 0, 1 / diagonal);
}

/// u + w D^-1 (A u - f).
struct Relax {
  Real3 per_h2;
  double weight;
  GOBAN_FUNCTION void operator()(auto u, auto f, auto next, auto... c) const {
    next = u() + (weight * inverse_diagonal(per_h2, c...)) * (divergence(per_h2, u, c...) - f());
  }
};

/// The same in the cells of one colour of a chess board; the others keep their values.
struct RelaxColor {
  Real3 per_h2;
  double weight;
  int color;
  GOBAN_FUNCTION void operator()(auto site, auto u, auto f, auto next, auto... c) const {
    const auto sum = site.index(Axis::x) + site.index(Axis::y) + site.index(Axis::z);
    const auto here = u();
    next = select(
        (sum & 1) == color,
        here + (weight * inverse_diagonal(per_h2, c...)) * (divergence(per_h2, u, c...) - f()),
        here);
  }
};

struct ResidualHere {
  Real3 per_h2;
  GOBAN_FUNCTION auto operator()(auto u, auto f, auto... c) const {
    return f() - divergence(per_h2, u, c...);
  }
};
struct ResidualMagnitude {
  Real3 per_h2;
  GOBAN_FUNCTION auto operator()(auto u, auto f, auto... c) const {
    return abs(f() - divergence(per_h2, u, c...));
  }
};

/// The residual, perhaps of another precision than u, and what a sweep with this weight makes of a
/// correction of 0.
struct StartCorrection {
  Real3 per_h2;
  double weight;
  GOBAN_FUNCTION void operator()(auto u, auto f, auto residual, auto correction, auto... c) const {
    const auto missing = f() - divergence(per_h2, u, c...);
    residual = missing;
    correction = (-weight * inverse_diagonal(per_h2, c...)) * missing;
  }
};
/// The same where u is 0, so that f is the residual.
struct StartSolution {
  Real3 per_h2;
  double weight;
  GOBAN_FUNCTION void operator()(auto f, auto residual, auto correction, auto... c) const {
    residual = f();
    correction = (-weight * inverse_diagonal(per_h2, c...)) * f();
  }
};
struct AddTo {
  GOBAN_FUNCTION void operator()(auto correction, auto u) const { u += correction(); }
};
struct Copy {
  GOBAN_FUNCTION void operator()(auto from, auto to) const { to = from(); }
};
struct CopyConductances {
  GOBAN_FUNCTION void operator()(auto x, auto y, auto z, auto to_x, auto to_y, auto to_z) const {
    to_x = x();
    to_y = y();
    to_z = z();
  }
};

struct Value {
  GOBAN_FUNCTION auto operator()(auto f) const { return f(); }
};
struct Magnitude {
  GOBAN_FUNCTION auto operator()(auto f) const { return abs(f()); }
};
struct SetZero {
  GOBAN_FUNCTION void operator()(auto u) const { u = 0.0; }
};

/// 1 in cells that something can flow into.
struct IsOpen {
  GOBAN_FUNCTION auto operator()(auto cell) const { return 0 * cell() + 1; }
  GOBAN_FUNCTION auto operator()(auto /*cell*/, auto x, auto y, auto z) const {
    const auto sum = (x() + x(1, 0, 0)) + (y() + y(0, 1, 0)) + (z() + z(0, 0, 1));
    return select(sum == 0, 0.0, 1.0);
  }
};

/// f less a mean, in cells that something can flow into.
struct TakeOff {
  GOBAN_FUNCTION void operator()(auto f, auto mean) const { f = f() - mean(); }
  GOBAN_FUNCTION void operator()(auto f, auto mean, auto x, auto y, auto z) const {
    const auto sum = (x() + x(1, 0, 0)) + (y() + y(0, 1, 0)) + (z() + z(0, 0, 1));
    f = select(sum == 0, 0, f() - mean());
  }
};

}  // namespace goban::multigrid
