#include "tests/emulated/device_group.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "goban/base/error.hpp"

namespace goban::emulated {
namespace {

constexpr std::chrono::seconds longest_meeting{60};

/// A message that its sender holds ready.
struct Offer {
  const std::byte* memory;
  std::size_t bytes;
  bool is_taken = false;
};

}  // namespace

struct Hall {
  std::mutex mutex;
  std::condition_variable changed;
  /// Offers by sender and receiver.
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Offer>>> offers;

  template <class IsReady>
  void wait(std::unique_lock<std::mutex>& lock, IsReady&& is_ready) {
    if (changed.wait_for(lock, longest_meeting, is_ready)) return;
    throw Error(ExitCode::peer_lost, "a message did not come", "its rank has failed or hangs");
  }
};

namespace {

class EmulatedGroup : public DeviceGroup {
 public:
  EmulatedGroup(std::shared_ptr<Hall> hall, int member) : hall_(std::move(hall)), member_(member) {}

  void transfer(const std::vector<Transfer>& all) {
    std::vector<std::shared_ptr<Offer>> sent;
    std::unique_lock lock(hall_->mutex);
    for (const Transfer& message : all) {
      if (message.end != PeerPath::End::sends) continue;
      sent.push_back(std::make_shared<Offer>(Offer{message.memory, message.bytes}));
      hall_->offers[{member_, message.member}].push_back(sent.back());
    }
    hall_->changed.notify_all();
    for (const Transfer& message : all) {
      if (message.end == PeerPath::End::sends) continue;
      auto& offers = hall_->offers[{message.member, member_}];
      hall_->wait(lock, [&] { return !offers.empty(); });
      const auto offer = std::move(offers.front());
      offers.pop_front();
      if (offer->bytes != message.bytes) {
        throw std::logic_error("a message of " + std::to_string(offer->bytes) +
                               " bytes is taken for one of " + std::to_string(message.bytes));
      }
      std::memcpy(message.memory, offer->memory, offer->bytes);
      offer->is_taken = true;
      hall_->changed.notify_all();
    }
    for (const auto& offer : sent) {
      hall_->wait(lock, [&] { return offer->is_taken; });
    }
  }

 private:
  std::shared_ptr<Hall> hall_;
  int member_;
};

using Invitation = const std::shared_ptr<Hall>*;

}  // namespace

std::shared_ptr<Hall> make_hall() { return std::make_shared<Hall>(); }

GroupCard group_card(const void* device) {
  std::ostringstream address;
  address << device;
  return {{}, address.str(), "devices of process " + std::to_string(getpid())};
}

std::vector<std::byte> invitation_to(const std::shared_ptr<Hall>& hall) {
  const Invitation invitation = &hall;
  const auto bytes = std::as_bytes(std::span(&invitation, 1));
  return {bytes.begin(), bytes.end()};
}

std::shared_ptr<DeviceGroup> join_group(std::span<const std::byte> invitation, int member) {
  Invitation to;
  std::memcpy(&to, invitation.data(), sizeof(to));
  return std::make_shared<EmulatedGroup>(*to, member);
}

void transfer_messages(DeviceGroup& group, const std::vector<Transfer>& all) {
  static_cast<EmulatedGroup&>(group).transfer(all);
}

}  // namespace goban::emulated
