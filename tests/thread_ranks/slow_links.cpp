#include "tests/thread_ranks/slow_links.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "goban/base/activity.hpp"

namespace goban {
namespace {

using Clock = std::chrono::steady_clock;

/// Follows every message and tells when the link has moved it. Processes of one machine share this
/// clock.
struct Stamp {
  Clock::time_point moved;
};

Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// The links from this rank to others, or from others to it.
class Links {
 public:
  explicit Links(const LinkModel& model) : model_(model) {}
  /// Returns when the link to or from `rank` will have moved this message.
  Clock::time_point move(int rank, std::size_t bytes) {
    auto& free = free_[rank];
    free = std::max(Clock::now(), free) +
           duration_of(static_cast<double>(bytes) / model_.bytes_per_second);
    return free;
  }
  Clock::duration latency() const { return duration_of(model_.latency); }

 private:
  LinkModel model_;
  std::map<int, Clock::time_point> free_;
};

class SlowOutbox : public Outbox {
 public:
  SlowOutbox(std::unique_ptr<Outbox> outbox, std::shared_ptr<Links> links, int rank)
      : outbox_(std::move(outbox)), links_(std::move(links)), rank_(rank) {}

  std::byte* next() override { return outbox_->next(); }

  void send(std::size_t bytes) override {
    const Stamp stamp{links_->move(rank_, bytes)};
    std::memcpy(next() + bytes, &stamp, sizeof(stamp));
    outbox_->send(bytes + sizeof(stamp));
  }

 private:
  std::unique_ptr<Outbox> outbox_;
  std::shared_ptr<Links> links_;
  int rank_;
};

class SlowInbox : public Inbox {
 public:
  /// `links`: those of senders whose clock differs; null if the clock is the same and stamps are
  /// valid.
  SlowInbox(std::unique_ptr<Inbox> inbox, std::shared_ptr<Links> links, Clock::duration latency,
            int rank)
      : inbox_(std::move(inbox)), links_(std::move(links)), latency_(latency), rank_(rank) {}

  std::span<const std::byte> next() override {
    const auto message = inbox_->next();
    const std::size_t bytes = message.size() - sizeof(Stamp);
    if (!moved_) {
      Stamp stamp;
      std::memcpy(&stamp, message.data() + bytes, sizeof(stamp));
      moved_ = links_ ? links_->move(rank_, bytes) : stamp.moved;
    }
    const Waiting waiting(activity_board, rank_);
    std::this_thread::sleep_until(*moved_ + latency_);
    return message.first(bytes);
  }

  void release() override {
    next();
    moved_.reset();
    inbox_->release();
  }

 private:
  std::unique_ptr<Inbox> inbox_;
  std::shared_ptr<Links> links_;
  Clock::duration latency_;
  int rank_;
  std::optional<Clock::time_point> moved_;  ///< when the link has moved the present message
};

class SlowCommunicator : public Communicator {
 public:
  SlowCommunicator(std::shared_ptr<Communicator> ranks, std::shared_ptr<Links> out,
                   std::shared_ptr<Links> in)
      : ranks_(std::move(ranks)), out_(std::move(out)), in_(std::move(in)) {}

  int rank() const override { return ranks_->rank(); }
  int size() const override { return ranks_->size(); }
  const std::vector<int>& nodes() const override { return ranks_->nodes(); }
  std::string description() const override { return ranks_->description() + ", links made slow"; }
  void abandon(int exit_code) noexcept override { ranks_->abandon(exit_code); }
  std::shared_ptr<Communicator> duplicate() override {
    return std::make_shared<SlowCommunicator>(ranks_->duplicate(), out_, in_);
  }
  void barrier() override { ranks_->barrier(); }
  void broadcast(std::span<std::byte> bytes, int root) override { ranks_->broadcast(bytes, root); }
  void sum(std::span<std::uint64_t> values) override { ranks_->sum(values); }
  void minimum(std::span<std::int64_t> values) override { ranks_->minimum(values); }
  void maximum(std::span<std::int64_t> values) override { ranks_->maximum(values); }
  std::vector<Parcel> exchange(std::vector<Parcel> parcels) override {
    return ranks_->exchange(std::move(parcels));
  }

  /// Messages must lie in memory of the host, because stamps are written there.
  std::unique_ptr<Outbox> open_outbox(int rank, int tag, std::size_t most_bytes,
                                      const MessageAllocator& allocate) override {
    return std::make_unique<SlowOutbox>(
        ranks_->open_outbox(rank, tag, most_bytes + sizeof(Stamp), allocate), out_, rank);
  }
  std::unique_ptr<Inbox> open_inbox(int rank, int tag, std::size_t most_bytes,
                                    const MessageAllocator& allocate) override {
    const auto& machines = nodes();
    const bool is_near = machines[static_cast<std::size_t>(rank)] ==
                         machines[static_cast<std::size_t>(this->rank())];
    return std::make_unique<SlowInbox>(
        ranks_->open_inbox(rank, tag, most_bytes + sizeof(Stamp), allocate),
        is_near ? nullptr : in_, in_->latency(), rank);
  }

 private:
  std::shared_ptr<Communicator> ranks_;
  std::shared_ptr<Links> out_, in_;
};

}  // namespace

std::shared_ptr<Communicator> with_slow_links(std::shared_ptr<Communicator> ranks,
                                              const LinkModel& link) {
  return std::make_shared<SlowCommunicator>(std::move(ranks), std::make_shared<Links>(link),
                                            std::make_shared<Links>(link));
}

}  // namespace goban
