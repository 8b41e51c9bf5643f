#pragma once
// What the cursors of a sweep have in common: where the walk is, and which values of a parameter a
// functor reads.

#include "goban/backend/kernel_call.hpp"
#include "goban/stencil/parameters.hpp"

namespace goban::cpu {

/// Memory order of the grid axes when packs run along `unit`: fast, middle, slow.
constexpr std::array<int, 3> order_of(Axis unit) {
  return unit == Axis::z ? kij::order : ijk::order;
}

/// The rows that are evaluated together: row m of planes s, s+1, ..., s+Planes-1.
struct RowPosition {
  Index middle, slow;
  Index low, high;  ///< cells of the row to update
};

/// How the packs of a row are stored: whole ones past the caches or through them, as the call says
/// or known before; or one by one: ends of rows that are kept, and only the cells that the box, the
/// clip and the mask leave.
enum class Store { streaming, cached, either, some };

/// How an input is fetched ahead of its use.
enum class Fetch {
  none,    ///< too little is known, or nothing is read
  plane,   ///< one plane at a time enters the stencil: see rows_ahead.hpp
  group,   ///< a group of planes is walked together: fetch what its next rows will need
  streams  ///< every component is its own stream, read where it is needed: fetch two packs ahead
};

/// Which values of one parameter a functor reads, for its kernel.
struct InputShape {
  Fetch fetch = Fetch::none;
  int slow_low = 0, slow_high = 0, middle_low = 0, middle_high = 0;
  int outer_high = 0;  ///< the farthest along the middle axis in other planes than the cell's own
  bool along_rows = false;  ///< neighbours along the row are read
};

constexpr Displacement displacement_along(int axis, int by) {
  return {axis == 0 ? by : 0, axis == 1 ? by : 0, axis == 2 ? by : 0};
}

/// What cursors share that fetch nothing and limit nothing.
struct PlainCursor {
  static void limit(const SweepCall&, std::size_t, Box&) {}
  GOBAN_INLINE void chunk(const RowPosition&, Index) const {}
  GOBAN_INLINE void piece(const RowPosition&, Index, Index, Index) {}
};

template <class T>
ComponentOffset<T> component_offset(const FieldBinding& field) {
  if constexpr (is_in_place<T>) {
    return field.places->offset.data();
  } else {
    return field.component_stride;
  }
}

}  // namespace goban::cpu
