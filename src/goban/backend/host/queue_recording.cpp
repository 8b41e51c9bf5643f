#include "goban/backend/host/queue_recording.hpp"

#include <stdexcept>
#include <utility>

namespace goban::host {
namespace {

class CountsUp {
 public:
  explicit CountsUp(std::shared_ptr<Counter> counter) : counter_(std::move(counter)) {}
  ~CountsUp() {
    if (counter_) counter_->fetch_add(1, std::memory_order_release);
  }
  CountsUp(const CountsUp&) = delete;
  CountsUp& operator=(const CountsUp&) = delete;

 private:
  std::shared_ptr<Counter> counter_;
};

}  // namespace

/// Of an item; nothing has run.
class QueueRecording::RecordedEvent : public Event {
 public:
  RecordedEvent(QueueRecording& recording, std::size_t item_)
      : item(item_), recording_(&recording) {}
  void wait() override { throw std::logic_error("waiting for what is only recorded"); }
  std::shared_ptr<Counter> replay_count() override {
    auto& done = recording_->items_[item].done;
    if (!done) done = recording_->counters_.take();
    return done;
  }
  bool belongs_to(const QueueRecording& recording) const { return recording_ == &recording; }

  const std::size_t item;

 private:
  QueueRecording* recording_;
};

EventPtr QueueRecording::append(Queue& queue, const std::vector<EventPtr>& waits,
                                std::function<Work()> work, std::chrono::nanoseconds takes) {
  Item item{&queue, {}, {}, nullptr, std::move(work), takes};
  for (const auto& event : waits) {
    const auto* own = dynamic_cast<const RecordedEvent*>(event.get());
    if (own && own->belongs_to(*this)) {
      item.waits.push_back(own->item);
    } else if (auto count = event->replay_count()) {
      item.counts.push_back(std::move(count));
    }
  }
  items_.push_back(std::move(item));
  return std::make_shared<RecordedEvent>(*this, items_.size() - 1);
}

EventPtr QueueRecording::add(Queue& queue, const std::vector<EventPtr>& waits, Work work,
                             std::chrono::nanoseconds takes) {
  return append(
      queue, waits, [work = std::move(work)] { return work; }, takes);
}

EventPtr QueueRecording::add_sweep(Queue& queue, const std::vector<EventPtr>& waits,
                                   const SweepTask& task, RunSweep run,
                                   std::chrono::nanoseconds takes) {
  sweeps_[task.recorded_as] = std::make_shared<SweepTask>(task);
  const auto work = [this, number = task.recorded_as, run = std::move(run)]() -> Work {
    return [run, now = sweeps_.at(number)] { run(*now); };
  };
  return append(queue, waits, work, takes);
}

QueueRecording::Work QueueRecording::counted(const Item& item) const {
  Work work = item.work();
  if (item.counts.empty() && !item.done) return work;
  return [work = std::move(work), counts = item.counts, done = item.done, number = replays_] {
    const CountsUp at_end(done);  // failed work, too: nobody is to wait for it
    for (const auto& count : counts) wait_until_counted(*count, number);
    work();
  };
}

/// Replays follow each other on every queue as a whole.
void QueueRecording::replay() {
  ++replays_;
  if (queues_.size() > 1) {
    std::vector<EventPtr> before;
    for (Queue* queue : queues_) before.push_back(queue->push({}, [] {}));
    for (Queue* queue : queues_) queue->push(before, [] {});
  }
  std::vector<EventPtr> events;
  for (const Item& item : items_) {
    std::vector<EventPtr> waits;
    for (const std::size_t i : item.waits) waits.push_back(events[i]);
    events.push_back(item.queue->push(std::move(waits), counted(item), item.takes));
  }
}

bool QueueRecording::change(int recorded_as, const SweepTask& now) {
  const auto found = sweeps_.find(recorded_as);
  if (found == sweeps_.end()) return false;
  SweepTask task = *found->second;
  task.values = now.values;
  task.site.step = now.site.step;
  task.site.time = now.site.time;
  found->second = std::make_shared<SweepTask>(std::move(task));
  return true;
}

}  // namespace goban::host
