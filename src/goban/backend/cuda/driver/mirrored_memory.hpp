#pragma once
// Mirrored buffers of a GPU: memory mapped twice in a row, so that a ring can be read and written
// as if it were straight.

#include <cstddef>
#include <memory>
#include <vector>

namespace goban::cuda {

/// Allocates `bytes` of the device, mapped twice back to back and accessible to `peers`, too.
/// `bytes` must be a multiple of mirrored_page(). Returns null if there is not enough memory.
/// Throws an Error (ExitCode::resources) if the driver refuses.
std::shared_ptr<std::byte> allocate_mirrored(int device, const std::vector<int>& peers,
                                             std::size_t bytes);
std::size_t mirrored_page(int device);

}  // namespace goban::cuda
