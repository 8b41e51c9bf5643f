#pragma once
// The kernels of one functor: texts are written, compiled and loaded when they are first asked for.

#include <map>
#include <memory>

#include "goban/backend/cuda/generator.hpp"
#include "goban/backend/cuda/kernel_cache.hpp"

namespace goban::cuda {

class StageKernels {
 public:
  explicit StageKernels(std::shared_ptr<const Stage> stage);

  const KernelSubject& subject() const { return subject_; }
  const DeviceShape& shape() const { return subject_.shape; }

  const Kernel& sweep(int device, ThreadBlock block, bool sends_ends);
  const Kernel& in_place(int device);
  /// Of so many planes at once.
  const Kernel& reduction(int device, int planes);
  const Kernel& columns(int device);
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
  StageKernels& of(const std::shared_ptr<const Stage>& stage);

 private:
  std::map<std::shared_ptr<const Stage>, StageKernels> kernels_;
};

}  // namespace goban::cuda
