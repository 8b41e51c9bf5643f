#pragma once
// The ways a sweep can be launched on a device, and how they are written down.

#include <optional>
#include <string>
#include <vector>

#include "goban/backend/device_shape.hpp"

namespace goban::cuda {

/// How a kernel is launched.
struct LaunchShape {
  /// In which blocks of threads come: plane by plane, or slab of rows by slab of rows, so that what
  /// neighbours share is still in the cache.
  enum class Order : std::uint8_t { by_size, planes, slabs };
  /// Of a block, along the fastest, middle and slowest axis; 0: DeviceShape::threads().
  std::array<int, 3> threads{};
  Order order = Order::by_size;
  bool operator==(const LaunchShape&) const = default;
};

/// Which kernel of a functor, in which shape.
struct LaunchChoice {
  bool march = false;  ///< tiles that march through the planes, else
  ThreadBlock block;   ///< rows and planes a thread, in this shape
  LaunchShape shape;
  bool operator==(const LaunchChoice&) const = default;
};

/// As "2x4 32x8x1 slabs"; "march" has no shape.
std::string text_of(const LaunchChoice& choice);
std::optional<LaunchChoice> launch_choice(const std::string& text);

/// Error (ExitCode::usage): not what Settings::launches may be.
void check_launches(const std::string& text);

/// What to try for a sweep over `cells` (along the fastest, middle and slowest axis); the first is
/// what goban would choose without trying.
std::vector<LaunchChoice> launch_choices(const DeviceShape& shape, bool has_mask,
                                         const std::array<Index, 3>& cells);

}  // namespace goban::cuda
