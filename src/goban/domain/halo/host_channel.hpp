#pragma once
// Halos that the hosts move, through memory of theirs or, where an MPI takes that, of devices.

#include "goban/domain/halo/channel.hpp"
#include "goban/domain/halo/channels.hpp"

namespace goban {

/// The host waits until what it sends is packed, for what arrives, and until that is unpacked.
class HostChannel : public HaloChannel {
 public:
  HostChannel(const HaloChannels& channels, Messages& messages, MessagesIn in,
              HaloPrecision precision)
      : channels_(channels), messages_(messages), in_(in), precision_(precision) {}
  bool can_be_recorded() const override { return false; }
  /// Posts messages, one at a time.
  std::unique_ptr<ChannelWork> post(std::vector<BoundMessage> messages) override;
  std::unique_ptr<ChannelWork> arrive(std::vector<BoundMessage> messages) override;

 private:
  class Work;
  class Sends;
  class Receives;

  const HaloChannels& channels_;
  Messages& messages_;
  MessagesIn in_;
  HaloPrecision precision_;
};

}  // namespace goban
