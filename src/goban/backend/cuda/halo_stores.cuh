#pragma once
// Stores into halos: of other patches, of other devices, too.

#include "goban/backend/cuda/sweep_arguments.hpp"
#include "goban/stencil/pack_types.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::cuda {

/// What was stored at `from`, component 0 of a cell of this plane: lanes low ... high-1 of all
/// components once more where the plane is sent. Without a fence, which would cost more than the
/// stores: when the next kernel of the queue starts, and tells others, all has arrived.
template <int C, int N, class T, class Value>
GOBAN_INLINE void store_in_halos(const SendView (&views)[2], int plane, T* from,
                                 const Value* values, int low, int high) {
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    const SendView& view = views[side];
    if (plane < view.first || plane >= view.last) continue;
    T* to = reinterpret_cast<T*>(reinterpret_cast<std::byte*>(from) + view.shift);
    unroll<C>([&](auto c) {
      if ((view.components >> c & 1u) == 0) return;
      if (low <= 0 && high >= N) {
        store_streaming(to + c * view.component, values[c]);
      } else {
        store_lanes(to + c * view.component, values[c], low, high);
      }
    });
  }
}

}  // namespace goban::cuda
