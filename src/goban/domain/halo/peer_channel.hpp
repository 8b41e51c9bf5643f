#pragma once
// Halos between GPUs of one machine: the sender's queue writes into memory of the receiver.

#include "goban/domain/halo/channel.hpp"
#include "goban/domain/halo/channels.hpp"

namespace goban {

class PeerChannel : public HaloChannel {
 public:
  explicit PeerChannel(const HaloChannels& channels) : channels_(channels) {}
  bool can_be_recorded() const override { return true; }
  std::unique_ptr<ChannelWork> post(std::vector<BoundMessage> messages) override;
  std::unique_ptr<ChannelWork> arrive(std::vector<BoundMessage> messages) override;

 private:
  const HaloChannels& channels_;
};

}  // namespace goban
