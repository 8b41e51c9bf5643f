#include "goban/checkpoint/background.hpp"

namespace goban {

BackgroundWork::BackgroundWork() : thread_([this] { work(); }) {}

BackgroundWork::~BackgroundWork() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundWork::add(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    ++added_;
  }
  changed_.notify_all();
}

Index BackgroundWork::finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

void BackgroundWork::wait(Index count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return finished_ >= count; });
}

void BackgroundWork::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
    ++finished_;
    changed_.notify_all();
  }
}

}  // namespace goban
