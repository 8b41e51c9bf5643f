#include "goban/backend/cpu/rows_ahead.hpp"

#include <algorithm>

#include "goban/base/fetch.hpp"

namespace goban::cpu {
namespace {

constexpr Index fetched_line = 64;  // bytes
constexpr int few_streams = 4;

}  // namespace

RowsAhead::RowsAhead(const KernelShape& shape, std::size_t argument, const SweepCall& call,
                     std::size_t element, int components, int planes)
    : shape_(shape),
      input_(shape.inputs[argument]),
      argument_(argument),
      element_(static_cast<Index>(element)),
      components_(components),
      planes_(planes),
      at_once_(shape.streams * planes > few_streams),
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
}

const std::byte* RowsAhead::at(Index middle, Index slow) const {
  return base_ + middle * middle_stride_ + slow * slow_stride_;
}

void RowsAhead::start(Index middle, Index slow) const {
  if (input_.fetch == Fetch::plane && fetches_ && middle == tile_.lower[middle_]) {
    fetch_first_rows(middle, slow);
  }
}

void RowsAhead::chunk(Index middle, Index slow, Index first, device::RowField& field) const {
  const std::byte* ahead = at(middle, slow);
  if (fetches_) {
    constexpr Index near_chunks = 2;
    const Index far_chunks = at_once_ ? 1 : 8;
    if (!at_once_) {
      fetch_cells(leading(middle, slow, first, near_chunks), shape_.chunk);
    } else if (first <= row_low_) {
      fetch_pad(middle, slow);
    }
    ahead = leading(middle, slow, first, far_chunks) - first * element_;
  }
  field.ahead[0] = reinterpret_cast<const unsigned char*>(ahead);
}

/// Where the cells of the leading plane are that are first needed `chunks` chunks after those from
/// `first` on: tiles are walked chunk by chunk, row by row, plane by plane.
const std::byte* RowsAhead::leading(Index middle, Index slow, Index first, Index chunks) const {
  Index rows = 0;
  const Index length = round_up(row_high_ - round_down(row_low_, shape_.width), shape_.chunk);
  for (first += chunks * shape_.chunk; first >= row_high_; ++rows) first -= length;
  return row_ahead(middle, slow, rows) + first * element_;
}

const std::byte* RowsAhead::row_ahead(Index middle, Index slow, Index rows) const {
  const Index reach = input_.middle_low + input_.middle_high;
  const Index height = tile_.upper[middle_] - tile_.lower[middle_] + reach;
  Index r = middle - tile_.lower[middle_] + reach + rows;
  Index plane = slow;
  while (r >= height) {
    r -= height;
    plane += planes_;
  }
  plane = std::min(plane, std::max(tile_.upper[slow_] - planes_, tile_.lower[slow_]));
  return at(tile_.lower[middle_] - input_.middle_low + r, plane + input_.slow_high);
}

void RowsAhead::fetch_cells(const std::byte* cells, Index count) const {
  for (int c = 0; c < components_; ++c) {
    for (Index p = 0; p < planes_; ++p) {
      const std::byte* const row = cells + p * slow_stride_ + c * component_stride_;
      for (Index i = 0; i < count * element_; i += fetched_line) fetch<CacheLevel::first>(row + i);
    }
  }
}

/// Of the next row, the lines behind its last pack.
void RowsAhead::fetch_pad(Index middle, Index slow) const {
  if (!input_.along_rows) return;
  const Index end = round_up(row_high_, fetched_line / element_);
  fetch_cells(row_ahead(middle, slow, 1) + end * element_, middle_stride_ / element_ - end);
}

/// At the start of a plane: rows that no earlier row of this tile has fetched.
void RowsAhead::fetch_first_rows(Index middle, Index slow) const {
  for (Index k = input_.middle_low + input_.middle_high; k >= 1; --k) {
    const std::byte* const cells = row_ahead(middle, slow, 1 - k);
    for (Index i = round_down(row_low_, shape_.width); i < row_high_; i += shape_.chunk) {
      fetch_cells(cells + i * element_, shape_.chunk);
    }
  }
}

void RowsAhead::piece(Index middle, Index slow, Index group, Index first, Index last,
                      device::RowField& field) const {
  constexpr Index rows_ahead = 2;
  const auto set = [](const unsigned char*& place, const std::byte* row) {
    place = reinterpret_cast<const unsigned char*>(row);
  };
  const Index number = slow - group;
  set(field.far_ahead, at(middle, slow));
  if (fetches_) fetch_group_after(middle, slow, first, last, field);
  set(field.ahead[0], at(middle + input_.middle_high + rows_ahead, slow));
  const int shares = shape_.shares(input_);
  for (int share = 1; share < shares; ++share) {
    const Index other = number * (shares - 1) + share - 1;
    const Index plane = other < input_.slow_low
                            ? group - 1 - other
                            : group + KernelShape::group + (other - input_.slow_low);
    set(field.ahead[share],
        at(middle + input_.outer_high + rows_ahead,
           std::min(plane, group + KernelShape::group - 1 + input_.slow_high)));
  }
}

/// Of the plane that the next group is the first to need: the row itself with the packs; before the
/// first row and after the last of the tile those that are read beyond it.
void RowsAhead::fetch_group_after(Index middle, Index slow, Index first, Index last,
                                  device::RowField& field) const {
  const Index end = tile_.upper[slow_] - 1 + input_.slow_high;
  const Index low = tile_.lower[middle_], high = tile_.upper[middle_];
  field.far_ahead = reinterpret_cast<const unsigned char*>(
      at(middle + input_.outer_high, std::min(slow + KernelShape::group + input_.slow_high, end)));
  const Index plane = slow + KernelShape::group + (input_.outer_high > 0 ? input_.slow_high : 0);
  if (plane > end) return;
  if (middle == low) fetch_rows(low - input_.middle_low, low + input_.outer_high, plane, first, last);
  if (middle == high - 1) {
    fetch_rows(high + input_.outer_high, high + input_.middle_high, plane, first, last);
  }
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
