#pragma once
// How fast many devices are together: the closed form of the scalability model. Command lists are
// predicted one by one instead (command_cost.hpp); this is what the figures of the paper show.

#include <vector>

#include "goban/base/link_model.hpp"

namespace goban {

/// One of the ways that all halo data take one after the other, and how many messages share it.
struct HaloPath {
  LinkModel link{};
  double sharing = 1;  ///< 2 g where g devices of a node send and receive over one network link
};

/// Of one device in one step.
struct HaloTraffic {
  std::vector<double> messages;  ///< bytes of each: s_j
  std::vector<HaloPath> paths;
};

/// Network link of a node of g devices, and the bus to each: there and back. Eq. (3).
std::vector<HaloPath> staged_paths(const LinkModel& network, const LinkModel& bus, int devices);

/// Sum over messages and paths of s / B(s), B(s) = s / (s / B0 + t0). Eq. (3) and (5).
double halo_seconds(const HaloTraffic& traffic);

/// Operations per second of all devices together, each with `operations` a step at `rate`: halos
/// travel before devices compute, eq. (2), or while they do, eq. (4).
double rate_without_overlap(double devices, double operations, double rate, double halo_seconds);
double rate_with_overlap(double devices, double operations, double rate, double halo_seconds);

}  // namespace goban
