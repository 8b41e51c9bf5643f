#include "goban/backend/host/work_queue.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace goban::host {
namespace {

constexpr std::size_t most_pending = 4096;

}  // namespace

class WorkQueue::Completion : public Event {
 public:
  Completion(std::shared_ptr<HostCount::Cell> finished, std::uint64_t number)
      : finished_(std::move(finished)), number_(number) {}

  void wait() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_; });
  }
  void complete(std::chrono::steady_clock::time_point time) {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
      time_ = time;
    }
    changed_.notify_all();
  }
  std::chrono::steady_clock::time_point completed() const override { return time_; }
  std::optional<HostCount> host_count() const override { return HostCount{finished_, number_}; }

 private:
  std::shared_ptr<HostCount::Cell> finished_;
  std::uint64_t number_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::chrono::steady_clock::time_point time_;
};

WorkQueue::WorkQueue(Clock clock) : clock_(clock), finished_(HostCount::make_cell()) {
  thread_ = std::thread([this] { serve(); });
}

WorkQueue::~WorkQueue() {
  if (forks_ != forks()) {  // there is no thread to be joined, nor to stop waiting
    new (&thread_) std::thread;
    new (&changed_) std::condition_variable;
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

EventPtr WorkQueue::push(std::vector<EventPtr> waits, std::function<void()> work,
                         std::chrono::nanoseconds takes) {
  require_same_process(forks_);
  auto done = std::make_shared<Completion>(finished_, ++pushed_);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return pending_.size() < most_pending; });
    pending_.push_back({std::move(waits), std::move(work), takes, done});
    ++unfinished_;
  }
  changed_.notify_all();
  return done;
}

void WorkQueue::drain() {
  require_same_process(forks_);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return unfinished_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void WorkQueue::serve() {
  auto time = std::chrono::steady_clock::now();
  while (true) {
    Item item;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !pending_.empty(); });
      if (pending_.empty()) return;
      item = std::move(pending_.front());
      pending_.pop_front();
    }
    try {
      for (const auto& event : item.waits) {
        event->wait();
        if (clock_ == Clock::queue) time = std::max(time, event->completed());
      }
      item.work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();  // the others may follow from it
    }
    // What the work holds may own this queue: it must not be the queue's to let go.
    item.work = nullptr;
    item.waits.clear();
    time = clock_ == Clock::queue ? time + item.takes : std::chrono::steady_clock::now();
    finished_->value.fetch_add(1, std::memory_order_release);
    item.done->complete(time);
    {
      const std::lock_guard lock(mutex_);
      --unfinished_;
    }
    changed_.notify_all();
  }
}

}  // namespace goban::host
