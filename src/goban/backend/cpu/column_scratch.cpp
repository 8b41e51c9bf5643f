#include "goban/backend/cpu/column_scratch.hpp"

#include <algorithm>
#include <cstring>

#include "goban/backend/cpu/kernel_shape.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/base/aligned_memory.hpp"

namespace goban::cpu {
namespace {

constexpr Index columns_grain = 64;  // bytes, and cells: a full pack of any element type

/// The bytes of the second-level cache that scratch may fill.
constexpr Index scratch_cache_bytes = Index{256} << 10;

/// Returns memory of the calling thread with at least `bytes` bytes, which starts on a line of
/// memory. It is the same memory until more is asked for.
std::byte* memory_of_thread(std::size_t bytes) {
  thread_local AlignedMemory memory;
  thread_local std::size_t size = 0;
  if (bytes > size) {
    memory = aligned_memory(bytes, columns_grain);
    size = bytes;
  }
  return memory.get();
}

/// Returns the axis that is neither that of rows nor that of columns.
int other_axis(const std::array<int, 3>& order, int column_axis) {
  return order[1] == column_axis ? order[2] : order[1];
}

}  // namespace

ColumnScratch::ColumnScratch(const Box& tile, int column_axis, const std::array<int, 3>& order,
                             int components, int element) {
  const auto fast = static_cast<std::size_t>(order[0]);
  const auto column = static_cast<std::size_t>(column_axis);
  const auto other = static_cast<std::size_t>(other_axis(order, column_axis));
  const Index first = round_down(tile.lower[fast], columns_grain);
  const Index row = round_up(tile.upper[fast] - first, columns_grain);
  const Index levels = tile.extent(column_axis) + 2;
  level_stride_ = row * tile.extent(static_cast<int>(other));
  binding_.component = levels * level_stride_;
  binding_.stride[fast] = 1;
  binding_.stride[other] = row;
  binding_.stride[column] = level_stride_;
  const auto count = static_cast<std::size_t>(binding_.component * components);
  if (count == 0) return;
  std::byte* memory = memory_of_thread(count * static_cast<std::size_t>(element));
  const auto plane = static_cast<std::size_t>(level_stride_ * element);
  for (Index c = 0; c < components; ++c) {
    std::memset(memory + c * binding_.component * element, 0, plane);
    std::memset(memory + ((c + 1) * binding_.component - level_stride_) * element, 0, plane);
  }
  // From its first element to local cell (0, 0, 0).
  const Index origin = -first - tile.lower[other] * row + (1 - tile.lower[column]) * level_stride_;
  binding_.memory = memory + origin * element;
}

ScratchBinding ColumnScratch::coming_from(Index step) const {
  ScratchBinding binding = binding_;
  binding.previous = step * level_stride_;
  return binding;
}

void for_each_tile(const SweepCall& call, const std::array<int, 3>& order, int bytes,
                   const std::function<void(const Box& tile)>& visit) {
  const auto fast = static_cast<std::size_t>(order[0]);
  const auto other = static_cast<std::size_t>(other_axis(order, call.column_axis));
  const Index of_column = std::max<Index>(1, bytes) * call.box.extent(call.column_axis);
  const Index columns = std::max(columns_grain, scratch_cache_bytes / of_column);
  const Index wide =
      std::max(columns_grain, std::min(round_up(call.box.extent(order[0]), columns_grain),
                                       round_down(columns, columns_grain)));
  const Index rows = std::max<Index>(1, columns / wide);
  Box tile = call.box;
  for (Index y = call.box.lower[other]; y < call.box.upper[other]; y += rows) {
    tile.lower[other] = y;
    tile.upper[other] = std::min(y + rows, call.box.upper[other]);
    for (Index x = round_down(call.box.lower[fast], columns_grain); x < call.box.upper[fast];
         x += wide) {
      tile.lower[fast] = std::max(x, call.box.lower[fast]);
      tile.upper[fast] = std::min(x + wide, call.box.upper[fast]);
      visit(tile);
    }
  }
}

Box columns_of_thread(const Box& box, const std::array<int, 3>& order, int column_axis, int threads,
                      int thread) {
  int axis = other_axis(order, column_axis);
  const bool are_few = box.extent(axis) < 2 * threads;
  if (are_few && box.extent(order[0]) > box.extent(axis) * columns_grain) axis = order[0];
  const Index grain = axis == order[0] ? columns_grain : 1;
  const Index first = round_down(box.lower[axis], grain);
  const Part part = split_evenly((box.upper[axis] - first + grain - 1) / grain, threads, thread);
  Box mine = box;
  mine.lower[axis] = std::max(box.lower[axis], first + part.begin * grain);
  mine.upper[axis] = std::min(box.upper[axis], first + part.end * grain);
  return mine;
}

}  // namespace goban::cpu
