#include "goban/domain/halo/group_channel.hpp"

#include <iterator>

namespace goban {
namespace {

void append(std::vector<CopyTask>& all, std::vector<CopyTask>&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

class Transfers : public ChannelWork {
 public:
  Transfers(Executor& executor, DeviceGroup& group, std::vector<CopyTask> packs,
            std::vector<Transfer> transfers)
      : executor_(executor),
        group_(group),
        packs_(std::move(packs)),
        transfers_(std::move(transfers)) {}
  EventPtr submit(const Submission& submission) override {
    if (packs_.empty()) return executor_.grouping()->transfer(group_, transfers_, submission);
    executor_.copy(packs_, submission);
    Submission then = submission;
    then.waits.clear();
    return executor_.grouping()->transfer(group_, transfers_, then);
  }

 private:
  Executor& executor_;
  DeviceGroup& group_;
  std::vector<CopyTask> packs_;
  std::vector<Transfer> transfers_;
};

class Unpacks : public ChannelWork {
 public:
  Unpacks(Executor& executor, std::vector<CopyTask> copies)
      : executor_(executor), copies_(std::move(copies)) {}
  EventPtr submit(const Submission& submission) override {
    return executor_.copy(copies_, submission);
  }

 private:
  Executor& executor_;
  std::vector<CopyTask> copies_;
};

}  // namespace

std::unique_ptr<ChannelWork> GroupChannel::post(std::vector<BoundMessage> messages) {
  std::vector<CopyTask> packs;
  std::vector<Transfer> transfers;
  for (BoundMessage& message : messages) {
    const HaloMessage& what = *message.message;
    std::byte* const memory = channels_.find(what).memory.get();
    const std::size_t bytes = place_in(memory, message);
    transfers.push_back({path_end(what.end), channels_.member_of(what.rank), memory, bytes});
    if (what.end == MessageEnd::sends) append(packs, std::move(message.cells));
  }
  return std::make_unique<Transfers>(*messages.front().executor, channels_.group(),
                                     std::move(packs), std::move(transfers));
}

std::unique_ptr<ChannelWork> GroupChannel::arrive(std::vector<BoundMessage> messages) {
  std::vector<CopyTask> copies;
  for (BoundMessage& message : messages) {
    place_in(channels_.find(*message.message).memory.get(), message);
    append(copies, std::move(message.cells));
  }
  return std::make_unique<Unpacks>(*messages.front().executor, std::move(copies));
}

}  // namespace goban
