#pragma once
// What launches of all kernels share.

#include "goban/backend/cuda/sweep_arguments.hpp"

namespace goban::cuda {

inline unsigned int blocks_of(int cells, int cells_per_block) {
  return static_cast<unsigned int>((cells + cells_per_block - 1) / cells_per_block);
}

inline void view_sends(SendView (&views)[2], const std::array<SentCells, 2>& sends) {
  for (std::size_t side = 0; side < 2; ++side) {
    const SentCells& sent = sends[side];
    views[side] = {sent.shift, sent.component_stride, static_cast<int>(sent.first),
                   static_cast<int>(sent.last), sent.components};
  }
}

/// A field as kernels see it; `order` is its memory order.
inline FieldView view_of(const FieldBinding& b, const std::array<int, 3>& order) {
  FieldView v{};
  v.read = b.read;
  v.write = b.write;
  v.middle = static_cast<int>(b.stride[static_cast<std::size_t>(order[1])]);
  v.slow = b.stride[static_cast<std::size_t>(order[2])];
  v.component = b.component_stride;
  for (int i = 0; i < 3; ++i) {
    v.low[i] = static_cast<int>(b.clip.lower[order[static_cast<std::size_t>(i)]]);
    v.high[i] = static_cast<int>(b.clip.upper[order[static_cast<std::size_t>(i)]]);
  }
  return v;
}

}  // namespace goban::cuda
