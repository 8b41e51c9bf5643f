#pragma once
// How fast ranks send each other messages.

#include <span>
#include <vector>

#include "goban/base/communicator.hpp"

namespace goban {

/// One message of a size, from one rank to another.
struct MessageTime {
  double bytes = 0, seconds = 0;
};

/// s bytes take latency + s / bandwidth: B(s) = s / (s / bandwidth + latency) bytes per second.
struct RankLink {
  int from = 0, to = 0;
  double latency = 0;    ///< seconds
  double bandwidth = 0;  ///< bytes per second
};

/// Least squares of relative errors, no latency less than 0. At least two sizes.
RankLink fit_link(std::span<const MessageTime> times);

/// Measures links between ranks that follow each other, those of a machine first, then those of the
/// next: medians of round trips through boxes, half of all pairs at once. On rank 0 a link for
/// every pair, none elsewhere. Takes some 100 ms. Collective.
std::vector<RankLink> measure_rank_links(Communicator& ranks);

/// The ranks, machine by machine.
std::vector<int> ranks_by_machine(const Communicator& ranks);

}  // namespace goban
