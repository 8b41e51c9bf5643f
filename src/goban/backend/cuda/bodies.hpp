#pragma once
// Bodies and the nodes of one GPU.

#include <memory>

#include "goban/backend/body_task.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// Memory of the current device for what bodies are told and asked, which grows.
class BodyLauncher {
 public:
  /// As of BodyKernels, in this queue.
  void add_sums(const BodyTask& task, std::int64_t* sums, CUstream stream);
  void push(const BodyTask& task, const device::BodyPush* pushes, double unit, CUstream stream);

 private:
  class Memory {
   public:
    ~Memory();
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    /// Memory of at least so many bytes.
    void* get(std::size_t bytes);

   private:
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
  };
  /// Copies an array there; the host may change it then.
  template <class T>
  static const T* upload(Memory& memory, const T* from, std::size_t count, CUstream stream);

  Memory bodies_, kernels_, patches_, sums_, pushes_;
};

}  // namespace goban::cuda
