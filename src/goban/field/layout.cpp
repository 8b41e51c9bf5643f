#include "goban/field/layout.hpp"

namespace goban {

FieldLayout make_layout(const FieldRecord& field, Index3 owned, const Extents& halo) {
  constexpr Index row_alignment = 128, slack = 64;  // bytes; slack: a pack that starts before a cell
  FieldLayout layout;
  layout.type = field.type;
  layout.components = field.components;
  layout.order = field.order;
  layout.owned = owned;
  layout.halo = halo;
  const auto element = static_cast<Index>(field.element_size());
  const auto [fast, middle, slow] = field.order;
  // One more value on every axis: the last wall face of face fields.
  const Index left = round_up(halo.low[fast] * element + slack, row_alignment) / element;
  const Index right = (halo.high[fast] + 1) * element + slack;
  const Index pitch = round_up(left * element + owned[fast] * element + right, row_alignment) / element;
  const Index rows = halo.low[middle] + owned[middle] + halo.high[middle] + 1;
  const Index planes = halo.low[slow] + owned[slow] + halo.high[slow] + 1;
  layout.stride[fast] = 1;
  layout.stride[middle] = pitch;
  layout.stride[slow] = pitch * rows;
  layout.component_stride = layout.stride[slow] * planes;
  layout.origin = left + halo.low[middle] * pitch + halo.low[slow] * layout.stride[slow];
  layout.bytes = static_cast<std::size_t>(layout.component_stride * layout.components * element) +
                 2 * row_alignment;
  return layout;
}

}  // namespace goban
