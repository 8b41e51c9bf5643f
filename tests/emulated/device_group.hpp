#pragma once
// Groups of emulated devices of ranks that are threads of one process.

#include <memory>
#include <span>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban::emulated {

/// Where members of one group meet.
struct Hall;
std::shared_ptr<Hall> make_hall();

/// The card of the device at this address.
GroupCard group_card(const void* device);
/// An invitation to this hall, which holds as long as the hall is there.
std::vector<std::byte> invitation_to(const std::shared_ptr<Hall>& hall);
std::shared_ptr<DeviceGroup> join_group(std::span<const std::byte> invitation, int member);

/// DeviceGrouping::transfer, on the thread of a queue. Nothing is buffered: a message has left when
/// it has arrived. Error: the two ends of a message are not of one size, or one of them does not
/// come.
void transfer_messages(DeviceGroup& group, const std::vector<Transfer>& all);

}  // namespace goban::emulated
