#pragma once
// What mass that flows through faces carries along: third-order upwind values, limited by Koren's
// function (in Numerical Methods for Advection-Diffusion Problems, Notes on Numerical Fluid
// Mechanics 45 (1993) 117), and what eddies of constant diffusivity spread.

#include <array>
#include <cstdint>
#include <tuple>

#include "goban/stencil/operators.hpp"
#include "goban/stencil/site.hpp"
#include "goban/stencil/staggered.hpp"

namespace goban::atmosphere {

using staggered::along;

/// term(x) + term(y) + term(z), without y in the plane; the argument is a constant.
template <int D>
GOBAN_FUNCTION auto sum_over_axes(const auto& term) {
  constexpr std::integral_constant<int, 0> x{};
  constexpr std::integral_constant<int, 1> y{};
  constexpr std::integral_constant<int, 2> z{};
  if constexpr (D == 3) {
    return (term(x) + term(y)) + term(z);
  } else {
    return term(x) + term(z);
  }
}

/// phi(r) a with r = b / a and Koren's phi = max(0, min(2 r, min(1/3 + 2 r / 3, 2))), without a
/// quotient: a is the difference upwind of a cell, b that across the face.
GOBAN_FUNCTION auto limited(const auto& a, const auto& b) {
  const auto size_a = abs(a), size_b = abs(b);
  const auto size = min(2 * size_b, min((size_a + 2 * size_b) * (1.0 / 3), 2 * size_a));
  return select(b > 0, select(a > 0, size, 0), select(a < 0, -size, 0));
}

/// Whether values on faces stay between those of the cells beside them.
enum class Limit { none, koren };

/// The value of q at the face between q(-1) and q(0) along A that goes with this flux. Where
/// `is_edge` holds, the value two away upwind lies beyond the end of the grid and is extrapolated.
template <Axis A, Limit L, class Edge = bool>
GOBAN_FUNCTION auto face_value(const auto& q, const auto& flux, const Edge& is_edge = false) {
  const auto far_low = q.shift(A, -2)(), low = q.shift(A, -1)(), high = q(),
             far_high = q.shift(A, 1)();
  const auto rises = flux > 0;
  const auto across = select(rises, high - low, low - high);
  const auto difference = select(rises, low - far_low, high - far_high);
  const auto upwind = [&] {
    if constexpr (std::is_same_v<Edge, bool>) {
      return difference;
    } else {
      return select(is_edge, across, difference);
    }
  }();
  const auto bend = [&] {
    if constexpr (L == Limit::koren) {
      return limited(upwind, across);
    } else {
      return (upwind + 2 * across) * (1.0 / 3);
    }
  }();
  return select(rises, low, high) + 0.5 * bend;
}

/// face_value() at the lower face along B, n cells further. The site is that of the cell at hand;
/// faces along z end with number `ends`: that of the last face but one whose both sides are values.
template <Axis B, Limit L>
GOBAN_FUNCTION auto carried(const auto& site, const auto& q, const auto& flux, int n,
                            std::int32_t ends) {
  if constexpr (B == Axis::z) {
    const auto face = site.index(B) + n;
    const auto is_edge = (face == 1 && flux > 0) || (face == ends && !(flux > 0));
    return face_value<B, L>(q.shift(B, n), flux, is_edge);
  } else {
    return face_value<B, L>(q.shift(B, n), flux);
  }
}

/// G rho nu over the length of a cell squared, of a cell along B; along z lengths are G dz. `area`:
/// that of a map.
template <Axis B>
GOBAN_FUNCTION auto spreading(const auto& mass, const auto& stretch, const auto&... area) {
  if constexpr (B == Axis::z) {
    return mass() / (stretch() * stretch());
  } else {
    return (mass() / ... / area());
  }
}

}  // namespace goban::atmosphere
