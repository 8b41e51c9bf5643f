#pragma once
// The ways a sweep can be launched on a device, and how they are written down.

#include <optional>
#include <string>
#include <vector>

#include "goban/backend/device_shape.hpp"

namespace goban::cuda {

/// How a kernel is launched.
struct LaunchShape {
  /// The order in which blocks of threads come: plane by plane, or slab of rows by slab of rows, so
  /// that what neighbours share is still in the cache.
  enum class Order : std::uint8_t { by_size, planes, slabs };
  /// Threads of a block along the fastest, middle and slowest axis; 0: as in
  /// DeviceShape::threads().
  std::array<int, 3> threads{};
  Order order = Order::by_size;
  bool operator==(const LaunchShape&) const = default;
};

/// Which kernel of a functor, in which shape.
struct LaunchChoice {
  bool march = false;   ///< tiles that march through the planes, else
  ThreadBlock block{};  ///< rows and planes a thread, in this shape
  LaunchShape shape{};
  int pack = 0;  ///< cells of a pack, fewer than DeviceShape::width; 0: as many
  bool operator==(const LaunchChoice&) const = default;
  bool is_same_kernel(const LaunchChoice& other) const {
    return march == other.march && block == other.block && pack == other.pack;
  }
};

/// As "2x4 32x8x1 slabs", or "1x2x4 32x8x1 slabs" with packs of one cell; "march" has no shape.
std::string text_of(const LaunchChoice& choice);
std::optional<LaunchChoice> launch_choice(const std::string& text);

/// Error (ExitCode::usage): not what Settings::launches may be.
void check_launches(const std::string& text);

/// What to try for a sweep over `cells` (along the fastest, middle and slowest axis); the first is
/// what goban would choose without trying: so many cells a thread that there are still threads for
/// the whole device.
std::vector<LaunchChoice> launch_choices(const DeviceShape& shape, bool has_mask,
                                         const std::array<Index, 3>& cells);

/// Threads of a block, for a sweep that takes so many along the fastest, middle and slowest axis.
/// Those beyond the ends of short rows take the next rows instead, and of few rows the next planes;
/// where there are few blocks for the multiprocessors, they are smaller.
std::array<int, 3> threads_of_block(const DeviceShape& shape, const std::array<int, 3>& needed,
                                    int multiprocessors);

}  // namespace goban::cuda
