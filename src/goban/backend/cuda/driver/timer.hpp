#pragma once
// Measures how long work takes in a queue.

#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

class QueueTimer {
 public:
  /// `what` says in errors what was being done.
  QueueTimer(CUstream stream, const char* what) : stream_(stream), what_(what) {
    check(driver().cuEventCreate(&start_, CU_EVENT_DEFAULT), what_);
    check(driver().cuEventCreate(&end_, CU_EVENT_DEFAULT), what_);
  }
  ~QueueTimer() {
    driver().cuEventDestroy(start_);
    driver().cuEventDestroy(end_);
  }
  QueueTimer(const QueueTimer&) = delete;
  QueueTimer& operator=(const QueueTimer&) = delete;

  /// Returns the seconds that the work takes that `submit` puts into the queue; waits for it.
  template <class Submit>
  double time(Submit&& submit) {
    check(driver().cuEventRecord(start_, stream_), what_);
    submit();
    check(driver().cuEventRecord(end_, stream_), what_);
    check(driver().cuEventSynchronize(end_), what_);
    float milliseconds = 0;
    check(driver().cuEventElapsedTime(&milliseconds, start_, end_), what_);
    return milliseconds * 1e-3;
  }

 private:
  CUstream stream_;
  const char* what_;
  CUevent start_ = nullptr, end_ = nullptr;
};

}  // namespace goban::cuda
