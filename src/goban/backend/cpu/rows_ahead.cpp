#include "goban/backend/cpu/rows_ahead.hpp"

#include <algorithm>

#include "goban/base/fetch.hpp"

namespace goban::cpu {
namespace {

constexpr Index fetched_line = 64;  // bytes
constexpr int few_streams = 4;

void set(const unsigned char*& place, const std::byte* row) {
  place = reinterpret_cast<const unsigned char*>(row);
}

}  // namespace

RowsAhead::RowsAhead(const KernelShape& shape, std::size_t argument, const SweepCall& call,
                     std::size_t element, int components, int planes)
    : shape_(shape),
      input_(shape.inputs[argument]),
      argument_(argument),
      element_(static_cast<Index>(element)),
      components_(components),
      planes_(planes),
      fetches_(call.fields[argument].from_memory),
      base_(call.fields[argument].read),
      tile_(call.tile),
      middle_(static_cast<std::size_t>(shape.order[1])),
      slow_(static_cast<std::size_t>(shape.order[2])) {
  const FieldBinding& field = call.fields[argument];
  middle_stride_ = element_ * field.stride[middle_];
  slow_stride_ = element_ * field.stride[slow_];
  component_stride_ = element_ * field.component_stride;
  row_low_ = call.box.lower[shape.order[0]];
  row_high_ = call.box.upper[shape.order[0]];
  // In chunks; whole rows where rows are not much longer.
  const bool at_once = shape.streams * planes > few_streams;
  const Index soon = at_once ? 1 : 2, later = 8, long_row = 16;
  const Index chunks = std::max<Index>(1, (row_high_ - row_low_ + shape.chunk - 1) / shape.chunk);
  const bool is_long = chunks > long_row;
  const auto in_rows = [&](Index distance) { return (distance + chunks - 1) / chunks; };
  rows_soon_ = is_long ? 0 : in_rows(soon);
  rows_later_ = is_long ? 0 : std::max(in_rows(later), rows_soon_ + 1);
  cells_soon_ = is_long ? soon * shape.chunk : 0;
  cells_later_ = is_long ? later * shape.chunk : 0;
}

const std::byte* RowsAhead::at(Index middle, Index slow) const {
  return base_ + middle * middle_stride_ + slow * slow_stride_;
}

/// Returns what is first needed `rows` rows after a row. Tiles are walked row by row and plane by
/// plane.
RowsAhead::Place RowsAhead::ahead(Index middle, Index slow, Index rows, Index most) const {
  const Index reach = input_.middle_low + input_.middle_high;
  const Index height = tile_.upper[middle_] - tile_.lower[middle_] + reach;
  Index r = middle - tile_.lower[middle_] + reach + rows;
  Index plane = slow;
  while (r >= height) {
    r -= height;
    plane += planes_;
  }
  plane = std::min(plane, std::max(tile_.upper[slow_] - planes_, tile_.lower[slow_]));
  return {at(tile_.lower[middle_] - input_.middle_low + r, plane + input_.slow_high),
          std::min(most, height - r)};
}

Index RowsAhead::start(Index middle, Index slow, Index rows, device::RowField& field) const {
  if (!fetches_) {
    set(field.soon[0][0], at(middle, slow));
    field.later[0] = field.soon[0][0];
    return rows;
  }
  if (middle == tile_.lower[middle_]) fetch_first_rows(middle, slow);
  const Place soon = ahead(middle, slow, rows_soon_, rows);
  const Place later = ahead(middle, slow, rows_later_, rows);
  set(field.soon[0][0], soon.row + cells_soon_ * element_);
  set(field.later[0], later.row + cells_later_ * element_);
  return std::min(soon.rows, later.rows);
}

void RowsAhead::fetch_cells(const std::byte* cells, Index count) const {
  for (int c = 0; c < components_; ++c) {
    for (Index p = 0; p < planes_; ++p) {
      const std::byte* const row = cells + p * slow_stride_ + c * component_stride_;
      for (Index i = 0; i < count * element_; i += fetched_line) fetch<CacheLevel::first>(row + i);
    }
  }
}

/// Fetches, at the start of a plane, the rows that no earlier row of this tile has fetched.
void RowsAhead::fetch_first_rows(Index middle, Index slow) const {
  for (Index k = input_.middle_low + input_.middle_high; k >= 1; --k) {
    const std::byte* const cells = ahead(middle, slow, 1 - k, 1).row;
    const Index first = round_down(row_low_, shape_.width);
    fetch_cells(cells + first * element_, round_up(row_high_ - first, shape_.chunk));
  }
}

Index RowsAhead::start_group(Index middle, Index slow, Index planes, Index rows, Index first,
                             Index last, device::RowField& field) const {
  constexpr Index rows_ahead = 2;
  const Index end = tile_.upper[slow_] - 1 + input_.slow_high;
  const Index low = tile_.lower[middle_], high = tile_.upper[middle_];
  const int shares = shape_.shares(input_);
  for (Index number = 0; number < planes; ++number) {
    const Index s = slow + number;
    set(field.later[number], fetches_ ? at(middle + input_.outer_high,
                                           std::min(s + KernelShape::group + input_.slow_high, end))
                                      : at(middle, s));
    set(field.soon[number][0], at(middle + input_.middle_high + rows_ahead, s));
    for (int share = 1; share < shares; ++share) {
      const Index other = number * (shares - 1) + share - 1;
      const Index plane = other < input_.slow_low
                              ? slow - 1 - other
                              : slow + KernelShape::group + (other - input_.slow_low);
      set(field.soon[number][share],
          at(middle + input_.outer_high + rows_ahead,
             std::min(plane, slow + KernelShape::group - 1 + input_.slow_high)));
    }
  }
  if (!fetches_) return rows;
  // Before the first row and after the last of the tile rows that are read beyond it.
  for (Index number = 0; number < planes && (middle == low || middle == high - 1); ++number) {
    const Index plane =
        slow + number + KernelShape::group + (input_.outer_high > 0 ? input_.slow_high : 0);
    if (plane > end) continue;
    if (middle == low) {
      fetch_rows(low - input_.middle_low, low + input_.outer_high, plane, first, last);
    }
    if (middle == high - 1) {
      fetch_rows(high + input_.outer_high, high + input_.middle_high, plane, first, last);
    }
  }
  return middle < high - 1 ? std::min(rows, high - 1 - middle) : rows;
}

void RowsAhead::fetch_rows(Index low, Index high, Index plane, Index first, Index last) const {
  for (Index row = low; row < high; ++row) {
    for (int c = 0; c < components_; ++c) {
      const std::byte* const cells = at(row, plane) + c * component_stride_;
      for (Index i = first; i < last; i += shape_.width) {
        fetch<CacheLevel::second>(cells + i * element_);
      }
    }
  }
}

}  // namespace goban::cpu
