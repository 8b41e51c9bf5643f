#include "tests/thread_ranks/communicator.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "goban/base/error.hpp"
#include "tests/thread_ranks/group.hpp"

namespace goban {
namespace threads {
namespace {

/// A rank is there as long as somebody holds its membership.
struct Membership {
  std::shared_ptr<Group> group;
  int rank;
  int duplicates = 0;  ///< made by this rank so far; all ranks make them in the same order
  ~Membership() { group->leave(rank, false); }
};
using MembershipPtr = std::shared_ptr<Membership>;

class ThreadOutbox : public Outbox {
 public:
  ThreadOutbox(MembershipPtr self, int peer, int tag, std::size_t most_bytes,
               const MessageAllocator& allocate)
      : self_(std::move(self)),
        peer_(peer),
        most_bytes_(most_bytes),
        channel_(self_->group->open(self_->rank, peer, tag, Channel::End::sender)) {
    for (std::size_t slot = 0; slot < message_slots; ++slot)
      channel_->slot(slot).memory = allocate(most_bytes);
  }

  std::byte* next() override {
    channel_->wait_until_free(message_, [this] { self_->group->check(peer_); });
    return channel_->slot(message_).memory.get();
  }

  void send(std::size_t bytes) override {
    if (bytes > most_bytes_) throw std::logic_error("a message is larger than its outbox");
    next();
    Message& message = channel_->slot(message_);
    message.bytes = bytes;
    channel_->set_sent(++message_);
  }

 private:
  MembershipPtr self_;
  int peer_;
  std::size_t most_bytes_;
  std::shared_ptr<Channel> channel_;
  std::uint64_t message_ = 0;
};

class ThreadInbox : public Inbox {
 public:
  ThreadInbox(MembershipPtr self, int peer, int tag, std::size_t most_bytes)
      : self_(std::move(self)),
        peer_(peer),
        most_bytes_(most_bytes),
        channel_(self_->group->open(peer, self_->rank, tag, Channel::End::receiver)) {}

  std::span<const std::byte> next() override {
    channel_->wait_until_sent(message_, [this] { self_->group->check(peer_); });
    const Message& message = channel_->slot(message_);
    if (message.bytes > most_bytes_) throw std::logic_error("a message is larger than its inbox");
    return {message.memory.get(), message.bytes};
  }

  void release() override { channel_->set_received(++message_); }

 private:
  MembershipPtr self_;
  int peer_;
  std::size_t most_bytes_;
  std::shared_ptr<Channel> channel_;
  std::uint64_t message_ = 0;
};

class ThreadCommunicator : public Communicator {
 public:
  ThreadCommunicator(std::shared_ptr<Group> group, int rank)
      : self_(new Membership{std::move(group), rank}) {}
  ThreadCommunicator(MembershipPtr self, int first_tag)
      : self_(std::move(self)), first_tag_(first_tag) {}

  int rank() const override { return self_->rank; }
  int size() const override { return self_->group->size(); }
  const std::vector<int>& nodes() const override { return self_->group->nodes(); }
  std::string description() const override { return "threads of one process"; }
  void abandon(int) noexcept override { self_->group->leave(rank(), true); }

  std::shared_ptr<Communicator> duplicate() override {
    return std::make_shared<ThreadCommunicator>(self_, ++self_->duplicates * (most_tag + 1));
  }

  void barrier() override {
    self_->group->meet(first_tag_, rank(), "a barrier", nullptr, [](const auto&) {});
  }

  void broadcast(std::span<std::byte> bytes, int root) override {
    self_->group->meet(first_tag_, rank(), "a broadcast", &bytes,
                       [&](const std::vector<void*>& all) {
                         const auto& source = *static_cast<const std::span<std::byte>*>(all[root]);
                         require_equal(source.size(), bytes.size());
                         if (root != rank() && !bytes.empty())
                           std::memcpy(bytes.data(), source.data(), bytes.size());
                       });
  }

  void sum(std::span<std::uint64_t> values) override {
    reduce("a sum", values, [](std::uint64_t a, std::uint64_t b) { return a + b; });
  }
  void minimum(std::span<std::int64_t> values) override {
    reduce("a minimum", values, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  }
  void maximum(std::span<std::int64_t> values) override {
    reduce("a maximum", values, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }

  std::vector<Parcel> exchange(std::vector<Parcel> parcels) override {
    for (const Parcel& parcel : parcels)
      if (parcel.rank < 0 || parcel.rank >= size())
        throw std::logic_error("a parcel for rank " + std::to_string(parcel.rank));
    std::vector<Parcel> received;
    self_->group->meet(first_tag_, rank(), "parcels", &parcels, [&](const std::vector<void*>& all) {
      for (int source = 0; source < size(); ++source)
        for (Parcel& parcel : *static_cast<std::vector<Parcel>*>(all[source]))
          if (parcel.rank == rank()) received.push_back({source, std::move(parcel.bytes)});
    });
    return received;
  }

  /// A message lies where its sender says.
  std::unique_ptr<Outbox> open_outbox(int rank, int tag, std::size_t most_bytes,
                                      const MessageAllocator& allocate) override {
    return std::make_unique<ThreadOutbox>(self_, rank, first_tag_ + tag, most_bytes, allocate);
  }
  std::unique_ptr<Inbox> open_inbox(int rank, int tag, std::size_t most_bytes,
                                    const MessageAllocator&) override {
    return std::make_unique<ThreadInbox>(self_, rank, first_tag_ + tag, most_bytes);
  }

 private:
  static void require_equal(std::size_t a, std::size_t b) {
    if (a != b) throw std::logic_error("ranks disagree on how much they share");
  }

  template <class T, class Combine>
  void reduce(const char* what, std::span<T> values, Combine&& combine) {
    std::vector<T> result;
    self_->group->meet(first_tag_, rank(), what, &values, [&](const std::vector<void*>& all) {
      for (const void* pointer : all) {
        const auto& other = *static_cast<const std::span<T>*>(pointer);
        require_equal(other.size(), values.size());
        if (result.empty())
          result.assign(other.begin(), other.end());
        else
          std::ranges::transform(result, other, result.begin(), combine);
      }
    });
    std::ranges::copy(result, values.begin());
  }

  MembershipPtr self_;
  int first_tag_ = 0;
};

}  // namespace
}  // namespace threads

std::vector<std::shared_ptr<Communicator>> thread_communicators(int ranks, std::vector<int> nodes) {
  require(ranks >= 1, "a program needs at least 1 rank", "asked for " + std::to_string(ranks));
  if (nodes.empty()) nodes.assign(static_cast<std::size_t>(ranks), 0);
  const auto group = std::make_shared<threads::Group>(std::move(nodes));
  std::vector<std::shared_ptr<Communicator>> communicators;
  for (int rank = 0; rank < ranks; ++rank)
    communicators.push_back(std::make_shared<threads::ThreadCommunicator>(group, rank));
  return communicators;
}

}  // namespace goban
