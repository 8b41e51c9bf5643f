#include "goban/backend/cuda/inspect.hpp"

#include <algorithm>

#include "goban/backend/cuda/kernel_launch.hpp"
#include "goban/backend/cuda/kernels/inspect.cuh"
#include "goban/backend/cuda/own_kernels.hpp"

namespace goban::cuda {
namespace {

constexpr const char* inspecting = "looking at its values";

device::InspectedCells cells_of(const DeviceCells& c) {
  device::InspectedCells cells{};
  cells.origin = reinterpret_cast<const unsigned char*>(c.origin);
  cells.first = c.first;
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    cells.stride[a] = c.stride[axis];
    cells.step[a] = c.step[axis];
    cells.low[a] = c.box.lower[axis];
    cells.extent[a] = c.box.extent(a);
    if (c.stride[axis] == 1) cells.fast = a;
  }
  return cells;
}

unsigned long long result_of(const OwnKernel& look, const DeviceCells& cells,
                             unsigned long long* result, CUstream stream) {
  unsigned long long value = 0;
  check(driver().cuMemsetD8Async(address(result), 0, sizeof(value), stream), inspecting);
  constexpr Index most_blocks = 8192;
  const Index rows = cells.box.volume() / std::max<Index>(1, cells.box.extent(0)) + 1;
  LaunchGrid grid{{static_cast<unsigned int>(std::min(most_blocks, rows))},
                  {device::inspect_threads}};
  grid.in_turn = false;
  launch(look.here(), grid, stream, inspecting, cells_of(cells), result);
  check(driver().cuMemcpyDtoHAsync(&value, address(result), sizeof(value), stream), inspecting);
  check(driver().cuStreamSynchronize(stream), inspecting);
  return value;
}

}  // namespace

bool is_finite(const DeviceCells& cells, unsigned long long* result, CUstream stream) {
  const bool is_integer = cells.type == ElementType::uint8 || cells.type == ElementType::int32;
  if (cells.box.empty() || is_integer) return true;
  return result_of(find_nonfinite_kernel(cells.type), cells, result, stream) == 0;
}

std::uint64_t checksum(const DeviceCells& cells, unsigned long long* result, CUstream stream) {
  if (cells.box.empty()) return 0;
  return result_of(checksum_kernel(cells.type), cells, result, stream);
}

}  // namespace goban::cuda
