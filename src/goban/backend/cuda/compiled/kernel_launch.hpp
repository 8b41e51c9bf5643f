#pragma once
// Launches kernels. Kernels of one queue follow each other with little time in between: the next
// one is launched when the last block of the one before has started, and waits on the device for
// its end (kernels/dependent_launch.cuh).

#include "goban/backend/cuda/compiled/kernel_cache.hpp"

namespace goban::cuda {

/// Returns the number of blocks that cover all cells.
constexpr unsigned int blocks_of(int cells, int cells_per_block) {
  return static_cast<unsigned int>((cells + cells_per_block - 1) / cells_per_block);
}

/// The largest number of blocks of a launch along its second and its third axis.
inline constexpr int most_blocks_along = 65535;

struct Dim3 {
  unsigned int x = 1, y = 1, z = 1;
};

struct LaunchGrid {
  Dim3 blocks, threads;
  std::size_t shared_bytes = 0;
  bool is_dependent = true;  ///< the kernel itself waits for the end of the one before it
};

/// Returns whether the queue is being captured.
bool is_capturing(CUstream stream);

/// Launches a kernel. `arguments` are addresses, one for each parameter of the kernel. While
/// recorded nodes are changed the queue gets nothing; instead, the next node gets this kernel, grid
/// and these arguments. Throws an Error (ExitCode::resources) if the launch fails while `what`.
void launch_with(const Kernel& kernel, const LaunchGrid& grid, CUstream stream, const char* what,
                 void** arguments);

/// Launches a kernel. The types of the arguments must be exactly those of the kernel's parameters.
template <class... Arguments>
void launch(const Kernel& kernel, const LaunchGrid& grid, CUstream stream, const char* what,
            const Arguments&... arguments) {
  void* addresses[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
  launch_with(kernel, grid, stream, what, addresses);
}

}  // namespace goban::cuda
