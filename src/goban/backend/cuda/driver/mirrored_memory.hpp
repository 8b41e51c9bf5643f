#pragma once
// Memory of a GPU that repeats itself: a ring that is read and written as if it were straight.

#include <cstddef>
#include <memory>
#include <vector>

namespace goban::cuda {

/// `bytes` of the device mapped twice, back to back, within reach of `peers` too. A multiple of
/// mirrored_page(). Null if there is not as much free. Error (ExitCode::resources): the driver
/// refuses.
std::shared_ptr<std::byte> allocate_mirrored(int device, const std::vector<int>& peers,
                                             std::size_t bytes);
std::size_t mirrored_page(int device);

}  // namespace goban::cuda
