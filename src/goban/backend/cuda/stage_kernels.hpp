#pragma once
// The kernels of one functor: texts are written, compiled and loaded when they are first asked for.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "goban/backend/cuda/generator.hpp"
#include "goban/backend/cuda/kernel_cache.hpp"
#include "goban/backend/cuda/launch_choice.hpp"

namespace goban::cuda {

class StageKernels {
 public:
  /// `are_numbers`: see KernelSubject.
  StageKernels(std::shared_ptr<const Stage> stage, std::vector<bool> are_numbers);

  const KernelSubject& subject() const { return subject_; }
  const DeviceShape& shape() const { return subject_.shape; }
  /// With packs of so many cells, fewer than its shape has; 0: of as many.
  const KernelSubject& with_packs(int cells);

  /// Of packs, rows and planes as chosen.
  const Kernel& sweep(int device, const LaunchChoice& choice, bool sends_ends);
  const Kernel& in_place(int device);
  /// Of so many planes at once.
  const Kernel& reduction(int device, int planes);
  const Kernel& columns(int device, bool in_segments);
  const Kernel& march(int device, const MarchTiles& tiles, const std::string& shape);

  /// Compiles what sweeps are to be tried with, side by side.
  void prepare(int capability, const std::vector<LaunchChoice>& choices);

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
  std::map<int, KernelSubject> narrower_;  ///< by cells of their packs
  std::vector<Made> made_;
};

/// Those of all stages that a device was given.
class StageKernelStore {
 public:
  StageKernels& of(const std::shared_ptr<const Stage>& stage,
                   const std::vector<bool>& are_numbers = {});

 private:
  std::map<std::pair<std::shared_ptr<const Stage>, std::vector<bool>>, StageKernels> kernels_;
};

}  // namespace goban::cuda
