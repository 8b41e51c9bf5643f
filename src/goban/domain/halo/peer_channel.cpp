#include "goban/domain/halo/peer_channel.hpp"

namespace goban {
namespace {

class PeerWork : public ChannelWork {
 public:
  PeerWork(Executor& executor, std::vector<MessageTask> tasks)
      : executor_(executor), tasks_(std::move(tasks)) {}
  EventPtr submit(const Submission& submission) override {
    return executor_.peers()->exchange(tasks_, submission);
  }

 private:
  Executor& executor_;
  std::vector<MessageTask> tasks_;
};

}  // namespace

/// Queues of both ends wait for each other: sending and receiving are one thing to them.
std::unique_ptr<ChannelWork> PeerChannel::post(std::vector<BoundMessage> messages) {
  std::vector<MessageTask> tasks;
  for (BoundMessage& message : messages) {
    PeerPath* const path = channels_.find(*message.message).peer.get();
    place_in(path->message(), message);
    tasks.push_back({path, std::move(message.cells)});
  }
  return std::make_unique<PeerWork>(*messages.front().executor, std::move(tasks));
}

std::unique_ptr<ChannelWork> PeerChannel::arrive(std::vector<BoundMessage> messages) {
  return post(std::move(messages));
}

}  // namespace goban
