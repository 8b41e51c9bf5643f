#include "goban/backend/cuda/inspect.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"
#include "goban/backend/cuda/kernels/inspect.cuh"

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

/// Returns the number of blocks, so that each has rows to look at.
Index blocks_for(const DeviceCells& cells) {
  constexpr Index rows = device::inspect_threads / 32;
  const int fast = cells_of(cells).fast;
  return cells.box.volume() / std::max<Index>(1, cells.box.extent(fast)) / rows + 1;
}

/// Launches a kernel over the cells and returns the `count` numbers that it leaves.
template <class... More>
ExactSum::State result_of(const OwnKernel& look, const DeviceCells& cells,
                          unsigned long long* result, std::size_t count, CUstream stream,
                          const More&... more) {
  ExactSum::State state{};
  const std::size_t bytes = count * sizeof(state[0]);
  check(driver().cuMemsetD8Async(address(result), 0, bytes, stream), inspecting);
  constexpr Index most_blocks = 8192;
  LaunchGrid grid{{static_cast<unsigned int>(std::min(most_blocks, blocks_for(cells)))},
                  {device::inspect_threads}};
  grid.is_dependent = false;
  launch(look.here(), grid, stream, inspecting, cells_of(cells), result, more...);
  check(driver().cuMemcpyDtoHAsync(state.data(), address(result), bytes, stream), inspecting);
  check(driver().cuStreamSynchronize(stream), inspecting);
  return state;
}

}  // namespace

void look_for_nonfinite(const std::vector<DeviceCells>& all, unsigned long long* found,
                        CUstream stream) {
  constexpr Index most_blocks = 8192;
  std::map<ElementType, std::vector<const DeviceCells*>> of_type;
  for (const DeviceCells& one : all) {
    const bool is_integer = one.type == ElementType::uint8 || one.type == ElementType::int32;
    if (!is_integer && !one.box.empty()) of_type[one.type].push_back(&one);
  }
  for (const auto& [type, cells] : of_type) {
    device::ManyInspectedCells together{};
    const std::size_t most = std::size(together.all);
    for (std::size_t first = 0; first < cells.size(); first += most) {
      const std::size_t count = std::min(most, cells.size() - first);
      Index blocks = 1;
      for (std::size_t n = 0; n < count; ++n) {
        together.all[n] = cells_of(*cells[first + n]);
        blocks = std::max(blocks, blocks_for(*cells[first + n]));
      }
      const auto launched = static_cast<unsigned int>(count);
      LaunchGrid grid{
          {static_cast<unsigned int>(std::min(most_blocks / launched, blocks)), launched},
          {device::inspect_threads}};
      grid.is_dependent = false;
      launch(find_nonfinite_kernel(type).here(), grid, stream, inspecting, together, found);
    }
  }
}

std::uint64_t checksum(const DeviceCells& cells, unsigned long long* result, CUstream stream) {
  if (cells.box.empty()) return 0;
  return static_cast<std::uint64_t>(
      result_of(checksum_kernel(cells.type), cells, result, 1, stream)[0]);
}

void reduce(const DeviceCells& cells, Reducer& reducer, unsigned long long* result,
            CUstream stream) {
  if (cells.box.empty()) return;
  const ExactSum::State state =
      reducer.kind == Reduction::sum
          ? result_of(sum_kernel(cells.type), cells, result, ExactSum::State{}.size(), stream)
          : result_of(extremum_kernel(cells.type), cells, result, 1, stream,
                      reducer.kind == Reduction::minimum ? 1 : 0);
  add_result(state.data(), reducer);
}

void add_result(const std::int64_t* state, Reducer& reducer) {
  if (reducer.kind == Reduction::sum) {
    ExactSum::State sum;
    std::copy(state, state + sum.size(), sum.begin());
    reducer.sum.merge(sum);
  } else if (*state != 0) {  // there were terms
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    auto order = static_cast<std::uint64_t>(*state);
    if (reducer.kind == Reduction::minimum) order = ~order;
    const double value = std::bit_cast<double>((order & sign) != 0 ? order ^ sign : ~order);
    reducer.add(&value, 1);
  }
}

}  // namespace goban::cuda
