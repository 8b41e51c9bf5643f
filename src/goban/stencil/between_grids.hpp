#pragma once
// What functors do that read another grid than they write: a grid of half as many cells along some
// axes, or one of twice as many.

#include "goban/base/types.hpp"
#include "goban/stencil/misuse.hpp"

namespace goban {

/// Whether, along an axis with ratio 2, this is the upper one of the two cells that a coarser cell
/// consists of.
template <Axis A>
GOBAN_ACCESSOR_FUNCTION auto is_upper_part(const auto& site) {
  return (site.index(A) & 1) == 1;
}

namespace detail {

template <Axis A, Axis... Rest>
GOBAN_ACCESSOR_FUNCTION auto sum_of_parts(const FieldAccessor auto& fine) {
  if constexpr (sizeof...(Rest) == 0) {
    return fine() + fine.shift(A, 1)();
  } else {
    return sum_of_parts<Rest...>(fine) + sum_of_parts<Rest...>(fine.shift(A, 1));
  }
}

}  // namespace detail

/// The mean of the cells of a finer grid that this cell consists of, the axes with ratio 2 listed
/// from the last to the first. Residuals are restricted so.
template <Axis... Axes>
GOBAN_ACCESSOR_FUNCTION auto mean_of_parts(const FieldAccessor auto& fine) {
  if constexpr (sizeof...(Axes) == 0) {
    return mean_of_parts<Axis::z, Axis::y, Axis::x>(fine);
  } else {
    return (1.0 / (1 << sizeof...(Axes))) * detail::sum_of_parts<Axes...>(fine);
  }
}

namespace detail {

template <Axis A, Axis... Rest>
GOBAN_ACCESSOR_FUNCTION auto between_centers(const auto& site, const FieldAccessor auto& coarse) {
  const auto at = [&](int cells) {
    const auto shifted = coarse.shift(A, cells);
    if constexpr (sizeof...(Rest) == 0) {
      return shifted();
    } else {
      return between_centers<Rest...>(site, shifted);
    }
  };
  return 0.75 * at(0) + 0.25 * select(is_upper_part<A>(site), at(1), at(-1));
}

}  // namespace detail

/// The value of a coarser grid here, linear between the centres of its cells along the axes listed,
/// those with ratio 2: 3/4 of the cell that this one is a part of, 1/4 of the one on its side.
template <Axis... Axes>
GOBAN_ACCESSOR_FUNCTION auto interpolated(const auto& site, const FieldAccessor auto& coarse) {
  if constexpr (sizeof...(Axes) == 0) {
    return interpolated<Axis::z, Axis::y, Axis::x>(site, coarse);
  } else {
    return detail::between_centers<Axes...>(site, coarse);
  }
}

}  // namespace goban
