#pragma once
// Which devices of other ranks a device reaches, and by what: found out by trying.

#include <memory>
#include <string>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/base/communicator.hpp"

namespace goban {

/// The ranks among these whose devices `executor` can write to. Both of a pair name each other.
/// Collective.
std::vector<int> ranks_reached(Communicator& ranks, Executor& executor,
                               const std::vector<int>& others);

/// The ranks among these to and from which messages in memory of `executor` come as they were sent.
/// Only where what connects the ranks says that it takes such memory is it tried: another would die
/// of it. Null: this rank has none. Both of a pair name each other. Collective.
std::vector<int> ranks_reached_by_mpi(Communicator& ranks, Executor* executor,
                                      const std::vector<int>& others);

/// Devices that exchange in their queues.
struct JoinedDevices {
  std::shared_ptr<DeviceGroup> group;  ///< null: on ranks without one, and where there is a refusal
  std::vector<int> members;            ///< their ranks, ascending
  std::string refusal;                 ///< why there is no group, the same on all ranks
};
/// Joins the devices of all ranks that name some of their own. Collective.
JoinedDevices join_devices(Communicator& ranks, const std::vector<Executor*>& mine);

}  // namespace goban
