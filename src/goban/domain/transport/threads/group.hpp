#pragma once
// Threads that are ranks: who is still there, where they meet, what leads from one to another.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "goban/domain/transport/threads/channel.hpp"

namespace goban::threads {

class Group {
 public:
  /// A rank for each machine named.
  explicit Group(std::vector<int> nodes);

  int size() const { return static_cast<int>(gone_.size()); }
  const std::vector<int>& nodes() const { return nodes_; }

  /// Meets all others, each with its pointer; calls use(pointers by rank). What they point to stays
  /// until every rank's use() is over. Throws std::logic_error if they do not meet for the same
  /// thing.
  template <class Use>
  void meet(int rank, const char* what, void* mine, Use&& use) {
    arrive(rank, what, mine);
    const Leaving leaving{*this};
    check_same(what);
    use(static_cast<const std::vector<void*>&>(pointers_));
  }

  /// The n-th sender and the n-th receiver of a tag between two ranks get the same channel.
  std::shared_ptr<Channel> open(int from, int to, int tag, Channel::End end);

  /// The rank has ended: `early` if others are not to go on without it.
  void leave(int rank, bool early);
  /// Throws Error (ExitCode::peer_lost) if a rank has ended early, or if `rank` is gone.
  void check(int rank) const;

 private:
  struct Leaving {
    Group& group;
    ~Leaving() { group.depart(); }
  };
  using Key = std::tuple<int, int, int>;

  void arrive(int rank, const char* what, void* mine);
  void check_same(const char* what) const;
  void depart();
  void check_all() const;

  std::vector<int> nodes_;
  std::vector<std::atomic<bool>> gone_;
  std::atomic<int> lost_ = -1;  ///< the first rank that ended early

  std::mutex meeting_mutex_;
  std::condition_variable changed_;
  std::uint64_t arrivals_ = 0, departures_ = 0;  ///< of all meetings
  std::vector<void*> pointers_;
  std::vector<const char*> purposes_;

  std::mutex channels_mutex_;
  std::map<Key, std::deque<std::shared_ptr<Channel>>> half_open_;  ///< one end is missing
  std::vector<std::weak_ptr<Channel>> channels_;
};

}  // namespace goban::threads
