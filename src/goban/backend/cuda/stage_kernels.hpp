#pragma once
// The kernels of one functor on fields that lie in one way: texts are written, compiled and loaded
// when they are first asked for.

#include <deque>
#include <memory>

#include "goban/backend/cuda/generator.hpp"
#include "goban/backend/cuda/kernel_cache.hpp"

namespace goban::cuda {

class StageKernels {
 public:
  /// `strides`: see KernelSubject.
  StageKernels(std::shared_ptr<const Stage> stage, std::vector<FoldedStrides> strides);

  const KernelSubject& subject() const { return subject_; }
  const DeviceShape& shape() const { return subject_.shape; }
  const std::vector<FoldedStrides>& strides() const { return subject_.strides; }

  const Kernel& sweep(int device, ThreadBlock block);
  const Kernel& in_place(int device);
  const Kernel& reduction(int device);
  const Kernel& march(int device, const MarchTiles& tiles, const std::string& shape);

  /// Compiles what sweeps may be tried with, side by side.
  void prepare(int capability, const std::vector<ThreadBlock>& blocks) const;

 private:
  /// One that was asked for: by its shape and numbers, on a device.
  struct Made {
    std::string shape;
    std::array<int, 5> numbers;
    int device;
    const Kernel* kernel;
  };
  template <class Text>
  const Kernel& made(const std::string& shape, const std::array<int, 5>& numbers, int device,
                     Text&& text);

  std::shared_ptr<const Stage> stage_;
  KernelSubject subject_;
  std::vector<Made> made_;
};

/// Those of all stages that a device was given.
class StageKernelStore {
 public:
  /// `fields`: as the stage is given them; large ones have strides that are part of the kernel.
  StageKernels& of(const std::shared_ptr<const Stage>& stage,
                   const std::vector<FieldBinding>& fields, bool is_large);

 private:
  struct Entry {
    const Stage* stage;
    StageKernels kernels;
  };
  std::deque<Entry> entries_;
};

}  // namespace goban::cuda
