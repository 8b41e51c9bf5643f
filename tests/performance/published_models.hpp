#pragma once
// The closed forms of two papers, for what they print. goban predicts from command lists instead
// (performance/model/command_cost.hpp).

#include <algorithm>

#include "goban/base/link_model.hpp"
#include "goban/grid/box.hpp"

namespace goban::test {

// T. Shimokawabe, T. Aoki, N. Onodera: "Scalability model for multi-GPU computation of stencil
// applications using regular structured meshes with explicit time integration".

/// Operations per second of F operations and B bytes, one after the other. Eq. (1).
constexpr double roofline_rate(double operations, double bytes, double peak_operations,
                               double peak_bandwidth) {
  return operations / (operations / peak_operations + bytes / peak_bandwidth);
}

/// Seconds in which messages of so many bytes travel from a device over its bus and the network
/// link that it shares with others of its node, there and back. Eq. (3).
inline double staged_halo_seconds(int messages, double bytes, const LinkModel& network,
                                  const LinkModel& bus, int devices) {
  const auto seconds = [&](const LinkModel& link) {
    return link.latency + bytes / link.bytes_per_second;
  };
  return messages * (2.0 * devices * seconds(network) + 2 * seconds(bus));
}

/// Operations per second of all devices: halos travel before they compute, eq. (2), or while they
/// do, eq. (4).
inline double rate_without_overlap(double devices, double operations, double rate, double halo) {
  return operations * devices / (operations / rate + halo);
}
inline double rate_with_overlap(double devices, double operations, double rate, double halo) {
  return operations * devices / std::max(operations / rate, halo);
}

// Z. Liu, K. S. Perumalla: "Efficient large-scale parallel stencil computation on multi-core and
// multi-GPU accelerated clusters", section 3.4, for boxes of any shape and any reach on each side.

/// Cells of a box with `steps` times the reach around it.
inline double expanded_volume(Index3 owned, const Extents& reach, Index steps) {
  double volume = 1;
  for (int a = 0; a < 3; ++a) {
    volume *= static_cast<double>(owned[a] + steps * (reach.low[a] + reach.high[a]));
  }
  return volume;
}

/// Cells updated in R steps by who computes no more of the halo than later steps read. Eq. (2).
inline double cells_of_shrinking_cycle(Index3 owned, const Extents& reach, int steps) {
  double cells = 0;
  for (int left = steps - 1; left >= 0; --left) cells += expanded_volume(owned, reach, left);
  return cells;
}
/// By who computes all of box and halo in every step. Eq. (3).
inline double cells_of_constant_cycle(Index3 owned, const Extents& reach, int steps) {
  return steps * expanded_volume(owned, reach, steps);
}
/// Cells of the halo, which every exchange fetches. Eq. (5).
inline double cells_of_exchange(Index3 owned, const Extents& reach, int steps) {
  return expanded_volume(owned, reach, steps) - expanded_volume(owned, reach, 0);
}

/// Of a node that copies its box to the device and back in every exchange, all but the outermost
/// layers along z on the way back, eq. (6); 4 bytes a cell.
struct ExpansionCosts {
  double seconds_per_update = 0;  ///< a_c
  LinkModel network{};            ///< a_m, b_m
  LinkModel device{};
};

/// Seconds a step, of constant cycles of R. Eq. (7).
inline double seconds_per_step(Index3 owned, const Extents& reach, int steps,
                               const ExpansionCosts& costs) {
  const auto seconds = [](const LinkModel& link, double cells) {
    return link.latency + 4 * cells / link.bytes_per_second;
  };
  Extents across = reach;
  across.low[2] = across.high[2] = 0;
  const double copied =
      expanded_volume(owned, reach, steps) + expanded_volume(owned, across, steps);
  return (costs.seconds_per_update * cells_of_constant_cycle(owned, reach, steps) +
          seconds(costs.network, cells_of_exchange(owned, reach, steps)) +
          seconds(costs.device, copied)) /
         steps;
}

/// The R of at most `most` with the shortest steps.
inline int best_steps_per_exchange(Index3 owned, const Extents& reach, int most,
                                   const ExpansionCosts& costs) {
  int best = 1;
  for (int steps = 2; steps <= most; ++steps) {
    if (seconds_per_step(owned, reach, steps, costs) <
        seconds_per_step(owned, reach, best, costs)) {
      best = steps;
    }
  }
  return best;
}

}  // namespace goban::test
