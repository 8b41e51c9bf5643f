#include "goban/backend/api.hpp"

#include <stdexcept>

namespace goban {

Event::~Event() = default;
Executor::~Executor() = default;
DeviceMemory::~DeviceMemory() = default;
PeerWay::~PeerWay() = default;
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
