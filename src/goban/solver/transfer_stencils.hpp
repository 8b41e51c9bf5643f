#pragma once
// What goes from a grid to the next coarser one and back.

#include "goban/solver/poisson_stencils.hpp"

namespace goban::multigrid {

/// The axes along which two cells become one. Known when a stage is made, not when it is compiled:
/// one kernel for CPUs serves all of them, recorded functors hold what they are.
struct CoarsenedAxes {
  bool along[3];

  constexpr explicit CoarsenedAxes(Index3 ratio = {1, 1, 1})
      : along{ratio[0] == 2, ratio[1] == 2, ratio[2] == 2} {}
  constexpr CoarsenedAxes without(int axis) const {
    CoarsenedAxes rest = *this;
    rest.along[axis] = false;
    return rest;
  }
  constexpr double parts() const {
    return (along[0] ? 2.0 : 1.0) * (along[1] ? 2.0 : 1.0) * (along[2] ? 2.0 : 1.0);
  }
};

/// Sum of term(i, j, k) over the parts of a coarser cell, counted from the first.
GOBAN_FUNCTION auto sum_over_parts(const CoarsenedAxes& axes, const auto& term) {
  const auto row = [&](int j, int k) {
    const auto first = term(0, j, k);
    return axes.along[0] ? first + term(1, j, k) : first;
  };
  const auto plane = [&](int k) {
    const auto first = row(0, k);
    return axes.along[1] ? first + row(1, k) : first;
  };
  const auto first = plane(0);
  return axes.along[2] ? first + plane(1) : first;
}

/// Sum of A u over the parts: fluxes between them cancel, those through the faces of the coarser
/// cell remain.
template <int A>
GOBAN_FUNCTION auto net_flux(const CoarsenedAxes& axes, const auto& u) {
  constexpr Axis axis = all_axes[A];
  const int end = axes.along[A] ? 2 : 1;
  return sum_over_parts(axes.without(A), [&](int i, int j, int k) {
    return (u.shift(axis, end)(i, j, k) - u.shift(axis, end - 1)(i, j, k)) -
           (u(i, j, k) - u.shift(axis, -1)(i, j, k));
  });
}
template <int A>
GOBAN_FUNCTION auto net_flux(const CoarsenedAxes& axes, const auto& u, const auto& c) {
  constexpr Axis axis = all_axes[A];
  const int end = axes.along[A] ? 2 : 1;
  return sum_over_parts(axes.without(A), [&](int i, int j, int k) {
    return c.shift(axis, end)(i, j, k) *
               (u.shift(axis, end)(i, j, k) - u.shift(axis, end - 1)(i, j, k)) -
           c(i, j, k) * (u(i, j, k) - u.shift(axis, -1)(i, j, k));
  });
}

/// The mean residual of the parts becomes the right-hand side of the coarser grid, where the first
/// sweep from 0 leaves -w D^-1 f.
struct RestrictResidual {
  CoarsenedAxes axes;
  Real3 per_h2, coarser_per_h2;
  double weight;

  GOBAN_FUNCTION void operator()(auto u, auto f, auto coarser_f, auto coarser_u) const {
    const auto flux = per_h2[0] * net_flux<0>(axes, u) + per_h2[1] * net_flux<1>(axes, u) +
                      per_h2[2] * net_flux<2>(axes, u);
    const auto mean = missing(f, flux);
    coarser_f = mean;
    coarser_u = (-weight * inverse_diagonal(coarser_per_h2)) * mean;
  }
  GOBAN_FUNCTION void operator()(auto u, auto f, auto coarser_f, auto coarser_u, auto x, auto y,
                                 auto z, auto coarser_x, auto coarser_y, auto coarser_z) const {
    const auto flux = per_h2[0] * net_flux<0>(axes, u, x) + per_h2[1] * net_flux<1>(axes, u, y) +
                      per_h2[2] * net_flux<2>(axes, u, z);
    const auto mean = missing(f, flux);
    coarser_f = mean;
    coarser_u =
        (-weight * inverse_diagonal(coarser_per_h2, coarser_x, coarser_y, coarser_z)) * mean;
  }

 private:
  GOBAN_FUNCTION auto missing(const auto& f, const auto& flux) const {
    const auto sum = sum_over_parts(axes, [&](int i, int j, int k) { return f(i, j, k); });
    return (1 / axes.parts()) * (sum - flux);
  }
};

/// The mean of the parts.
struct RestrictValue {
  CoarsenedAxes axes;
  GOBAN_FUNCTION void operator()(auto f, auto coarser_f) const {
    coarser_f =
        (1 / axes.parts()) * sum_over_parts(axes, [&](int i, int j, int k) { return f(i, j, k); });
  }
};

/// The mean conductance of the faces that one of the coarser grid consists of.
struct RestrictConductances {
  CoarsenedAxes axes;
  GOBAN_FUNCTION void operator()(auto x, auto y, auto z, auto coarser_x, auto coarser_y,
                                 auto coarser_z) const {
    coarser_x = mean<0>(x);
    coarser_y = mean<1>(y);
    coarser_z = mean<2>(z);
  }

