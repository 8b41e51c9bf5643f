#include "goban/backend/host/queue_recording.hpp"

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

/// The event of an item that was recorded; nothing has run.
class QueueRecording::RecordedEvent : public Event {
 public:
  RecordedEvent(QueueRecording& recording, std::size_t item_)
      : item(item_), recording_(&recording) {}
  void wait() override { recording_->replayed_.at(item)->wait(); }
  std::shared_ptr<Counter> replay_count() override {
    if (recording_->is_complete_) return nullptr;
    auto& done = recording_->items_[item].done;
    if (!done) done = recording_->counters_.take();
    return done;
  }
  bool belongs_to(const QueueRecording& recording) const { return recording_ == &recording; }

  const std::size_t item;

 private:
  QueueRecording* recording_;
};

QueueRecording::QueueRecording(std::vector<Queue*> queues, Attach attach)
    : queues_(std::move(queues)), attach_(std::move(attach)) {
  attach_(this);
}

void QueueRecording::end() {
  is_complete_ = true;
  attach_(nullptr);
}

EventPtr QueueRecording::add(Queue& queue, const Submission& submission, Work work,
                             std::chrono::nanoseconds takes) {
  if (is_complete_) {
    change(submission.recorded_as, std::move(work));
    return nullptr;
  }
  Item item{&queue, {}, {}, nullptr, std::move(work), takes};
  for (const auto& event : submission.waits) {
    const auto* own = dynamic_cast<const RecordedEvent*>(event.get());
    if (own && own->belongs_to(*this)) {
      item.waits.push_back(own->item);
    } else if (auto count = event->replay_count()) {
      item.counts.push_back(std::move(count));
    }
  }
  if (submission.recorded_as >= 0) numbered_[submission.recorded_as].push_back(items_.size());
  items_.push_back(std::move(item));
  return std::make_shared<RecordedEvent>(*this, items_.size() - 1);
}

void QueueRecording::begin_changes() {
  changing_ = -1;
  attach_(this);
}

/// Items of one number come in the order in which they were recorded.
void QueueRecording::change(int number, Work work) {
  if (number != changing_) changed_ = 0;
  changing_ = number;
  items_[numbered_.at(number).at(changed_++)].work = std::move(work);
}

QueueRecording::Work QueueRecording::counted(const Item& item) const {
  if (item.counts.empty() && !item.done) return item.work;
  return [work = item.work, counts = item.counts, done = item.done, number = replays_] {
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
  replayed_.clear();
  for (const Item& item : items_) {
    std::vector<EventPtr> waits;
    for (const std::size_t i : item.waits) waits.push_back(replayed_[i]);
    replayed_.push_back(item.queue->push(std::move(waits), counted(item), item.takes));
  }
}

}  // namespace goban::host
