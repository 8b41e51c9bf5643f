#pragma once
// Uses NCCL, by which GPUs of several processes exchange messages in their queues. No build needs
// it; it is loaded when it is asked for: libnccl.so.2, or the file that GOBAN_NCCL names. These
// functions implement DeviceGrouping.

#include <memory>
#include <span>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

GroupCard group_card(int device);
std::vector<std::byte> invite_group();
/// Joins the group; waits for all members.
std::shared_ptr<DeviceGroup> join_group(int device, std::span<const std::byte> invitation,
                                        int member, int members);

/// Implements DeviceGrouping::transfer() for the current device. When two members exchange messages
/// for the first time the host waits for the other one.
void transfer_messages(DeviceGroup& group, const std::vector<Transfer>& all, CUstream stream);

}  // namespace goban::cuda
