#pragma once
// What goes from a grid to the next coarser one and back. X, Y, Z: the axes along which two cells
// become one.

#include "goban/solver/poisson_stencils.hpp"

namespace goban::multigrid {

template <bool... Axes>
struct Coarsened {
  static constexpr bool axis[] = {Axes...};
  static constexpr int parts = ((Axes ? 2 : 1) * ...);
};
template <int A, bool X, bool Y, bool Z>
constexpr auto without(Coarsened<X, Y, Z>) {
  return Coarsened < X && A != 0, Y && A != 1, Z && A != 2 > {};
}

/// Sum of term(i, j, k) over the parts of a coarser cell, counted from the first.
template <bool X, bool Y, bool Z>
GOBAN_FUNCTION auto sum_over_parts(Coarsened<X, Y, Z>, const auto& term, int i = 0, int j = 0,
                                   int k = 0) {
  if constexpr (Z) {
    constexpr Coarsened<X, Y, false> rest;
    return sum_over_parts(rest, term, i, j, k) + sum_over_parts(rest, term, i, j, k + 1);
  } else if constexpr (Y) {
    constexpr Coarsened<X, false, false> rest;
    return sum_over_parts(rest, term, i, j, k) + sum_over_parts(rest, term, i, j + 1, k);
  } else if constexpr (X) {
    return term(i, j, k) + term(i + 1, j, k);
  } else {
    return term(i, j, k);
  }
}

/// Sum of A u over the parts: fluxes between them cancel, those through the faces of the coarser
/// cell remain.
template <int A, class Axes>
GOBAN_FUNCTION auto net_flux(const auto& u) {
  constexpr Axis axis = all_axes[A];
  constexpr int end = Axes::axis[A] ? 2 : 1;
  return sum_over_parts(without<A>(Axes{}), [&](int i, int j, int k) {
    return (u.shift(axis, end)(i, j, k) - u.shift(axis, end - 1)(i, j, k)) -
           (u(i, j, k) - u.shift(axis, -1)(i, j, k));
  });
}
template <int A, class Axes>
GOBAN_FUNCTION auto net_flux(const auto& u, const auto& c) {
  constexpr Axis axis = all_axes[A];
  constexpr int end = Axes::axis[A] ? 2 : 1;
  return sum_over_parts(without<A>(Axes{}), [&](int i, int j, int k) {
    return c.shift(axis, end)(i, j, k) *
               (u.shift(axis, end)(i, j, k) - u.shift(axis, end - 1)(i, j, k)) -
           c(i, j, k) * (u(i, j, k) - u.shift(axis, -1)(i, j, k));
  });
}

/// The mean residual of the parts becomes the right-hand side of the coarser grid, where the first
/// sweep from 0 leaves -w D^-1 f.
template <class Axes>
struct RestrictResidual {
  static constexpr bool between_grids = true;
  Real3 per_h2, coarser_per_h2;
  double weight;

  GOBAN_FUNCTION void operator()(auto u, auto f, auto coarser_f, auto coarser_u) const {
    const auto flux = per_h2[0] * net_flux<0, Axes>(u) + per_h2[1] * net_flux<1, Axes>(u) +
                      per_h2[2] * net_flux<2, Axes>(u);
    const auto mean = missing(f, flux);
    coarser_f = mean;
    coarser_u = (-weight * inverse_diagonal(coarser_per_h2)) * mean;
  }
  GOBAN_FUNCTION void operator()(auto u, auto f, auto coarser_f, auto coarser_u, auto x, auto y,
                                 auto z, auto coarser_x, auto coarser_y, auto coarser_z) const {
    const auto flux = per_h2[0] * net_flux<0, Axes>(u, x) + per_h2[1] * net_flux<1, Axes>(u, y) +
                      per_h2[2] * net_flux<2, Axes>(u, z);
    const auto mean = missing(f, flux);
    coarser_f = mean;
    coarser_u =
        (-weight * inverse_diagonal(coarser_per_h2, coarser_x, coarser_y, coarser_z)) * mean;
  }

