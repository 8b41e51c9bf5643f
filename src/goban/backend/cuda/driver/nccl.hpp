#pragma once
// NCCL: GPUs of several processes that exchange messages in their queues. It is no part of a build
// but loaded when it is asked for: libnccl.so.2, or what GOBAN_NCCL names.

#include <memory>
#include <span>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

GroupCard group_card(int device);
std::vector<std::byte> invite_group();
/// Waits for all members.
std::shared_ptr<DeviceGroup> join_group(int device, std::span<const std::byte> invitation,
                                        int member, int members);

/// DeviceGrouping::transfer, for the current device. The first time two members meet the host waits
/// for the other one.
void transfer_messages(DeviceGroup& group, const std::vector<Transfer>& all, CUstream stream);

}  // namespace goban::cuda
