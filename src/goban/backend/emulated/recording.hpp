#pragma once
// What emulated devices were given while they recorded, to be given to them again.

#include <map>
#include <memory>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/emulated/delayed_queue.hpp"

namespace goban::emulated {

class EmulatedRecording : public Recording {
 public:
  using Work = std::function<void()>;
  using RunSweep = void (*)(const SweepTask&);

  explicit EmulatedRecording(std::vector<DelayedQueue*> queues) : queues_(std::move(queues)) {}

  /// Events are those of this recording; others have completed.
  EventPtr add(DelayedQueue& queue, const std::vector<EventPtr>& waits, Work work,
               std::chrono::nanoseconds takes);
  EventPtr add_sweep(DelayedQueue& queue, const std::vector<EventPtr>& waits, const SweepTask& task,
                     RunSweep run, std::chrono::nanoseconds takes);

  void replay() override;
  void change(int recorded_as, const SweepTask& now) override;

 private:
  struct Item {
    DelayedQueue* queue;
    std::vector<std::size_t> waits;  ///< for items
    std::function<Work()> work;      ///< as it is when it is given again
    std::chrono::nanoseconds takes;
  };
  EventPtr append(DelayedQueue& queue, const std::vector<EventPtr>& waits,
                  std::function<Work()> work, std::chrono::nanoseconds takes);

  std::vector<DelayedQueue*> queues_;
  std::vector<Item> items_;
  std::map<int, std::shared_ptr<const SweepTask>> sweeps_;  ///< that change, by number
};

}  // namespace goban::emulated
