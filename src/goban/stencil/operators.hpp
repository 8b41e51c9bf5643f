#pragma once
// Derivatives, averages and Laplacians of fields inside functors, on unit spacing: divide by the
// spacing to the power of the derivative. `u` is an accessor of one component.
//
// Index i of a face field is the lower face of cell i. Onto::face gives the value on the lower face
// of the cell from cells, Onto::center the value of the cell from its faces:
//
//        cell i-1      cell i
//     |-----o-----|-----o-----|
//               face i     face i+1

#include <type_traits>

#include "goban/base/types.hpp"
#include "goban/stencil/finite_differences.hpp"
#include "goban/stencil/misuse.hpp"
#include "goban/stencil/scalar_arithmetic.hpp"

namespace goban {

/// Where a result lives relative to what it is made of.
enum class Onto { same, face, center };

namespace detail {

template <int Order>
constexpr int half_width() {
  static_assert(Order == 2 || Order == 4 || Order == 6 || Order == 8,
                "goban: finite differences have order 2, 4, 6 or 8");
  return Order / 2;
}

// (term(1) + term(2)) + ... + term(Last); the argument is a constant.
template <int Last, class Term>
GOBAN_ACCESSOR_FUNCTION auto sum(const Term& term) {
  if constexpr (Last == 1) {
    return term(std::integral_constant<int, 1>{});
  } else {
    return sum<Last - 1>(term) + term(std::integral_constant<int, Last>{});
  }
}

// The two neighbours j steps away: at j and -j, staggered at j - 1/2 and 1/2 - j.
template <Onto onto>
GOBAN_ACCESSOR_FUNCTION auto upper(const FieldAccessor auto& u, Axis axis, int j) {
  return u.shift(axis, onto == Onto::face ? j - 1 : j)();
}
template <Onto onto>
GOBAN_ACCESSOR_FUNCTION auto lower(const FieldAccessor auto& u, Axis axis, int j) {
  return u.shift(axis, onto == Onto::center ? 1 - j : -j)();
}

}  // namespace detail

/// First derivative along an axis.
template <int Order = 2, Onto onto = Onto::same>
GOBAN_ACCESSOR_FUNCTION auto d(const FieldAccessor auto& u, Axis axis) {
  constexpr int m = detail::half_width<Order>();
  return detail::sum<m>([&](auto j) {
    constexpr double c =
        onto == Onto::same ? finite_differences::first(m, j) : finite_differences::staggered(m, j);
    const auto difference = detail::upper<onto>(u, axis, j) - detail::lower<onto>(u, axis, j);
    if constexpr (c == 1) {
      return difference;
    } else {
      return c * difference;
    }
  });
}
template <Axis A, int Order = 2, Onto onto = Onto::same>
GOBAN_ACCESSOR_FUNCTION auto d(const FieldAccessor auto& u) {
  return d<Order, onto>(u, A);
}

/// Second derivative along A.
template <Axis A, int Order = 2>
GOBAN_ACCESSOR_FUNCTION auto d2(const FieldAccessor auto& u) {
  constexpr int m = detail::half_width<Order>();
  constexpr double center = finite_differences::second(m, 0);
  return detail::sum<m>([&](auto j) {
           constexpr double c = finite_differences::second(m, j);
           const auto pair =
               detail::upper<Onto::same>(u, A, j) + detail::lower<Onto::same>(u, A, j);
           if constexpr (c == 1) {
             return pair;
           } else {
             return c * pair;
           }
         }) +
         center * u();
}

/// Mean along an axis between cells and faces; of order 2 the arithmetic mean of the two next to
/// it.
template <Onto onto, int Order = 2>
GOBAN_ACCESSOR_FUNCTION auto average(const FieldAccessor auto& u, Axis axis) {
  static_assert(onto != Onto::same, "goban: averages go onto faces or centers");
  constexpr int m = detail::half_width<Order>();
  return detail::sum<m>([&](auto j) {
    constexpr double c = finite_differences::average(m, j);
    return c * (detail::upper<onto>(u, axis, j) + detail::lower<onto>(u, axis, j));
  });
}
template <Axis A, Onto onto, int Order = 2>
GOBAN_ACCESSOR_FUNCTION auto average(const FieldAccessor auto& u) {
  return average<onto, Order>(u, A);
}

/// 2 a b / (a + b) of the two next to it, the conductivity of two half cells in series; 0 if both
/// are 0.
template <Axis A, Onto onto>
GOBAN_ACCESSOR_FUNCTION auto harmonic_average(const FieldAccessor auto& u) {
  static_assert(onto != Onto::same, "goban: averages go onto faces or centers");
  const auto a = detail::upper<onto>(u, A, 1);
  const auto b = detail::lower<onto>(u, A, 1);
  const auto sum = a + b;
  return select(sum == 0, 0, 2 * (a * b) / sum);
}

/// Sum of the second derivatives along the first Dims axes.
template <int Order = 2, int Dims = 3>
GOBAN_ACCESSOR_FUNCTION auto laplacian(const FieldAccessor auto& u) {
  static_assert(Dims >= 1 && Dims <= 3, "goban: a Laplacian has one to three axes");
  constexpr int m = detail::half_width<Order>();
  constexpr double center = Dims * finite_differences::second(m, 0);
  return detail::sum<m>([&](auto j) {
           constexpr double c = finite_differences::second(m, j);
           const auto neighbours = detail::sum<Dims>([&](auto axis) {
             constexpr Axis a = all_axes[axis - 1];
             return detail::upper<Onto::same>(u, a, j) + detail::lower<Onto::same>(u, a, j);
           });
           if constexpr (c == 1) {
             return neighbours;
           } else {
             return c * neighbours;
           }
         }) +
         center * u();
}

}  // namespace goban
