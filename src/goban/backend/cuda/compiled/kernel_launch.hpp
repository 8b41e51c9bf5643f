#pragma once
// Launches of kernels. Those of one queue come one after the other with little between them: the
// next one is launched when the last block of the one before has started, and waits there for its
// end (kernels/dependent_launch.cuh).

#include "goban/backend/cuda/compiled/kernel_cache.hpp"

namespace goban::cuda {

/// So many that all cells are in one.
constexpr unsigned int blocks_of(int cells, int cells_per_block) {
  return static_cast<unsigned int>((cells + cells_per_block - 1) / cells_per_block);
}

/// A launch has no more blocks than this along its second and its third axis.
inline constexpr int most_blocks_along = 65535;

struct Dim3 {
  unsigned int x = 1, y = 1, z = 1;
};

struct LaunchGrid {
  Dim3 blocks, threads;
  std::size_t shared_bytes = 0;
  bool is_dependent = true;  ///< the kernel waits for the one before it itself
};

/// A recording is under way.
bool is_capturing(CUstream stream);

/// `arguments` are addresses, one for each parameter of the kernel. Where recorded nodes are
/// changed the next of them gets kernel, arguments and grid, and the queue nothing. Error
/// (ExitCode::resources): it failed while `what`.
void launch_with(const Kernel& kernel, const LaunchGrid& grid, CUstream stream, const char* what,
                 void** arguments);

/// Arguments have the types of the kernel's parameters, exactly.
template <class... Arguments>
void launch(const Kernel& kernel, const LaunchGrid& grid, CUstream stream, const char* what,
            const Arguments&... arguments) {
  void* addresses[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
  launch_with(kernel, grid, stream, what, addresses);
}

}  // namespace goban::cuda
