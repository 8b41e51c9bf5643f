#pragma once
// The axes along which cells are put together, as a type.

#include "goban/solver/transfer_stencils.hpp"

namespace goban::multigrid {

/// Calls f with a Coarsened of the axes along which the ratio is 2.
template <class F>
void with_coarsened(Index3 ratio, const F& f) {
  switch ((ratio[0] == 2) + 2 * (ratio[1] == 2) + 4 * (ratio[2] == 2)) {
    case 1: return f(Coarsened<true, false, false>{});
    case 2: return f(Coarsened<false, true, false>{});
    case 3: return f(Coarsened<true, true, false>{});
    case 4: return f(Coarsened<false, false, true>{});
    case 5: return f(Coarsened<true, false, true>{});
    case 6: return f(Coarsened<false, true, true>{});
    default: return f(Coarsened<true, true, true>{});
  }
}

}  // namespace goban::multigrid
