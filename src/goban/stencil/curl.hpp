#pragma once
// The curl of a vector field in cells.

#include <array>

#include "goban/stencil/misuse.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban {

/// Curl of a cell-centred velocity by central differences.
template <class Real>
struct Curl {
  std::array<Real, 3> scale{};  ///< 1 / (2 h)

  GOBAN_FUNCTION void operator()(auto u, auto vorticity) const {
    unroll<3>([&](auto a) {
      constexpr int b = (a + 1) % 3, c = (a + 2) % 3;
      constexpr Axis along_b = all_axes[b], along_c = all_axes[c];
      vorticity[a] = scale[b] * (u[c].shift(along_b, 1)() - u[c].shift(along_b, -1)()) -
                     scale[c] * (u[b].shift(along_c, 1)() - u[b].shift(along_c, -1)());
    });
  }
};

}  // namespace goban
