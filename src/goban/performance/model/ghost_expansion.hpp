#pragma once
// Ghost expansion in closed form: what R steps cost whose halos are fetched once, as in Liu and
// Perumalla, "Efficient large-scale parallel stencil computation on multi-core and multi-GPU
// accelerated clusters", section 3.4, for boxes of any shape and any reach on each side.

#include "goban/base/link_model.hpp"
#include "goban/grid/box.hpp"

namespace goban {

/// Cells updated in R steps by who computes no more of the halo than later steps read. Eq. (2).
double cells_of_shrinking_cycle(Index3 owned, const Extents& reach, int steps);
/// By who computes all of box and halo in every step. Eq. (3).
double cells_of_constant_cycle(Index3 owned, const Extents& reach, int steps);
/// Cells of the halo, which every exchange fetches. Eq. (5).
double cells_of_exchange(Index3 owned, const Extents& reach, int steps);

/// Times of one node. A link of no bandwidth is not there.
struct ExpansionCosts {
  double seconds_per_update = 0;  ///< a_c
  double seconds_per_sweep = 0;   ///< b_c
  double bytes_per_cell = 4;      ///< of a halo
  LinkModel network{};            ///< a_m, b_m
  /// Of nodes that copy their box to the device and back in every exchange, eq. (6): all but the
  /// outermost layers along z on the way back.
  bool copies_box = false;
  LinkModel device{};
};

/// Seconds a step, of cycles of R: eq. (7). `shrinks`: as in eq. (2), not eq. (3).
double seconds_per_step(Index3 owned, const Extents& reach, int steps, const ExpansionCosts& costs,
                        bool shrinks);

/// The R of at most `most` with the shortest steps.
int best_steps_per_exchange(Index3 owned, const Extents& reach, int most,
                            const ExpansionCosts& costs, bool shrinks);

}  // namespace goban
