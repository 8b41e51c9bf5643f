#include "goban/backend/cuda/column_launch.hpp"

#include <algorithm>

#include "goban/backend/cuda/launch_arguments.hpp"
#include "goban/base/error.hpp"

namespace goban::cuda {
namespace {

/// Where a multiprocessor holds so many columns, each thread sweeps one and is done.
constexpr int many_columns = 256;

}  // namespace

void launch_columns(const Kernel& kernel, const KernelSubject& subject, const SweepCall& sweep,
                    CUstream stream) {
  const Index levels = sweep.box.extent(sweep.column_axis);
  const Index columns = sweep.box.volume() / levels;
  const Index bytes = kept_bytes(subject) * levels;
  const Index most_bytes =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, kernel.device());
  if (bytes > most_bytes) {
    throw Error(ExitCode::resources,
                "columns of " + std::to_string(levels) + " levels are too long",
                "a GPU keeps " + std::to_string(bytes) +
                    " bytes of each in shared memory, which has " + std::to_string(most_bytes),
                "keep fewer numbers a level, or compute on CPUs");
  }
  // Whole warps unless narrower ones leave less shared memory unused.
  int threads = 1, at_once = 0;
  for (const int tried : {128, 64, 32, 16, 8, 4, 2, 1}) {
    if (tried * bytes > most_bytes || (tried < 16 && at_once > 0)) continue;
    const auto shared = static_cast<std::size_t>(tried * bytes);
    const int held = tried * kernel.blocks_at_once(tried, shared);
    if (held > at_once) threads = tried, at_once = held;
  }
  Index blocks = (columns + threads - 1) / threads;
  if (at_once < many_columns) {
    const Index resident = Index{at_once / threads} *
                           attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, kernel.device());
    blocks = std::min(blocks, std::max<Index>(1, resident));
  }
  const SweepArgumentBytes a(subject, sweep, {});
  const LaunchGrid grid{{static_cast<unsigned int>(blocks)},
                        {static_cast<unsigned int>(threads)},
                        static_cast<std::size_t>(threads * bytes)};
  std::vector<std::byte> arguments = a.bytes();
  void* addresses[] = {arguments.data(), nullptr};
  launch_with(kernel, grid, stream, "sweeping columns", addresses);
}

}  // namespace goban::cuda
