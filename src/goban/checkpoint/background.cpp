#include "goban/checkpoint/background.hpp"

#include "goban/base/agreement.hpp"

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

std::optional<Error> BackgroundWork::take_error(Index count) {
  const std::lock_guard lock(mutex_);
  if (errors_.empty() || errors_.front().first >= count) return std::nullopt;
  Error error = std::move(errors_.front().second);
  errors_.pop_front();
  return error;
}

void BackgroundWork::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    std::optional<Error> error;
    try {
      job();
    } catch (const std::exception&) {
      error = as_error(std::current_exception());
    }
    lock.lock();
    if (error) errors_.emplace_back(finished_, std::move(*error));
    ++finished_;
    changed_.notify_all();
  }
}

}  // namespace goban
