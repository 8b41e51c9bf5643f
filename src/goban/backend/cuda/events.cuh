#pragma once
// Completion of what a GPU was given, and what is used again for it.

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/base/exact_sum.hpp"

namespace goban::cuda {

/// Things that are dear to make and may be used again, by one device.
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

constexpr std::size_t state_integers = ExactSum::limb_count + 3;

/// A reduction's state on the device and where it arrives on the host.
struct ReductionBuffer {
  void* device = nullptr;
  std::int64_t* host = nullptr;
};

/// What the executor and its events share; lives as long as any of them.
struct Device {
  int number;
  Pool<cudaEvent_t> events;
  Pool<ReductionBuffer> reductions;
  cudaEvent_t base = nullptr;  ///< recorded at base_time; null: events keep no times
  std::chrono::steady_clock::time_point base_time;
  /// While it records: what counts the replays in which the event was reached.
  std::function<std::shared_ptr<Counter>(cudaEvent_t event)> post;

  explicit Device(int n) : number(n) {}
  ~Device() {
    const OnDevice current(number);
    events.clear([](cudaEvent_t e) { cudaEventDestroy(e); });
    reductions.clear([](ReductionBuffer& b) {
      cudaFree(b.device);
      cudaFreeHost(b.host);
    });
    if (base) cudaEventDestroy(base);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
};

class CudaEvent : public Event {
 public:
  CudaEvent(std::shared_ptr<Device> device, cudaStream_t stream)
      : device_(std::move(device)), stream_(stream) {
    event_ = device_->events.take([&] {
      cudaEvent_t event;
      const unsigned flags = device_->base ? cudaEventDefault : cudaEventDisableTiming;
      check(cudaEventCreateWithFlags(&event, flags), "making an event");
      return event;
    });
    check(cudaEventRecord(event_, stream), "recording an event");
  }
  ~CudaEvent() override { device_->events.give(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  void wait() override { check(cudaEventSynchronize(event_), "computing"); }
  std::chrono::steady_clock::time_point completed() const override {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, device_->base, event_), "being asked for a time");
    const std::chrono::duration<double, std::milli> elapsed(milliseconds);
    return device_->base_time +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(elapsed);
  }
  std::shared_ptr<Counter> replay_count() override {
    if (!replays_ && device_->post) replays_ = device_->post(event_);
    return replays_;
  }
  cudaEvent_t handle() const { return event_; }
  int device() const { return device_->number; }
  cudaStream_t stream() const { return stream_; }

 protected:
  std::shared_ptr<Device> device_;

 private:
  cudaStream_t stream_;
  cudaEvent_t event_;
  std::shared_ptr<Counter> replays_;
};

/// Completion of a reduction: the first who waits hands the result to the reducer.
class ReductionEvent : public CudaEvent {
 public:
  ReductionEvent(std::shared_ptr<Device> device, cudaStream_t stream, ReductionBuffer buffer,
                 Reducer* reducer)
      : CudaEvent(std::move(device), stream), buffer_(buffer), reducer_(reducer) {}
  ~ReductionEvent() override { device_->reductions.give(buffer_); }
  ReductionEvent(const ReductionEvent&) = delete;
  ReductionEvent& operator=(const ReductionEvent&) = delete;

  void wait() override {
    CudaEvent::wait();
    if (!reducer_) return;
    Reducer& reducer = *std::exchange(reducer_, nullptr);
    const std::int64_t* state = buffer_.host;
    if (reducer.kind == Reduction::sum) {
      ExactSum::State sum;
      std::copy(state, state + state_integers, sum.begin());
      reducer.sum.merge(sum);
      return;
    }
    const bool is_minimum = reducer.kind == Reduction::minimum;
    if (*state == unreached(is_minimum)) return;
    const std::int64_t bits = *state >= 0 ? *state : *state ^ 0x7fffffffffffffff;
    const double value = std::bit_cast<double>(bits);
    reducer.add(&value, 1);
  }
  /// The state before anything was added.
  static std::int64_t unreached(bool is_minimum) {
    return is_minimum ? std::numeric_limits<std::int64_t>::max()
                      : std::numeric_limits<std::int64_t>::min();
  }

 private:
  ReductionBuffer buffer_;
  Reducer* reducer_;
};

}  // namespace goban::cuda
