#pragma once
// Calls of the CUDA runtime whose failure is an Error.

#include <cuda_runtime.h>

#include <string>

#include "goban/base/error.hpp"

namespace goban::cuda {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw Error(ExitCode::resources, std::string("the GPU failed while ") + what,
              cudaGetErrorString(status), "`goban doctor` shows the state of the machine's GPUs");
}

/// Devices reach this memory of the host no longer. Where several executors let them, the first
/// ends it for all.
inline void unregister(void* memory) {
  if (cudaHostUnregister(memory) != cudaSuccess) cudaGetLastError();
}

/// Makes a device current while it lives.
class OnDevice {
 public:
  explicit OnDevice(int number) {
    check(cudaGetDevice(&before_), "selecting a device");
    if (before_ != number) check(cudaSetDevice(number), "selecting a device");
    changed_ = before_ != number;
  }
  ~OnDevice() {
    if (changed_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace goban::cuda