 private:
  template <int A>
  GOBAN_FUNCTION auto mean(const auto& c) const {
    const CoarsenedAxes face = axes.without(A);
    return (1 / face.parts()) *
           sum_over_parts(face, [&](int i, int j, int k) { return c(i, j, k); });
  }
};

/// How much of the value at a cell comes from the coarser cell on its side along an axis: 1/4, and
/// between conductors as much as keeps the flow the same on both sides of the face: c of the face
/// between both over c of the other one, 1/2 at most. All of it where the other face is closed.
template <int A>
GOBAN_FUNCTION auto share_of_next(const auto& site, const auto& c) {
  constexpr Axis axis = all_axes[A];
  const auto is_upper = is_upper_part<axis>(site);
  const auto lower = c(), upper = c.shift(axis, 1)();
  const auto outer = select(is_upper, upper, lower), inner = select(is_upper, lower, upper);
  const auto share = select(outer > 2 * inner, 0.5, 0.25 * outer / inner);
  return select(inner == 0, select(outer == 0, 0 * outer, 1 + 0 * outer), share);
}

/// How much comes from the next coarser cell along each axis.
template <class X, class Y, class Z>
struct Shares {
  X x;
  Y y;
  Z z;
  template <int A>
  constexpr const auto& along() const {
    if constexpr (A == 0) return x;
    if constexpr (A == 1) return y;
    if constexpr (A == 2) return z;
  }
};

/// Linear between coarser cells along the first n axes, the last of them outside.
template <int n>
GOBAN_FUNCTION auto between_cells(const CoarsenedAxes& axes, const auto& site, const auto& coarser,
                                  const auto& shares) {
  if constexpr (n == 0) {
    return coarser();
  } else {
    constexpr Axis axis = all_axes[n - 1];
    const auto here = between_cells<n - 1>(axes, site, coarser, shares);
    if (!axes.along[n - 1]) return here;
    const auto next = select(is_upper_part<axis>(site),
                             between_cells<n - 1>(axes, site, coarser.shift(axis, 1), shares),
                             between_cells<n - 1>(axes, site, coarser.shift(axis, -1), shares));
    return here + shares.template along<n - 1>() * (next - here);
  }
}

/// Adds what the coarser grid has found, linear between its centres; not in closed cells.
struct Correct {
  CoarsenedAxes axes;
  GOBAN_FUNCTION void operator()(auto site, auto correction, auto u) const {
    u += found(site, correction);
  }
  GOBAN_FUNCTION void operator()(auto site, auto correction, auto u, auto x, auto y, auto z) const {
    u += found(site, correction, x, y, z);
  }
  GOBAN_FUNCTION auto found(const auto& site, const auto& correction) const {
    return between_cells<3>(axes, site, correction,
                            Shares<double, double, double>{0.25, 0.25, 0.25});
  }
  GOBAN_FUNCTION auto found(const auto& site, const auto& correction, const auto& x, const auto& y,
                            const auto& z) const {
    const auto sum = (x() + x(1, 0, 0)) + (y() + y(0, 1, 0)) + (z() + z(0, 0, 1));
    const Shares shares{share_along<0>(site, x), share_along<1>(site, y), share_along<2>(site, z)};
    return select(sum == 0, 0, between_cells<3>(axes, site, correction, shares));
  }

 private:
  template <int A>
  GOBAN_FUNCTION auto share_along(const auto& site, const auto& c) const {
    decltype(share_of_next<A>(site, c)) share{};
    if (axes.along[A]) share = share_of_next<A>(site, c);
    return share;
  }
};

/// The same, to where it has not been.
struct CorrectInto {
  CoarsenedAxes axes;
  GOBAN_FUNCTION void operator()(auto site, auto correction, auto u, auto next,
                                 auto... conductances) const {
    next = u() + Correct{axes}.found(site, correction, conductances...);
  }
};

/// The value on the parabola through three coarser values along each of the first n axes: 1/4 of a
/// coarser cell from its centre.
template <int n>
GOBAN_FUNCTION auto on_parabolas(const CoarsenedAxes& axes, const auto& site, const auto& coarser) {
  if constexpr (n == 0) {
    return coarser();
  } else {
    constexpr Axis axis = all_axes[n - 1];
    const auto at = [&](int o) { return on_parabolas<n - 1>(axes, site, coarser.shift(axis, o)); };
    const auto here = at(0);
    if (!axes.along[n - 1]) return here;
    const auto below = at(-1) - here, above = at(1) - here;
    const auto is_upper = is_upper_part<axis>(site);
    return here + ((5.0 / 32) * select(is_upper, above, below) -
                   (3.0 / 32) * select(is_upper, below, above));
  }
}

/// Where full multigrid begins on a grid: at what the coarser one has found. Errors of third order,
/// as lines would leave those of the order of the scheme's.
struct Interpolate {
  CoarsenedAxes axes;
  GOBAN_FUNCTION void operator()(auto site, auto coarser, auto u) const {
    u = on_parabolas<3>(axes, site, coarser);
  }
};

}  // namespace goban::multigrid
