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
#include <utility>

#include "goban/stencil/operators.hpp"

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

/// The element for an axis of a tuple of velocities, or of what has one value for each of them.
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

/// What a tuple of arguments has for each of D axes, from argument First on.
template <int D, std::size_t First = 0>
GOBAN_FUNCTION auto of_axes(const auto& all) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{std::get<First + I>(all)...};
  }
  (std::make_index_sequence<D>{});
}

/// term(0) + ... + term(count - 1), all of one type.
GOBAN_FUNCTION auto sum_over(int count, const auto& term) {
  auto sum = term(0);
  for (int n = 1; n < count; ++n) sum = sum + term(n);
  return sum;
}

/// The lower face of a cell along an axis lies between two cells of fluid.
GOBAN_FUNCTION auto is_open(const auto& type, Axis axis) {
  return type() == cell::fluid && type.shift(axis, -1)() == cell::fluid;
}
/// Whether the face bounds a solid cell.
GOBAN_FUNCTION auto is_solid(const auto& type, Axis axis) {
  return type() == cell::solid || type.shift(axis, -1)() == cell::solid;
}
/// `value`, or `otherwise` on closed faces along an axis.
GOBAN_FUNCTION auto where_open(const auto& type, Axis axis, const auto& value,
                               const auto& otherwise) {
  if constexpr (has_types<decltype(type)>) {
    return select(is_open(type, axis), value, otherwise);
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
template <std::size_t D>
GOBAN_FUNCTION auto divergence(const std::array<double, 3>& per_h, const std::array<auto, D>& u) {
  return sum_over(D, [&](int a) {
    return per_h[a] * (convert<double>(u[a].shift(all_axes[a], 1)()) - convert<double>(u[a]()));
  });
}

/// |div u|, 1/s.
template <int D>
struct AbsoluteDivergence {
  std::array<double, 3> per_h;
  GOBAN_FUNCTION auto operator()(auto... u) const {
    return abs(divergence(per_h, std::array{u...}));
  }
};

/// Velocity at the centre of a cell. Arguments: velocities, three components.
template <int D>
struct Center {
  GOBAN_FUNCTION void operator()(auto... arguments) const {
    const auto all = std::tie(arguments...);
    const auto& velocity = std::get<D>(all);
    const auto u = of_axes<D>(all);
    for (int a = 0; a < 3; ++a) {
      if (a < D) {
        velocity[a] = average<Onto::center>(u[a], all_axes[a]);
      } else {
        velocity[a] = 0;
      }
    }
  }
};

/// sum |u| / h of a cell, 1/s: the Courant number over the time step.
template <int D, class Real>
struct CourantRate {
  std::array<Real, 3> per_h;
  GOBAN_FUNCTION auto operator()(auto... faces) const {
    const std::array u{faces...};
    return sum_over(D, [&](int a) {
      return (0.5 * per_h[a]) * (abs(u[a]()) + abs(u[a].shift(all_axes[a], 1)()));
    });
  }
};

/// u^2 / 2 of a cell, half of it of each of its faces, m2/s2.
template <int D>
struct KineticEnergy {
  GOBAN_FUNCTION auto operator()(auto... faces) const {
    const std::array u{faces...};
    return sum_over(D, [&](int a) {
      const auto low = u[a](), high = u[a].shift(all_axes[a], 1)();
      return 0.25 * (low * low + high * high);
    });
  }
};

}  // namespace goban::staggered