 private:
  GOBAN_FUNCTION static auto missing(const auto& f, const auto& flux) {
    const auto sum = sum_over_parts(Axes{}, [&](int i, int j, int k) { return f(i, j, k); });
    return (1.0 / Axes::parts) * (sum - flux);
  }
};

/// The mean of the parts.
template <class Axes>
struct RestrictValue {
  static constexpr bool between_grids = true;
  GOBAN_FUNCTION void operator()(auto f, auto coarser_f) const {
    coarser_f = (1.0 / Axes::parts) *
                sum_over_parts(Axes{}, [&](int i, int j, int k) { return f(i, j, k); });
  }
};

/// The mean conductance of the faces that one of the coarser grid consists of.
template <class Axes>
struct RestrictConductances {
  static constexpr bool between_grids = true;
  GOBAN_FUNCTION void operator()(auto x, auto y, auto z, auto coarser_x, auto coarser_y,
                                 auto coarser_z) const {
    coarser_x = mean<0>(x);
    coarser_y = mean<1>(y);
    coarser_z = mean<2>(z);
  }

 private:
  template <int A>
  GOBAN_FUNCTION static auto mean(const auto& c) {
    constexpr auto parts = without<A>(Axes{});
    return (1.0 / parts.parts) *
           sum_over_parts(parts, [&](int i, int j, int k) { return c(i, j, k); });
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

/// Linear between coarser cells along the axes with a share, which come from z to x.
GOBAN_FUNCTION auto between_cells(const auto& /*site*/, const auto& coarser) { return coarser(); }
template <class Share, class... Rest>
GOBAN_FUNCTION auto between_cells(const auto& site, const auto& coarser, const Share& share,
                                  const Rest&... rest) {
  constexpr Axis axis = Share::axis;
  const auto here = between_cells(site, coarser, rest...);
  const auto next =
      select(is_upper_part<axis>(site), between_cells(site, coarser.shift(axis, 1), rest...),
             between_cells(site, coarser.shift(axis, -1), rest...));
  return here + share.value * (next - here);
}

template <Axis A, class V>
struct ShareAlong {
  static constexpr Axis axis = A;
  V value;
};

/// Adds what the coarser grid has found, linear between its centres; not in closed cells.
template <class Axes>
struct Correct {
  static constexpr bool between_grids = true;
  GOBAN_FUNCTION void operator()(auto site, auto correction, auto u) const {
    u += corrected(site, correction, [](auto) { return 0.25; });
  }
  GOBAN_FUNCTION void operator()(auto site, auto correction, auto u, auto x, auto y, auto z) const {
    const auto sum = (x() + x(1, 0, 0)) + (y() + y(0, 1, 0)) + (z() + z(0, 0, 1));
    u += select(sum == 0, 0, corrected(site, correction, [&](auto a) {
                  if constexpr (a == 0) return share_of_next<0>(site, x);
                  if constexpr (a == 1) return share_of_next<1>(site, y);
                  if constexpr (a == 2) return share_of_next<2>(site, z);
                }));
  }

 private:
  GOBAN_FUNCTION static auto corrected(const auto& site, const auto& correction,
                                       const auto& share_along) {
    const auto among = [&](auto... axes) {
      return between_cells(
          site, correction,
          ShareAlong<all_axes[axes], decltype(share_along(axes))>{share_along(axes)}...);
    };
    const std::integral_constant<int, 0> x{};
    const std::integral_constant<int, 1> y{};
    const std::integral_constant<int, 2> z{};
    constexpr auto is = Axes::axis;
    if constexpr (is[0] && is[1] && is[2]) {
      return among(z, y, x);
    } else if constexpr (is[0] && is[1]) {
      return among(y, x);
    } else if constexpr (is[0] && is[2]) {
      return among(z, x);
    } else if constexpr (is[1] && is[2]) {
      return among(z, y);
    } else if constexpr (is[0]) {
      return among(x);
    } else if constexpr (is[1]) {
      return among(y);
    } else {
      return among(z);
    }
  }
};

}  // namespace goban::multigrid
