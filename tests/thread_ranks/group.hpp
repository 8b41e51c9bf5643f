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

#include "tests/thread_ranks/channel.hpp"

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
  /// Those of different `place`s do not see each other.
  template <class Use>
  void meet(int place, int rank, const char* what, void* mine, Use&& use) {
    QueueWait& meeting = meeting_at(place);
    arrive(meeting, rank, what, mine);
    const Leaving leaving{*this, meeting};
    check_same(meeting, what);
    use(static_cast<const std::vector<void*>&>(meeting.pointers));
  }

  /// The n-th sender and the n-th receiver of a tag between two ranks get the same channel.
  std::shared_ptr<Channel> open(int from, int to, int tag, Channel::End end);

  /// The rank has ended: `early` if others are not to go on without it.
  void leave(int rank, bool early);
  /// Throws Error (ExitCode::peer_lost) if a rank has ended early, or if `rank` is gone.
  void check(int rank) const;

 private:
  struct QueueWait {
    std::uint64_t arrivals = 0, departures = 0;  ///< of all so far
    std::vector<void*> pointers = {};
    std::vector<const char*> purposes = {};
  };
  struct Leaving {
    Group& group;
    QueueWait& meeting;
    ~Leaving() { group.depart(meeting); }
  };
  using Key = std::tuple<int, int, int>;

  QueueWait& meeting_at(int place);
  void arrive(QueueWait& meeting, int rank, const char* what, void* mine);
  static void check_same(const QueueWait& meeting, const char* what);
  void depart(QueueWait& meeting);
  void check_all() const;

  std::vector<int> nodes_;
  std::vector<std::atomic<bool>> gone_;
  std::atomic<int> lost_ = -1;  ///< the first rank that ended early

  std::mutex meeting_mutex_;
  std::condition_variable changed_;
  std::map<int, QueueWait> queue_barriers_;

  std::mutex channels_mutex_;
  std::map<Key, std::deque<std::shared_ptr<Channel>>> half_open_;  ///< one end is missing
  std::vector<std::weak_ptr<Channel>> channels_;
};

}  // namespace goban::threads
