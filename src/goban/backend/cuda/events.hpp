#pragma once
// The events of a GPU's work, and the pools of things that they reuse.

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/compiled/recorded_nodes.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/inspect.hpp"
#include "goban/base/exact_sum.hpp"

namespace goban::cuda {

/// Keeps things of one device that are expensive to make, for reuse.
template <class T>
class Pool {
 public:
  template <class Make>
  T take(Make&& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        T thing = free_.back();
        free_.pop_back();
        return thing;
      }
    }
    return make();
  }
  void give(T thing) {
    const std::lock_guard lock(mutex_);
    free_.push_back(thing);
  }
  template <class Destroy>
  void clear(Destroy&& destroy) {
    for (T& thing : free_) destroy(thing);
    free_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<T> free_;
};

/// What an executor and its events share. It lives as long as any of them.
struct Device {
  int number;
  Pool<CUevent> events;
  Pool<ReductionMemory> reductions;
  CUevent base = nullptr;  ///< an event recorded at base_time; null if events keep no times
  std::chrono::steady_clock::time_point base_time;
  CUstream replays = nullptr;  ///< the queue in which replays run, whichever queue was recorded
  int recording = 0;   ///< the number of the recording that is being made; 0 if there is none
  int recordings = 0;  ///< the number of recordings so far
  /// While it records: returns a counter of the replays in which an event was reached.
  std::function<std::shared_ptr<Counter>(CUevent event)> post;

  explicit Device(int n) : number(n) {}
  ~Device() {
    const OnDevice current(number);
    events.clear([](CUevent e) { driver().cuEventDestroy(e); });
    reductions.clear([](ReductionMemory& memory) {
      free_memory(memory.state);
      driver().cuMemFreeHost(memory.result);
    });
    if (base) driver().cuEventDestroy(base);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
};

class CudaEvent : public Event {
 public:
  CudaEvent(std::shared_ptr<Device> device, CUstream stream)
      : device_(std::move(device)), stream_(stream), recording_(device_->recording) {
    event_ = device_->events.take([&] {
      CUevent event = nullptr;
      const unsigned flags = device_->base ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
      check(driver().cuEventCreate(&event, flags), "making an event");
      return event;
    });
    check(driver().cuEventRecord(event_, stream), "recording an event");
  }
  ~CudaEvent() override { device_->events.give(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  /// Waits until the work is done. A recorded event waits for the whole latest replay, which a
  /// queue gets as one piece of work.
  void wait() override {
    const OnDevice current(device_->number);
    check(recording_ > 0 ? driver().cuStreamSynchronize(device_->replays)
                         : driver().cuEventSynchronize(event_),
          "computing");
  }
  bool is_recorded() const { return recording_ > 0; }
  /// Returns whether it belongs to an earlier recording, whose work is done, so that nobody has to
  /// wait for it.
  bool is_over() const { return recording_ != device_->recording; }
  std::chrono::steady_clock::time_point completed() const override {
    const OnDevice current(device_->number);
    float milliseconds = 0;
    check(driver().cuEventElapsedTime(&milliseconds, device_->base, event_),
          "being asked for a time");
    const std::chrono::duration<double, std::milli> elapsed(milliseconds);
    return device_->base_time +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(elapsed);
  }
  std::shared_ptr<Counter> replay_count() override {
    if (is_over()) return nullptr;
    if (!replays_ && device_->post) replays_ = device_->post(event_);
    return replays_;
  }
  CUevent handle() const { return event_; }
  int device() const { return device_->number; }
  CUstream stream() const { return stream_; }

 protected:
  std::shared_ptr<Device> device_;

 private:
  CUstream stream_;
  CUevent event_;
  int recording_;
  std::shared_ptr<Counter> replays_;
};

/// The event of reductions. The first wait() adds the results to their reducers; for recorded
/// reductions the first wait() after every replay does.
class ReductionEvent : public CudaEvent {
 public:
  struct Part {
    ReductionMemory memory;
    Reducer* reducer;  ///< null if the device keeps the result
  };
  ReductionEvent(std::shared_ptr<Device> device, CUstream stream, std::vector<Part> parts)
      : CudaEvent(std::move(device), stream), parts_(std::move(parts)) {}
  ~ReductionEvent() override {
    for (const Part& part : parts_) device_->reductions.give(part.memory);
  }
  ReductionEvent(const ReductionEvent&) = delete;
  ReductionEvent& operator=(const ReductionEvent&) = delete;

  void wait() override {
    CudaEvent::wait();
    for (const Part& part : parts_) {
      if (!part.reducer) continue;
      auto* const result = static_cast<std::int64_t*>(part.memory.result);
      add_result(result, *part.reducer);
      std::fill_n(result, ExactSum::State{}.size(), 0);  // no term, for who waits again
    }
  }

 private:
  std::vector<Part> parts_;
};

}  // namespace goban::cuda
