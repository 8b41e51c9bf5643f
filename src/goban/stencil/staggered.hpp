#pragma once
// Velocities on the faces of the axis that they point along (the Arakawa C grid), and cells that
// are not all fluid. A functor takes one velocity for each of D axes, in their order, on unit
// spacing as operators.hpp; `per_h` is what differences are multiplied by [1/m].
//
// Where cells are not all alike a byte says what each is. A face is open between two cells of
// fluid; closed ones keep what they hold, 0 at solids.

#include <array>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "goban/stencil/operators.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::staggered {

namespace cell {
inline constexpr std::uint8_t solid = 0;  ///< at rest
inline constexpr std::uint8_t fluid = 1;
inline constexpr std::uint8_t beyond = 2;  ///< ghosts behind the sides of the grid
}  // namespace cell

/// Instead of a field of types: all cells are fluid.
struct AllFluid {
  GOBAN_FUNCTION AllFluid shift(Axis, int) const { return {}; }
};
template <class Type>
inline constexpr bool has_types = !std::is_same_v<std::decay_t<Type>, AllFluid>;

/// Of a tuple of velocities, or of what has one value for each, that along an axis.
template <Axis A>
GOBAN_FUNCTION const auto& along(const auto& faces) {
  return std::get<static_cast<std::size_t>(index_of(A))>(faces);
}

/// Argument I of a tuple, or `otherwise` if that argument is not there.
template <bool IsThere, std::size_t I>
GOBAN_FUNCTION auto argument_or(const auto& all, const auto& otherwise) {
  if constexpr (IsThere) {
    return std::get<I>(all);
  } else {
    return otherwise;
  }
}

/// term(0) + ... + term(Count - 1); the argument is a constant.
template <int Count, class Term>
GOBAN_FUNCTION auto sum_over(const Term& term) {
  constexpr std::integral_constant<int, Count - 1> last{};
  if constexpr (last == 0) {
    return term(last);
  } else {
    return sum_over<Count - 1>(term) + term(last);
  }
}

/// The lower face of a cell along A lies between two cells of fluid.
template <Axis A>
GOBAN_FUNCTION auto is_open(const auto& type) {
  return type() == cell::fluid && type.shift(A, -1)() == cell::fluid;
}
/// It bounds a solid cell.
template <Axis A>
GOBAN_FUNCTION auto is_solid(const auto& type) {
  return type() == cell::solid || type.shift(A, -1)() == cell::solid;
}
/// `value`, or `otherwise` on closed faces along A.
template <Axis A>
GOBAN_FUNCTION auto where_open(const auto& type, const auto& value, const auto& otherwise) {
  if constexpr (has_types<decltype(type)>) {
    return select(is_open<A>(type), value, otherwise);
  } else {
    return value;
  }
}

/// The same of the cell.
GOBAN_FUNCTION auto where_fluid(const auto& type, const auto& value, const auto& otherwise) {
  if constexpr (has_types<decltype(type)>) {
    return select(type() == cell::fluid, value, otherwise);
  } else {
    return value;
  }
}

/// Net outflow of a cell per volume, 1/s, in double.
template <int D>
GOBAN_FUNCTION auto divergence(const std::array<double, 3>& per_h, const auto& faces) {
  return sum_over<D>([&](auto b) {
    constexpr auto a = static_cast<std::size_t>(b);
    const auto& u = std::get<a>(faces);
    return per_h[a] * (convert<double>(u.shift(all_axes[a], 1)()) - convert<double>(u()));
  });
}

/// |div u|, 1/s.
template <int D>
struct AbsoluteDivergence {
  std::array<double, 3> per_h;
  GOBAN_FUNCTION auto operator()(auto... u) const {
    return abs(divergence<D>(per_h, std::tie(u...)));
  }
};

/// Velocity at the centre of a cell. Arguments: velocities, three components.
template <int D>
struct Center {
  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto& velocity = std::get<D>(all);
    unroll<3>([&](auto a) {
      if constexpr (a < D) {
        velocity[a] = average<all_axes[a], Onto::center>(std::get<a>(all));
      } else {
        velocity[a] = 0;
      }
    });
  }
};

/// sum |u| / h of a cell, 1/s: the Courant number over the time step.
template <int D, class Real>
struct CourantRate {
  std::array<Real, 3> per_h;
  GOBAN_FUNCTION auto operator()(auto... u) const {
    const auto all = std::tie(u...);
    return sum_over<D>([&](auto a) {
      const auto& faces = std::get<a>(all);
      return (0.5 * per_h[a]) * (abs(faces()) + abs(faces.shift(all_axes[a], 1)()));
    });
  }
};

/// u^2 / 2 of a cell, half of it of each of its faces, m2/s2.
template <int D>
struct KineticEnergy {
  GOBAN_FUNCTION auto operator()(auto... u) const {
    const auto all = std::tie(u...);
    return sum_over<D>([&](auto a) {
      const auto low = std::get<a>(all)(), high = std::get<a>(all).shift(all_axes[a], 1)();
      return 0.25 * (low * low + high * high);
    });
  }
};

}  // namespace goban::staggered
