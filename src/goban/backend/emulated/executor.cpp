#include "goban/backend/emulated/executor.hpp"

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "goban/backend/host/control_group.hpp"
#include "goban/backend/host/fill.hpp"
#include "goban/backend/host/mirrored_memory.hpp"
#include "goban/base/error.hpp"
#include "goban/base/mix.hpp"

namespace goban {
namespace {

class Completion : public Event {
 public:
  void wait() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_; });
  }
  void complete() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
      time_ = std::chrono::steady_clock::now();
    }
    changed_.notify_all();
  }
  std::chrono::steady_clock::time_point completed() const override { return time_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::chrono::steady_clock::time_point time_;
};

/// Runs operations one after the other, each after what it waits for and a delay.
class Queue {
 public:
  Queue(std::uint64_t seed, int longest_delay) : seed_(seed), longest_delay_(longest_delay) {
    thread_ = std::thread([this] { serve(); });
  }
  ~Queue() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  EventPtr push(std::vector<EventPtr> waits, std::function<void()> work) {
    auto done = std::make_shared<Completion>();
    {
      const std::lock_guard lock(mutex_);
      pending_.push_back({std::move(waits), std::move(work), done});
      ++unfinished_;
    }
    changed_.notify_all();
    return done;
  }

  void drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return unfinished_ == 0; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  struct Item {
    std::vector<EventPtr> waits;
    std::function<void()> work;
    std::shared_ptr<Completion> done;
  };

  void serve() {
    for (std::uint64_t count = 0;; ++count) {
      Item item;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stopping_ || !pending_.empty(); });
        if (pending_.empty()) return;
        item = std::move(pending_.front());
        pending_.pop_front();
      }
      for (const auto& event : item.waits) event->wait();
      if (longest_delay_ > 0) {
        const auto delay = mix(seed_ + count) % static_cast<std::uint64_t>(longest_delay_ + 1);
        std::this_thread::sleep_for(std::chrono::microseconds(delay));
      }
      try {
        item.work();
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
      }
      // What the work holds may own this queue: it must not be the queue's to let go.
      item.work = nullptr;
      item.waits.clear();
      item.done->complete();
      {
        const std::lock_guard lock(mutex_);
        --unfinished_;
      }
      changed_.notify_all();
    }
  }

  std::uint64_t seed_;
  int longest_delay_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> pending_;
  std::size_t unfinished_ = 0;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

class EmulatedDevice : public Executor {
 public:
  EmulatedDevice(int number, std::uint64_t seed, int longest_delay)
      : number_(number),
        compute_(mix(seed) + 1000003u * static_cast<std::uint64_t>(number), longest_delay),
        halo_(mix(seed + 1) + 1000003u * static_cast<std::uint64_t>(number), longest_delay) {}

  std::string name() const override { return "emulated device " + std::to_string(number_); }
  bool is_asynchronous() const override { return true; }

  std::shared_ptr<std::byte> allocate(std::size_t bytes) override {
    const std::size_t size = (bytes + 127) / 128 * 128;
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(128, size));
    if (!memory) {
      throw Error(ExitCode::resources, "no memory for a field",
                  std::to_string(bytes >> 20) + " MiB were asked for", "use a smaller grid");
    }
    std::memset(memory, 0, size);
    return {memory, [](std::byte* p) { std::free(p); }};
  }

  std::size_t bytes_free() const override {
    return static_cast<std::size_t>(process_memory().available);
  }
  std::shared_ptr<std::byte> allocate_ring(std::size_t bytes) override {
    const auto ring = std::make_shared<MirroredMemory>(static_cast<Index>(bytes));
    return {ring, ring->data()};
  }

  EventPtr sweep(const SweepTask& task, const Submission& submission) override {
    return queue(submission.stream).push(submission.waits, [task] {
      SweepCall call;
      call.functor = task.stage->functor.get();
      call.fields = task.fields.data();
      call.values = task.values.data();
      call.mask = task.stage->mask ? &task.mask : nullptr;
      call.site = task.site;
      call.box = call.tile = task.box;
      call.reducer = task.reducer;
      task.stage->kernels.pack(call);
      for (const auto& send : task.sends) host::run_copy(send);
    });
  }
  EventPtr fill(const std::vector<FillTask>& tasks, const Submission& submission) override {
    return queue(submission.stream).push(submission.waits, [tasks] {
      for (const auto& task : tasks) host::run_fill(task);
    });
  }
  EventPtr copy(const std::vector<CopyTask>& tasks, const Submission& submission) override {
    return queue(submission.stream).push(submission.waits, [tasks] {
      for (const auto& task : tasks) host::run_copy(task);
    });
  }
  bool runs_passes() const override { return false; }
  EventPtr mark(const Submission& submission) override {
    return queue(submission.stream).push(submission.waits, [] {});
  }
  void synchronize() override {
    compute_.drain();
    halo_.drain();
  }
  void parallel(Index n, const std::function<void(Index, Index)>& work) override {
    synchronize();
    work(0, n);
  }

 private:
  Queue& queue(Stream stream) { return stream == Stream::compute ? compute_ : halo_; }

  int number_;
  Queue compute_;
  Queue halo_;
};

}  // namespace

std::shared_ptr<Executor> make_emulated_device(int number, std::uint64_t seed,
                                               int longest_delay_microseconds) {
  return std::make_shared<EmulatedDevice>(number, seed, longest_delay_microseconds);
}

}  // namespace goban
