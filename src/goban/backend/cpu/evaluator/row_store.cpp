#include "goban/backend/cpu/evaluator/row_store.hpp"

#include <algorithm>
#include <cstring>

namespace goban::cpu {
namespace {

Index element_of(const std::array<Index, 3>& stride, const std::array<int, 3>& order,
                 const RowOfBox& row) {
  return row.middle * stride[static_cast<std::size_t>(order[1])] +
         row.slow * stride[static_cast<std::size_t>(order[2])];
}

}  // namespace

RowStore::RowStore(const SweepCall& call, const RowOutput& output, const std::array<int, 3>& order)
    : stored_(output.stored),
      bytes_(bytes_of(output.stored)),
      order_(order),
      is_scratch_(output.is_scratch),
      is_streamed_(call.streaming && !output.is_scratch && !output.is_updated),
      mask_(output.is_scratch ? nullptr : call.mask) {
  if (is_scratch_) {
    base_ = call.scratch->memory + output.component * call.scratch->component * bytes_;
    stride_ = call.scratch->stride;
    return;
  }
  const auto argument = static_cast<std::size_t>(output.parameter);
  const FieldBinding& field = call.fields[argument];
  base_ = field.write + field.component_offset(output.component) * bytes_;
  stride_ = field.stride;
  is_streamed_ = is_streamed_ && !field.places;
  clip_ = field.clip;
  if (!call.ends || call.ends[argument].component.empty()) return;
  ends_ = &call.ends[argument];
  kept_base_ = ends_->component[static_cast<std::size_t>(output.component)];
}

void RowStore::start(const RowOfBox& row) {
  row_ = base_ + element_of(stride_, order_, row) * bytes_;
  if (kept_base_) kept_row_ = kept_base_ + element_of(ends_->stride, order_, row) * bytes_;
  if (mask_) {
    mask_row_ =
        reinterpret_cast<const std::uint8_t*>(mask_->read) + element_of(mask_->stride, order_, row);
  }
  if (is_scratch_) return;
  is_clipped_away_ = row.middle < clip_.lower[order_[1]] || row.middle >= clip_.upper[order_[1]] ||
                     row.slow < clip_.lower[order_[2]] || row.slow >= clip_.upper[order_[2]];
}

bool RowStore::is_whole(Index first, Index n) const {
  if (is_scratch_) return true;
  if (mask_ || is_clipped_away_ || is_streamed_) return false;
  if (first < clip_.lower[order_[0]] || first + n > clip_.upper[order_[0]]) return false;
  return !kept_row_ || (first >= ends_->low_end && first + n <= ends_->high_begin);
}

void RowStore::store(Index first, Index n, const std::byte* values) const {
  const Index end = first + n;
  if (!kept_row_) return store_in_memory(first, end, first, values);
  const auto keep = [&](Index low, Index high, Index gap) {
    low = std::max(low, first);
    high = std::min(high, end);
    if (low >= high) return;
    std::memcpy(kept_row_ + (low - gap) * bytes_, values + (low - first) * bytes_,
                static_cast<std::size_t>((high - low) * bytes_));
    // What of it goes to memory as well.
    store_in_memory(std::max(low, ends_->kept_below), std::min(high, ends_->kept_from), first,
                    values);
  };
  keep(first, ends_->low_end, 0);
  store_in_memory(std::max(first, ends_->low_end), std::min(end, ends_->high_begin), first, values);
  keep(ends_->high_begin, end, ends_->gap);
}

void RowStore::store_in_memory(Index first, Index end, Index origin,
                               const std::byte* values) const {
  if (is_clipped_away_) return;
  if (!is_scratch_) {
    first = std::max(first, clip_.lower[order_[0]]);
    end = std::min(end, clip_.upper[order_[0]]);
  }
  if (first >= end) return;
  const std::byte* const from = values + (first - origin) * bytes_;
  if (mask_) {
    row_masked_store(stored_)(at(first), from, mask_row_ + first, nullptr, end - first);
  } else if (is_streamed_) {
    row_streaming_copy()(at(first), from, nullptr, nullptr, (end - first) * bytes_);
  } else {
    std::memcpy(at(first), from, static_cast<std::size_t>((end - first) * bytes_));
  }
}

}  // namespace goban::cpu
