#include "goban/domain/halo/host_channel.hpp"

#include "goban/domain/halo/rounding.hpp"

namespace goban {

/// One message, rounded or not.
class HostChannel::Work : public ChannelWork {
 protected:
  Work(const HostChannel& channel, BoundMessage message)
      : channel_(channel),
        message_(std::move(message)),
        most_(channel.channels_.find(what()).bytes),
        most_rounded_(channel.channels_.find(what()).rounded_bytes) {}

  const HaloMessage& what() const { return *message_.message; }
  Executor& executor() const { return *message_.executor; }
  bool is_rounded() const {
    return channel_.precision_ != HaloPrecision::full && what().halo.values_from < 0;
  }
  /// The bytes of the message as it travels.
  std::size_t bytes() const { return is_rounded() ? most_rounded_ : most_; }
  std::byte* reached(std::byte* message) const {
    const bool is_hosts = channel_.in_ == MessagesIn::host;
    return is_hosts ? channel_.messages_.reached(message, most_, executor()) : message;
  }
  std::byte* scratch() const { return channel_.messages_.scratch(most_, executor()); }

  /// Moves the cells; returns how many bytes they take in the message.
  std::size_t copy(std::byte* message, const Submission& submission) {
    const std::size_t bytes = place_in(message, message_);
    event_ = executor().copy(message_.cells, submission);
    if (event_) event_->wait();
    return bytes;
  }

  /// Rounds what is sent, or takes what was received for full values. Returns the bytes that
  /// travel.
  std::size_t round(std::byte* full, std::byte* travels) const {
    std::size_t here = 0, there = 0;
    for (const CopyTask& task : message_.cells) {
      const ElementType rounded = type_on_the_way(task.type, channel_.precision_);
      const Index cells = task.target_box.volume();
      if (what().end == MessageEnd::sends) {
        convert(full + here, task.type, travels + there, rounded, cells);
      } else {
        convert(travels + there, rounded, full + here, task.type, cells);
      }
      here += MessageLayout::bytes_of(cells, size_of(task.type));
      there += MessageLayout::bytes_of(cells, size_of(rounded));
    }
    return there;
  }

  const HostChannel& channel_;
  BoundMessage message_;
  std::size_t most_, most_rounded_;
  EventPtr event_;
};

class HostChannel::Sends : public Work {
 public:
  Sends(const HostChannel& channel, BoundMessage message) : Work(channel, std::move(message)) {}
  EventPtr submit(const Submission& submission) override {
    Outbox& outbox = channel_.messages_.outbox(what().halo, bytes(), executor(), channel_.in_);
    if (is_rounded()) {
      copy(scratch(), submission);
      outbox.send(round(scratch(), outbox.next()));
    } else {
      outbox.send(copy(reached(outbox.next()), submission));
    }
    return event_;
  }
};

class HostChannel::Receives : public Work {
 public:
  Receives(const HostChannel& channel, BoundMessage message) : Work(channel, std::move(message)) {}
  EventPtr submit(const Submission& submission) override {
    const int from = what().pieces.front().from;
    Inbox& inbox = channel_.messages_.inbox(what().halo, from, bytes(), executor(), channel_.in_);
    auto* message = const_cast<std::byte*>(inbox.next().data());
    if (is_rounded()) {
      round(scratch(), message);
      message = scratch();
    } else {
      message = reached(message);
    }
    copy(message, submission);
    inbox.release();
    return event_;
  }
};

std::unique_ptr<ChannelWork> HostChannel::post(std::vector<BoundMessage> messages) {
  return std::make_unique<Sends>(*this, std::move(messages.front()));
}

std::unique_ptr<ChannelWork> HostChannel::arrive(std::vector<BoundMessage> messages) {
  return std::make_unique<Receives>(*this, std::move(messages.front()));
}

}  // namespace goban
