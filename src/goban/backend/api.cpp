#include "goban/backend/api.hpp"

#include <stdexcept>

namespace goban {

Event::~Event() = default;
Executor::~Executor() = default;
DeviceMemory::~DeviceMemory() = default;
PeerWay::~PeerWay() = default;
DeviceGroup::~DeviceGroup() = default;
Recording::~Recording() = default;

std::chrono::steady_clock::time_point Event::completed() const {
  throw std::logic_error("the event keeps no time");
}

std::shared_ptr<void> Executor::reach(std::byte*, std::size_t) { return nullptr; }

EventPtr Executor::pass(const PassTask&, const Submission&) {
  throw std::logic_error(name() + " does not run passes");
}

EventPtr Executor::exchange(const std::vector<MessageTask>&, const Submission&) {
  throw std::logic_error(name() + " opens no ways");
}

EventPtr Executor::meet_over(const std::vector<PeerWay*>&, const Submission&) {
  throw std::logic_error(name() + " opens no ways");
}

GroupCard Executor::group_card() const { return {"what computes is " + name(), {}, {}}; }

std::vector<std::byte> Executor::invite_group() {
  throw std::logic_error(name() + " joins no group");
}

std::shared_ptr<DeviceGroup> Executor::join_group(std::span<const std::byte>, int, int) {
  throw std::logic_error(name() + " joins no group");
}

EventPtr Executor::transfer(DeviceGroup&, const std::vector<Transfer>&, const Submission&) {
  throw std::logic_error(name() + " joins no group");
}

void Executor::meet(const std::vector<Meeting>& all) {
  for (const Meeting& one : all) one.executor->mark({one.stream, one.waits});
}

void Executor::begin_recording(const std::vector<Executor*>&) {
  throw std::logic_error(name() + " does not record");
}

std::unique_ptr<Recording> Executor::end_recording(const std::vector<Executor*>&) {
  throw std::logic_error(name() + " does not record");
}

}  // namespace goban
