#include "goban/backend/cpu/evaluator/row_input.hpp"

namespace goban::cpu {

RowInput::RowInput(const SweepCall& call, const RowRead& read, const std::array<int, 3>& order)
    : order_(order), bytes_(bytes_of(read.stored)), step_(bytes_) {
  if (read.is_scratch) {
    const ScratchBinding& scratch = *call.scratch;
    base_ = scratch.memory + (read.component * scratch.component +
                              (read.is_of_level_before ? scratch.previous : 0)) *
                                 bytes_;
    stride_ = scratch.stride;
    return;
  }
  const FieldBinding& field = call.fields[static_cast<std::size_t>(read.parameter)];
  Index element = field.component_offset(read.component);
  for (std::size_t a = 0; a < 3; ++a) element += read.offset[a] * field.stride[a];
  base_ = field.read + element * bytes_;
  stride_ = field.stride;
  map_ = field.map;
  if (map_.is_identity()) return;
  first_ = call.site.index;
  step_ = 0;
}

void RowInput::start(const RowOfBox& row) {
  const auto element = [&](int axis, Index i) {
    const auto a = static_cast<std::size_t>(axis);
    return map_(axis, i + first_[a]) * stride_[a];
  };
  row_ = base_ + (element(order_[1], row.middle) + element(order_[2], row.slow)) * bytes_;
}

}  // namespace goban::cpu
