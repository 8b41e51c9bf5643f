#include "tests/thread_ranks/group.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

#include "goban/base/error.hpp"

namespace goban::threads {
namespace {

[[noreturn]] void throw_gone(int rank) {
  throw Error(ExitCode::peer_lost, "rank " + std::to_string(rank) + " is gone",
              "it ended while others waited for it");
}

}  // namespace

Group::Group(std::vector<int> nodes) : nodes_(std::move(nodes)), gone_(nodes_.size()) {}

Group::QueueWait& Group::meeting_at(int place) {
  const std::lock_guard lock(meeting_mutex_);
  QueueWait& meeting = queue_barriers_[place];
  meeting.pointers.resize(nodes_.size());
  meeting.purposes.resize(nodes_.size());
  return meeting;
}

void Group::check(int rank) const {
  if (lost_ >= 0) throw_gone(lost_);
  if (gone_[rank]) throw_gone(rank);
}

void Group::check_all() const {
  for (int rank = 0; rank < size(); ++rank) check(rank);
}

void Group::check_same(const QueueWait& meeting, const char* what) {
  for (const char* other : meeting.purposes) {
    if (std::string_view(other) == what) continue;
    throw std::logic_error(std::string("ranks meet for ") + what + " and for " + other);
  }
}

void Group::arrive(QueueWait& meeting, int rank, const char* what, void* mine) {
  std::unique_lock lock(meeting_mutex_);
  meeting.pointers[rank] = mine;
  meeting.purposes[rank] = what;
  const std::uint64_t all = (meeting.arrivals / gone_.size() + 1) * gone_.size();
  ++meeting.arrivals;
  if (meeting.arrivals == all) changed_.notify_all();
  while (meeting.arrivals < all) {
    try {
      check_all();
    } catch (const Error&) {
      --meeting.arrivals;
      throw;
    }
    changed_.wait(lock);
  }
}

void Group::depart(QueueWait& meeting) {
  std::unique_lock lock(meeting_mutex_);
  const std::uint64_t all = (meeting.departures / gone_.size() + 1) * gone_.size();
  ++meeting.departures;
  if (meeting.departures == all) changed_.notify_all();
  changed_.wait(lock, [&] { return meeting.departures >= all; });
}

std::shared_ptr<Channel> Group::open(int from, int to, int tag, Channel::End end) {
  const std::lock_guard lock(channels_mutex_);
  auto& waiting = half_open_[{from, to, tag}];
  if (!waiting.empty() && waiting.front()->opened != end) {
    auto channel = waiting.front();
    waiting.pop_front();
    return channel;
  }
  std::erase_if(channels_, [](const auto& channel) { return channel.expired(); });
  auto channel = std::make_shared<Channel>(end);
  channels_.push_back(channel);
  waiting.push_back(channel);
  return channel;
}

void Group::leave(int rank, bool early) {
  int nobody = -1;
  if (early) lost_.compare_exchange_strong(nobody, rank);
  gone_[rank] = true;
  { const std::lock_guard lock(meeting_mutex_); }
  changed_.notify_all();
  std::vector<std::weak_ptr<Channel>> channels;
  {
    const std::lock_guard lock(channels_mutex_);
    channels = channels_;
  }
  for (const auto& weak : channels)
    if (const auto channel = weak.lock()) channel->wake();
}

}  // namespace goban::threads
