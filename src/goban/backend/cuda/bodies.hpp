#pragma once
// Computes suspended bodies on one GPU.

#include "goban/backend/body_task.hpp"
#include "goban/backend/capabilities.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// Launches the kernels of bodies. Its device must be the current one in all calls.
class BodyLauncher {
 public:
  /// Frees what it holds. Must be called last, when its work is done.
  void close();

  /// Notes that a step begins at this point of the queue.
  void begin_step(CUstream stream);
  /// These implement BodyKernels, in this queue.
  void run(BodyWork work, const BodyTask& task, CUstream stream);
  bool has_failed();
  BodyTimes times() const { return times_; }

 private:
  void repel(const BodyTask& task, CUstream stream);
  void sum(const BodyTask& task, CUstream stream);
  void move(const BodyTask& task, CUstream stream);
  void push(const BodyTask& task, CUstream stream);
  /// Makes events and memory when they are first needed.
  void prepare();

  /// The events of two steps, because two steps may be under way.
  struct Events {
    CUevent begin = nullptr, end = nullptr;
    bool has_ended = false;
  };
  Events& events(int steps_ago) { return events_[(steps_ - steps_ago) % 2]; }

  Events events_[2];
  CUevent moved_ = nullptr;
  int* has_failed_ = nullptr;  ///< in pinned memory of the host
  int steps_ = 0;
  BodyTimes times_;
};

}  // namespace goban::cuda
