#pragma once
// Halos between devices, one a rank, whose queues exchange messages as a group: all that one sends
// and receives at a time is one transfer, between a kernel that packs and one that unpacks.

#include "goban/domain/halo/channel.hpp"
#include "goban/domain/halo/channels.hpp"

namespace goban {

class GroupChannel : public HaloChannel {
 public:
  explicit GroupChannel(const HaloChannels& channels) : channels_(channels) {}
  bool can_be_recorded() const override { return true; }
  /// `messages`: also those that come.
  std::unique_ptr<ChannelWork> post(std::vector<BoundMessage> messages) override;
  std::unique_ptr<ChannelWork> arrive(std::vector<BoundMessage> messages) override;

 private:
  const HaloChannels& channels_;
};

}  // namespace goban
