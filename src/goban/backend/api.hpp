#pragma once
// The one door between schedules and what executes them.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/backend/capabilities.hpp"
#include "goban/backend/tasks.hpp"

namespace goban {

/// What is known of an executor.
struct ExecutorTraits {
  std::string name;
  std::string model;             ///< executors of one model are equally fast
  bool is_helper = false;        ///< computes beside faster ones and may be left out
  bool is_asynchronous = false;  ///< work is queued; otherwise calls return when it is done
  bool has_own_memory = false;   ///< not the host's, real or emulated
  Index line = 64;               ///< bytes on whose multiples rows of cells start best
  Index mirrored_page = 4096;
};

/// What computes a patch: a CPU or one device.
class Executor {
 public:
  virtual ~Executor();
  const ExecutorTraits& traits() const { return traits_; }
  const std::string& name() const { return traits_.name; }
  bool is_helper() const { return traits_.is_helper; }
  bool is_asynchronous() const { return traits_.is_asynchronous; }

  /// Zeroed.
  virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) = 0;
  /// Memory that repeats: bytes i and i + bytes are the same for 0 <= i < bytes, a multiple of
  /// ExecutorTraits::mirrored_page.
  virtual std::shared_ptr<std::byte> allocate_mirrored(std::size_t bytes) = 0;
  /// What allocations may still take.
  virtual std::size_t bytes_free() const = 0;

  /// Asynchronous executors return an event, others null.
  virtual EventPtr sweep(const SweepTask& task, const Submission& submission) = 0;
  virtual EventPtr fill(const std::vector<FillTask>& tasks, const Submission& submission) = 0;
  virtual EventPtr copy(const std::vector<CopyTask>& tasks, const Submission& submission) = 0;
  /// Completes when its queue has come that far and what it waits for has completed.
  virtual EventPtr mark(const Submission& submission) = 0;
  /// Returns when all submitted work is done.
  virtual void synchronize() = 0;
  /// Kernels that its work has asked for are still being made: it takes longer than it will.
  virtual bool is_preparing() const { return false; }
  /// Splits [0, n) among the threads that do the host's work on the executor's data.
  virtual void parallel(Index n, const std::function<void(Index begin, Index end)>& work) = 0;

  /// What records submitted work; null: the executor does not record.
  Recorder* recorder() const { return offers_.recorder; }
  DeviceLoops* loops() const { return offers_.loops; }
  KernelCompiler* compiler() const { return offers_.compiler; }
  SweepBundles* bundles() const { return offers_.bundles; }
  TemporalBlocking* temporal_blocking() const { return offers_.temporal_blocking; }
  EventTimes* event_times() const { return offers_.event_times; }
  DeviceBarriers* barriers() const { return offers_.barriers; }
  HostReach* host_reach() const { return offers_.host_reach; }
  DeviceMemory* device_memory() const { return offers_.memory; }
  PeerDevices* peers() const { return offers_.peers; }
  DeviceGrouping* grouping() const { return offers_.group; }
  BodyKernels* bodies() const { return offers_.bodies; }

 protected:
  explicit Executor(ExecutorTraits traits) : traits_(std::move(traits)) {}
  void offer(const Capabilities& all) { offers_ = all; }

 private:
  ExecutorTraits traits_;
  Capabilities offers_;
};

/// Queues of executors of one kind wait for each other's work, by barriers where they have them.
void meet(const std::vector<QueueWait>& all);

}  // namespace goban
