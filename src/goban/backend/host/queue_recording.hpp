#pragma once
// What queues of the host were given while they recorded, to be given to them again.

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "goban/backend/host/queue.hpp"
#include "goban/backend/host/replay_counts.hpp"

namespace goban::host {

class QueueRecording : public Recording {
 public:
  using Work = std::function<void()>;
  /// Has the executors of these queues give a recording what they get; null: their queues.
  using Attach = std::function<void(QueueRecording*)>;

  QueueRecording(std::vector<Queue*> queues, Attach attach);

  /// Events are those of this recording, or count their replays; others have completed.
  EventPtr add(Queue& queue, const Submission& submission, Work work,
               std::chrono::nanoseconds takes = {});
  void end();

  void replay() override;
  void begin_changes() override;
  void end_changes() override { attach_(nullptr); }

 private:
  class RecordedEvent;
  struct Item {
    Queue* queue;
    std::vector<std::size_t> waits;                ///< items that it waits for
    std::vector<std::shared_ptr<Counter>> counts;  ///< counters of work of others that it waits for
    /// Counts its own work, where others wait for it.
    std::shared_ptr<Counter> done;
    Work work;
    std::chrono::nanoseconds takes;
  };
  void change(int number, Work work);
  Work counted(const Item& item) const;

  std::vector<Queue*> queues_;
  Attach attach_;
  bool is_complete_ = false;
  std::vector<Item> items_;
  std::map<int, std::vector<std::size_t>> numbered_;  ///< items, by number
  int changing_ = -1;                                 ///< the number that came last
  std::size_t changed_ = 0;                           ///< how many of its items have
  std::vector<EventPtr> replayed_;                    ///< per item
  CounterPages counters_;
  std::uint64_t replays_ = 0;
};

}  // namespace goban::host
