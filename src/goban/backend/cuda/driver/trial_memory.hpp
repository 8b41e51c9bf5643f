#pragma once
// A second copy of the fields that a sweep updates in place, so that launch shapes can be tried
// repeatedly without changing the fields.

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// SweepLauncher uses it while it tries launch shapes.
class TrialMemory {
 public:
  /// Allocates memory, with undefined contents, for every field that the sweep reads and writes;
  /// returns nothing if there is not enough memory.
  static std::optional<TrialMemory> of(const SweepTask& task) {
    TrialMemory memory;
    memory.fields_ = task.fields;
    for (std::size_t a = 0; a < task.fields.size(); ++a) {
      const StageArgument& argument = task.stage->arguments[a];
      if (!argument.field || argument.access != Access::inout) continue;
      FieldBinding& field = memory.fields_[a];
      const auto element = static_cast<Index>(argument.field->element_size());
      Index first = 0, last = (argument.field->components - 1) * field.component_stride;
      for (int axis = 0; axis < 3; ++axis) {
        const Index stride = field.stride[static_cast<std::size_t>(axis)];
        first += std::min(field.clip.lower[axis], task.box.lower[axis]) * stride;
        last += (std::max(field.clip.upper[axis], task.box.upper[axis]) - 1) * stride;
      }
      // Packs reach beyond the cells; lines begin where they did.
      constexpr Index around = 256;
      const Index bytes = (last + 1 - first) * element + 3 * around;
      void* const block = allocate_if_free(static_cast<std::size_t>(bytes), "trying launches");
      if (!block) return {};
      memory.blocks_.emplace_back(block, free_memory);
      auto* start = static_cast<std::byte*>(block) + around;
      const auto line = [](const std::byte* p) {
        return reinterpret_cast<std::uintptr_t>(p) % 256;
      };
      start += (line(field.read + first * element) - line(start)) % around;
      field.write = start - first * element;
      field.read = field.write;
    }
    return memory;
  }

  const FieldBinding* fields() const { return fields_.data(); }

 private:
  std::vector<FieldBinding> fields_;
  std::vector<std::shared_ptr<void>> blocks_;
};

}  // namespace goban::cuda
