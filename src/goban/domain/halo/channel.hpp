#pragma once
// How halos travel between ranks: whatever moves them, messages are posted and they arrive.

#include <memory>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/lowering/command.hpp"

namespace goban {

/// A message and the memory of this rank that it takes cells from or brings them to; the other end
/// of these copies is for the channel to say.
struct BoundMessage {
  const HaloMessage* message = nullptr;
  Executor* executor = nullptr;
  std::vector<CopyTask> cells;
};

/// What an end is to those who move messages.
constexpr PeerPath::End path_end(MessageEnd end) {
  return end == MessageEnd::sends ? PeerPath::End::sends : PeerPath::End::receives;
}

/// Lets the copies of a message lead to or from `memory`, where its pieces lie one after the other.
/// Returns how many bytes they take.
std::size_t place_in(std::byte* memory, BoundMessage& message);

/// Messages that set out or arrive together; submitted as often as they do.
class ChannelWork {
 public:
  virtual ~ChannelWork();
  virtual EventPtr submit(const Submission& submission) = 0;
};

/// One kind of channels.
class HaloChannel {
 public:
  virtual ~HaloChannel();
  /// Devices do it alone, so that it can be recorded with their other work.
  virtual bool can_be_recorded() const = 0;
  virtual std::unique_ptr<ChannelWork> post(std::vector<BoundMessage> messages) = 0;
  virtual std::unique_ptr<ChannelWork> arrive(std::vector<BoundMessage> messages) = 0;
};

}  // namespace goban
