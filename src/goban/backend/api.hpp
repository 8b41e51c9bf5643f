#pragma once
// The interface between the engine and the executors that run its commands. Nothing else of a
// backend is known outside of it.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/backend/capabilities.hpp"
#include "goban/backend/tasks.hpp"

namespace goban {

/// The properties of an executor.
struct ExecutorTraits {
  std::string name;
  std::string model;             ///< executors of the same model are equally fast
  bool is_helper = false;        ///< it computes beside faster executors and may be left out
  bool is_asynchronous = false;  ///< it queues work; otherwise calls return when the work is done
  bool has_own_memory = false;   ///< its memory is not the host's, really or by emulation
  Index line = 64;               ///< rows of cells should start on multiples of this many bytes
  /// Sizes of mirrored buffers are multiples of this many bytes.
  Index mirrored_page = 4096;
};

/// Computes patches: a CPU with its threads, or one GPU. Domain holds one for each patch; the
/// engine's CommandRunner submits work to it. What only some executors can do is offered by the
/// capabilities below, which are null where it is not offered.
class Executor {
 public:
  virtual ~Executor();
  const ExecutorTraits& traits() const { return traits_; }
  const std::string& name() const { return traits_.name; }
  bool is_helper() const { return traits_.is_helper; }
  bool is_asynchronous() const { return traits_.is_asynchronous; }

  /// Allocates memory that holds zeros. Throws an Error (ExitCode::resources) if there is none.
  virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) = 0;
  /// Allocates a mirrored buffer: memory mapped twice in a row, so that bytes i and i + `bytes` are
  /// the same for 0 <= i < `bytes`. `bytes` must be a multiple of ExecutorTraits::mirrored_page.
  virtual std::shared_ptr<std::byte> allocate_mirrored(std::size_t bytes) = 0;
  /// Returns how many bytes can still be allocated.
  virtual std::size_t bytes_free() const = 0;

  /// These run a sweep, fills of ghosts, and copies. Asynchronous executors queue the work and
  /// return its event; others do it and return null.
  virtual EventPtr sweep(const SweepTask& task, const Submission& submission) = 0;
  virtual EventPtr fill(const std::vector<FillTask>& tasks, const Submission& submission) = 0;
  virtual EventPtr copy(const std::vector<CopyTask>& tasks, const Submission& submission) = 0;
  /// Returns an event that completes when everything before it in its queue, and what the
  /// submission waits for, has completed.
  virtual EventPtr mark(const Submission& submission) = 0;
  /// Waits until all submitted work is done.
  virtual void synchronize() = 0;
  /// Returns whether kernels are still being compiled, so that work takes longer than it will
  /// later.
  virtual bool is_preparing() const { return false; }
  /// Splits [0, n) among the threads with which the host works on the executor's data, and waits
  /// for them.
  virtual void parallel(Index n, const std::function<void(Index begin, Index end)>& work) = 0;

  /// These return the capabilities of the executor; null where it does not offer one.
  Recorder* recorder() const { return offers_.recorder; }
  DeviceLoops* loops() const { return offers_.loops; }
  KernelCompiler* compiler() const { return offers_.compiler; }
  SweepBundles* bundles() const { return offers_.bundles; }
  TemporalBlocking* temporal_blocking() const { return offers_.temporal_blocking; }
  EventTimes* event_times() const { return offers_.event_times; }
  DeviceBarriers* barriers() const { return offers_.barriers; }
  HostReach* host_reach() const { return offers_.host_reach; }
  DeviceMemory* device_memory() const { return offers_.memory; }
  GuestWork* guests() const { return offers_.guests; }
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

/// Lets queues of executors of one kind wait for each other's work, by barriers where they have
/// them.
void meet(const std::vector<QueueWait>& all);

}  // namespace goban
