#include "goban/lowering/command_order.hpp"

#include <algorithm>

namespace goban {

void CommandOrder::add(Command command, std::vector<Touch> touches) {
  if (!bindings_.is_asynchronous) {
    commands_.push_back(std::move(command));
    return;
  }
  const Queue queue{computer(command.patch).executor, command.stream};
  if (follows_other_queue(touches, queue)) flush();
  together_.push_back({std::move(command), queue, std::move(touches)});
}

void CommandOrder::add_for_host(Command command) {
  command.patch = -1;
  if (!together_.empty()) {
    together_.push_back({std::move(command), {}, {}});
  } else {
    commands_.push_back(std::move(command));
  }
}

bool CommandOrder::follows_other_queue(const std::vector<Touch>& touches,
                                       const Queue& queue) const {
  return std::any_of(together_.begin(), together_.end(), [&](const Pending& pending) {
    return pending.queue != queue &&
           std::any_of(pending.touches.begin(), pending.touches.end(), [&](const Touch& earlier) {
             return std::any_of(touches.begin(), touches.end(),
                                [&](const Touch& touch) { return touch.conflicts(earlier); });
           });
  });
}

void CommandOrder::flush() {
  wait_for_devices();
  for (Pending& pending : together_) {
    if (pending.command.patch >= 0) {
      const auto number = static_cast<Wait>(commands_.size());
      pending.command.waits = hazards_.waits(pending.touches, pending.queue);
      hazards_.record(pending.touches, pending.queue, number);
    }
    commands_.push_back(std::move(pending.command));
  }
  together_.clear();
}

/// Adds a barrier at which devices wait for each other's work. A CPU that computes beside them
/// waits command by command, as devices do for its work.
void CommandOrder::wait_for_devices() {
  const auto is_helper = [&](int executor) {
    return std::any_of(bindings_.computers.begin(), bindings_.computers.end(),
                       [&](const auto& it) { return it.executor == executor && it.is_helper; });
  };
  DeviceBarrier barrier;
  for (const Pending& pending : together_) {
    const int patch = pending.command.patch;
    if (patch < 0 || is_helper(pending.queue.executor)) continue;
    const auto is_other_device = [&](const Queue& other) {
      return other.executor != pending.queue.executor && !is_helper(other.executor);
    };
    const auto waits = hazards_.waits_for(is_other_device, pending.touches, pending.queue);
    if (waits.empty()) continue;
    auto at = std::find_if(barrier.all.begin(), barrier.all.end(), [&](const auto& one) {
      return computer(one.patch).executor == pending.queue.executor &&
             one.stream == pending.command.stream;
    });
    if (at == barrier.all.end()) at = barrier.all.insert(at, {patch, pending.command.stream, {}});
    at->waits.insert(at->waits.end(), waits.begin(), waits.end());
  }
  if (barrier.all.empty()) return;
  Command command;
  command.step = together_.front().command.step;
  command.what = std::move(barrier);
  commands_.push_back(std::move(command));
}

}  // namespace goban
