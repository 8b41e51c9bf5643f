#pragma once
// The kernels of one functor. Their texts are written, compiled and loaded when they are first
// asked for, or compiled ahead together with others.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/generator/generator.hpp"
#include "goban/backend/cuda/launch/launch_choice.hpp"

namespace goban::cuda {

/// Identifies one of the kernels of a functor.
struct KernelForm {
  enum class Kind : std::uint8_t { sweep, in_place, columns, ring, steps };
  Kind kind = Kind::sweep;
  std::array<int, 6> numbers{};
  auto operator<=>(const KernelForm&) const = default;
};

/// Returns the form of a sweep's kernel with the packs, rows and planes of a choice.
KernelForm sweep_form(const LaunchChoice& choice, bool sends_ends);
/// Returns the form of a marching kernel. `kind`: ring or steps; `sends`: steps store planes a
/// second time.
KernelForm march_form(KernelForm::Kind kind, const MarchTiles& tiles, bool sends = false);

/// Makes the kernels of one stage on all devices.
class StageKernels {
 public:
  explicit StageKernels(const Stage& stage) : subject_(stage) {}

  const KernelSubject& subject() const { return subject_; }
  const DeviceShape& shape() const { return subject_.shape; }
  /// Returns the subject with packs of `cells` cells, fewer than its shape has; 0 for as many.
  const KernelSubject& with_packs(int cells);

  const Kernel& kernel(int device, const KernelForm& form);
  /// Adds the source of a kernel, unless it was asked for before.
  void add_source(const KernelForm& form, std::vector<KernelSource>& sources);

 private:
  /// A kernel that was asked for, on a device.
  struct Made {
    KernelForm form;
    int device;
    const Kernel* kernel;
  };
  std::string text_of(const KernelForm& form);

  KernelSubject subject_;
  std::map<int, KernelSubject> narrower_;     ///< subjects by cells per pack
  std::map<KernelForm, KernelSource> ahead_;  ///< sources that are not loaded yet
  std::vector<Made> made_;
};

/// The kernels of all stages that a device was given. It owns no stage, because stages own their
/// grid, which owns its devices.
class StageKernelStore {
 public:
  /// Returns the kernels of a stage, which are valid as long as the stage exists.
  StageKernels& of(const std::shared_ptr<const Stage>& stage);

 private:
  struct Key {
    std::weak_ptr<const Stage> stage;
    const Stage* address;
    bool operator<(const Key& other) const;
  };
  std::map<Key, StageKernels> kernels_;
};

}  // namespace goban::cuda
