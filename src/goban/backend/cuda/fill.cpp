#include "goban/backend/cuda/fill.hpp"

#include <algorithm>

#include "goban/backend/cuda/kernel_launch.hpp"
#include "goban/backend/cuda/kernels/fill.cuh"
#include "goban/backend/cuda/own_kernels.hpp"
#include "goban/backend/host/fill.hpp"

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

/// The piece of memory that a rule of the user's own reads and writes comes to the host and back.
void fill_on_host(const FillTask& task, CUstream stream) {
  const auto size = static_cast<Index>(size_of(task.type));
  const auto [fast, middle, slow] = task.order;
  Box box = task.box;
  const Index reach = box.extent(task.axis) + GhostCell::most + 1;
  if (task.side == Side::low) {
    box.upper[task.axis] = std::min(box.upper[task.axis] + reach, task.cells + 1);
  } else {
    box.lower[task.axis] = std::max<Index>(box.lower[task.axis] - reach, 0);
  }
  std::vector<std::byte> dense(static_cast<std::size_t>(box.volume() * size));
  std::array<Index, 3> dense_stride{};
  dense_stride[fast] = 1;
  dense_stride[middle] = box.extent(fast);
  dense_stride[slow] = box.extent(fast) * box.extent(middle);
  const auto bytes_to = [&](const std::array<Index, 3>& stride, const Index3& lower) {
    return (lower[0] * stride[0] + lower[1] * stride[1] + lower[2] * stride[2]) * size;
  };
  const auto pitch = [&](const std::array<Index, 3>& stride) {
    return static_cast<std::size_t>(stride[middle] * size);
  };
  const auto rows_of_plane = [&](const std::array<Index, 3>& stride) {
    return static_cast<std::size_t>(stride[slow] / stride[middle]);
  };
  const auto copy = [&](const Box& part, bool is_out, const char* what) {
    const auto& stride = task.field.stride;
    std::byte* const host = dense.data() + bytes_to(dense_stride, part.lower - box.lower);
    const CUdeviceptr there = address(task.field.write + bytes_to(stride, part.lower));
    CUDA_MEMCPY3D p{};
    p.srcMemoryType = is_out ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    p.dstMemoryType = is_out ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    (is_out ? p.srcDevice : p.dstDevice) = there;
    if (is_out) {
      p.dstHost = host;
    } else {
      p.srcHost = host;
    }
    p.srcPitch = pitch(is_out ? stride : dense_stride);
    p.srcHeight = rows_of_plane(is_out ? stride : dense_stride);
    p.dstPitch = pitch(is_out ? dense_stride : stride);
    p.dstHeight = rows_of_plane(is_out ? dense_stride : stride);
    p.WidthInBytes = static_cast<std::size_t>(part.extent(fast) * size);
    p.Height = static_cast<std::size_t>(part.extent(middle));
    p.Depth = static_cast<std::size_t>(part.extent(slow));
    check(driver().cuMemcpy3DAsync(&p, stream), what);
    check(driver().cuStreamSynchronize(stream), what);
  };
  copy(box, true, "reading cells beside a boundary");
  FillTask on_host = task;
  on_host.field.stride = dense_stride;
  Index origin = 0;
  for (int a = 0; a < 3; ++a) origin += box.lower[a] * on_host.field.stride[a];
  on_host.field.write = dense.data() - origin * size;
  on_host.field.read = on_host.field.write;
  host::run_fill(on_host);
  copy(task.box, false, "writing ghost cells");
}

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

/// The ghost cells of a fill and those inside that they mirror.
Box touched(const FillTask& task) {
  Box box = task.box;
  const Index width = box.extent(task.axis) + 1;
  (task.side == Side::low ? box.upper : box.lower)[task.axis] +=
      task.side == Side::low ? width : -width;
  return box;
}

bool depend(const FillTask& a, const FillTask& b) {
  return a.field.write == b.field.write &&
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

void run_fills(const std::vector<FillTask>& tasks, CUstream stream) {
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
      fill_on_host(task, stream);
    } else {
      together.push_back(&task);
    }
  }
  flush();
}

}  // namespace goban::cuda
