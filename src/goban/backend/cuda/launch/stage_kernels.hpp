#pragma once
// The kernels of one functor: texts are written, compiled and loaded when they are first asked for,
// or compiled ahead with others.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/generator/generator.hpp"
#include "goban/backend/cuda/launch/launch_choice.hpp"

namespace goban::cuda {

/// One of the kernels of a functor.
struct KernelForm {
  enum class Kind : std::uint8_t { sweep, in_place, columns, ring, steps, by_blocks };
  Kind kind = Kind::sweep;
  std::array<int, 6> numbers{};
  auto operator<=>(const KernelForm&) const = default;
};

/// The form of a sweep whose packs, rows and planes are those chosen.
KernelForm sweep_form(const LaunchChoice& choice, bool sends_ends);
/// `kind`: ring, steps or by_blocks; `sends`: steps that store planes a second time.
KernelForm march_form(KernelForm::Kind kind, const MarchTiles& tiles, bool sends = false);

class StageKernels {
 public:
  explicit StageKernels(const Stage& stage) : subject_(stage) {}

  const KernelSubject& subject() const { return subject_; }
  const DeviceShape& shape() const { return subject_.shape; }
  /// The subject with packs of so many cells, fewer than its shape has; 0: of as many.
  const KernelSubject& with_packs(int cells);

  const Kernel& kernel(int device, const KernelForm& form);
  /// Adds what a kernel is compiled from, unless it was asked for before.
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
  std::map<int, KernelSubject> narrower_;     ///< subjects by the cells of their packs
  std::map<KernelForm, KernelSource> ahead_;  ///< not loaded yet
  std::vector<Made> made_;
};

/// The kernels of all stages that a device was given. It keeps no stage: stages keep their grid,
/// which keeps its devices.
class StageKernelStore {
 public:
  /// Good while the stage is there; the address stays its own after that.
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
