#include "goban/performance/model/ghost_expansion.hpp"

namespace goban {
namespace {

/// Cells of a box with `steps` times the reach around it.
double expanded_volume(Index3 owned, const Extents& reach, Index steps) {
  double volume = 1;
  for (int a = 0; a < 3; ++a) {
    volume *= static_cast<double>(owned[a] + steps * (reach.low[a] + reach.high[a]));
  }
  return volume;
}

}  // namespace

double cells_of_shrinking_cycle(Index3 owned, const Extents& reach, int steps) {
  double cells = 0;
  for (int left = steps - 1; left >= 0; --left) cells += expanded_volume(owned, reach, left);
  return cells;
}

double cells_of_constant_cycle(Index3 owned, const Extents& reach, int steps) {
  return steps * expanded_volume(owned, reach, steps);
}

double cells_of_exchange(Index3 owned, const Extents& reach, int steps) {
  return expanded_volume(owned, reach, steps) - expanded_volume(owned, reach, 0);
}

double seconds_per_step(Index3 owned, const Extents& reach, int steps, const ExpansionCosts& costs,
                        bool shrinks) {
  const double cells = shrinks ? cells_of_shrinking_cycle(owned, reach, steps)
                               : cells_of_constant_cycle(owned, reach, steps);
  double seconds = costs.seconds_per_update * cells + costs.seconds_per_sweep * steps;
  const double halo = cells_of_exchange(owned, reach, steps) * costs.bytes_per_cell;
  seconds += costs.network.latency + halo / costs.network.bytes_per_second;
  if (costs.copies_box) {
    Extents across = reach;
    across.low[2] = across.high[2] = 0;
    const double there = expanded_volume(owned, reach, steps);
    const double back = expanded_volume(owned, across, steps);
    seconds += costs.device.latency +
               (there + back) * costs.bytes_per_cell / costs.device.bytes_per_second;
  }
  return seconds / steps;
}

int best_steps_per_exchange(Index3 owned, const Extents& reach, int most,
                            const ExpansionCosts& costs, bool shrinks) {
  int best = 1;
  double least = seconds_per_step(owned, reach, 1, costs, shrinks);
  for (int steps = 2; steps <= most; ++steps) {
    const double seconds = seconds_per_step(owned, reach, steps, costs, shrinks);
    if (seconds >= least) continue;
    best = steps;
    least = seconds;
  }
  return best;
}

}  // namespace goban
