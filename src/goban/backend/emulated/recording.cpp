#include "goban/backend/emulated/recording.hpp"

#include <stdexcept>

namespace goban::emulated {
namespace {

/// Of an item; nothing has run.
class RecordedEvent : public Event {
 public:
  explicit RecordedEvent(std::size_t item_) : item(item_) {}
  void wait() override { throw std::logic_error("waiting for what is only recorded"); }

  const std::size_t item;
};

}  // namespace

EventPtr EmulatedRecording::append(DelayedQueue& queue, const std::vector<EventPtr>& waits,
                                   std::function<Work()> work, std::chrono::nanoseconds takes) {
  Item item{&queue, {}, std::move(work), takes};
  for (const auto& event : waits) {
    if (const auto* own = dynamic_cast<const RecordedEvent*>(event.get())) {
      item.waits.push_back(own->item);
    }
  }
  items_.push_back(std::move(item));
  return std::make_shared<RecordedEvent>(items_.size() - 1);
}

EventPtr EmulatedRecording::add(DelayedQueue& queue, const std::vector<EventPtr>& waits, Work work,
                                std::chrono::nanoseconds takes) {
  return append(
      queue, waits, [work = std::move(work)] { return work; }, takes);
}

EventPtr EmulatedRecording::add_sweep(DelayedQueue& queue, const std::vector<EventPtr>& waits,
                                      const SweepTask& task, RunSweep run,
                                      std::chrono::nanoseconds takes) {
  sweeps_[task.recorded_as] = std::make_shared<SweepTask>(task);
  const auto work = [this, number = task.recorded_as, run]() -> Work {
    return [run, now = sweeps_.at(number)] { run(*now); };
  };
  return append(queue, waits, work, takes);
}

/// Replays follow each other on every queue as a whole.
void EmulatedRecording::replay() {
  std::vector<EventPtr> before;
  for (DelayedQueue* queue : queues_) before.push_back(queue->push({}, [] {}));
  for (DelayedQueue* queue : queues_) queue->push(before, [] {});
  std::vector<EventPtr> events;
  for (const Item& item : items_) {
    std::vector<EventPtr> waits;
    for (const std::size_t i : item.waits) waits.push_back(events[i]);
    events.push_back(item.queue->push(waits, item.work(), item.takes));
  }
}

void EmulatedRecording::change(int recorded_as, const SweepTask& now) {
  auto& sweep = sweeps_.at(recorded_as);
  SweepTask task = *sweep;
  task.values = now.values;
  task.site.step = now.site.step;
  task.site.time = now.site.time;
  sweep = std::make_shared<SweepTask>(std::move(task));
}

}  // namespace goban::emulated
