#include "goban/domain/transport/threads/group.hpp"

#include <algorithm>
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

Group::Group(std::vector<int> nodes)
    : nodes_(std::move(nodes)),
      gone_(nodes_.size()),
      pointers_(nodes_.size()),
      purposes_(nodes_.size()) {}

void Group::check(int rank) const {
  if (lost_ >= 0) throw_gone(lost_);
  if (gone_[rank]) throw_gone(rank);
}

void Group::check_all() const {
  for (int rank = 0; rank < size(); ++rank) check(rank);
}

void Group::check_same(const char* what) const {
  for (const char* other : purposes_) {
    if (std::string_view(other) == what) continue;
    throw std::logic_error(std::string("ranks meet for ") + what + " and for " + other);
  }
}

void Group::arrive(int rank, const char* what, void* mine) {
  std::unique_lock lock(meeting_mutex_);
  pointers_[rank] = mine;
  purposes_[rank] = what;
  const std::uint64_t all = (arrivals_ / gone_.size() + 1) * gone_.size();
  ++arrivals_;
  if (arrivals_ == all) changed_.notify_all();
  while (arrivals_ < all) {
    try {
      check_all();
    } catch (const Error&) {
      --arrivals_;
      throw;
    }
    changed_.wait(lock);
  }
}

void Group::depart() {
  std::unique_lock lock(meeting_mutex_);
  const std::uint64_t all = (departures_ / gone_.size() + 1) * gone_.size();
  ++departures_;
  if (departures_ == all) changed_.notify_all();
  changed_.wait(lock, [&] { return departures_ >= all; });
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
