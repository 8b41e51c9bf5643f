#pragma once
// What queues of the host were given while they recorded, to be given to them again.

#include <map>
#include <memory>
#include <vector>

#include "goban/backend/host/queue.hpp"
#include "goban/backend/host/replay_counts.hpp"

namespace goban::host {

class QueueRecording : public Recording {
 public:
  using Work = std::function<void()>;
  using RunSweep = std::function<void(const SweepTask&)>;

  explicit QueueRecording(std::vector<Queue*> queues) : queues_(std::move(queues)) {}

  /// Events are those of this recording, or count their replays; others have completed.
  EventPtr add(Queue& queue, const std::vector<EventPtr>& waits, Work work,
               std::chrono::nanoseconds takes = {});
  EventPtr add_sweep(Queue& queue, const std::vector<EventPtr>& waits, const SweepTask& task,
                     RunSweep run, std::chrono::nanoseconds takes = {});

  void replay() override;
  bool change(int recorded_as, const SweepTask& now) override;

 private:
  class RecordedEvent;
  struct Item {
    Queue* queue;
    std::vector<std::size_t> waits;                ///< for items
    std::vector<std::shared_ptr<Counter>> counts;  ///< of others' work that it waits for
    std::shared_ptr<Counter> done;                 ///< of its own, where others wait for it
    std::function<Work()> work;                    ///< as it is when it is given again
    std::chrono::nanoseconds takes;
  };
  EventPtr append(Queue& queue, const std::vector<EventPtr>& waits, std::function<Work()> work,
                  std::chrono::nanoseconds takes);
  Work counted(const Item& item) const;

  std::vector<Queue*> queues_;
  std::vector<Item> items_;
  std::map<int, std::shared_ptr<const SweepTask>> sweeps_;  ///< that change, by number
  CounterPages counters_;
  std::uint64_t replays_ = 0;
};

}  // namespace goban::host
