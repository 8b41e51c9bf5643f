#include "goban/backend/cuda/fill.hpp"

#include <algorithm>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"
#include "goban/backend/cuda/kernels/fill.cuh"
#include "goban/base/same_bits.hpp"

namespace goban::cuda {
namespace {

using device::Fill, device::Fills;
using Kind = BoundaryCondition::Kind;

constexpr bool is_same(Kind kind, device::FillKind other) {
  return static_cast<int>(kind) == static_cast<int>(other);
}
static_assert(is_same(Kind::constant, device::FillKind::constant) &&
              is_same(Kind::wall_value, device::FillKind::wall_value) &&
              is_same(Kind::gradient, device::FillKind::gradient) &&
              is_same(Kind::mirror, device::FillKind::mirror));

Fill fill_of(const FillTask& task) {
  Fill f{};
  f.cells = reinterpret_cast<unsigned char*>(task.field.write);
  for (int i = 0; i < 3; ++i) {
    const int axis = task.order[static_cast<std::size_t>(i)];
    f.stride[i] = task.field.stride[static_cast<std::size_t>(axis)];
    f.low[i] = static_cast<int>(task.box.lower[axis]);
    f.high[i] = static_cast<int>(task.box.upper[axis]);
    if (axis == task.axis) f.along = i;
  }
  f.wall = static_cast<int>(task.cells);
  const Index ghost = task.box.lower[task.axis];
  f.mirror = static_cast<int>(ghost + mirrored(ghost, task.cells, task.staggered));
  f.is_low = task.side == Side::low;
  f.staggered = task.staggered;
  f.kind = static_cast<device::FillKind>(task.condition.kind);
  f.value = task.condition.value;
  f.spacing = task.spacing;
  return f;
}

bool is_constant(const FillTask& task) { return task.condition.kind == Kind::constant; }

/// Returns the box of the ghost cells of a fill and of the inner cells that they mirror.
Box touched(const FillTask& task) {
  Box box = task.box;
  if (is_constant(task)) return box;
  const Index width = box.extent(task.axis) + 1;
  (task.side == Side::low ? box.upper : box.lower)[task.axis] +=
      task.side == Side::low ? width : -width;
  return box;
}

bool depend(const FillTask& a, const FillTask& b) {
  const bool are_same =
      is_constant(a) && is_constant(b) && same_bits(a.condition.value, b.condition.value);
  return a.field.write == b.field.write && !are_same &&
         (!intersection(touched(a), b.box).empty() || !intersection(touched(b), a.box).empty());
}

void launch_together(const std::vector<const FillTask*>& tasks, CUstream stream) {
  if (tasks.empty()) return;
  Fills fills{};
  Index most = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    fills.fill[i] = fill_of(*tasks[i]);
    most = std::max(most, tasks[i]->box.volume() / tasks[i]->box.extent(tasks[i]->axis));
  }
  const Dim3 blocks{static_cast<unsigned int>(std::min<Index>((most + 255) / 256, 4096)),
                    static_cast<unsigned int>(tasks.size())};
  launch(fill_kernel(tasks.front()->type).here(), {blocks, {256}}, stream, "filling ghost cells",
         fills);
}

}  // namespace

void run_fills(const std::vector<FillTask>& tasks, HostRules& rules, CUstream stream) {
  std::vector<const FillTask*> together;
  const auto flush = [&] {
    launch_together(together, stream);
    together.clear();
  };
  for (const FillTask& task : tasks) {
    if (task.box.empty()) continue;
    const bool is_custom = task.condition.kind == Kind::custom;
    const bool is_apart = is_custom || together.size() == Fills::most ||
                          std::any_of(together.begin(), together.end(), [&](const FillTask* other) {
                            return other->type != task.type || depend(*other, task);
                          });
    if (is_apart) flush();
    if (is_custom) {
      rules.run(task, stream);
    } else {
      together.push_back(&task);
    }
  }
  flush();
}

void add_fill_sources(const std::vector<FillTask>& tasks, std::vector<KernelSource>& sources) {
  for (const FillTask& task : tasks) {
    if (task.box.empty() || task.condition.kind == Kind::custom) continue;
    sources.push_back(fill_kernel(task.type).source());
  }
}

}  // namespace goban::cuda
