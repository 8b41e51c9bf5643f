#pragma once
// The candidates for launching a sweep on a device, and their text form. SweepLauncher chooses
// among them, by trials or from memory.

#include <optional>
#include <string>
#include <vector>

#include "goban/backend/device_shape.hpp"

namespace goban::cuda {

/// The threads and the order of blocks with which a kernel is launched.
struct LaunchShape {
  /// The order in which blocks of threads run: plane by plane, or slab of rows by slab of rows, so
  /// that what neighbours share is still in the cache; by_size decides by the size of planes.
  enum class Order : std::uint8_t { by_size, planes, slabs };
  /// Threads of a block along the fastest, middle and slowest axis; 0 stands for
  /// DeviceShape::threads().
  std::array<int, 3> threads{};
  Order order = Order::by_size;
  bool operator==(const LaunchShape&) const = default;
};

/// A kernel of a functor and the shape of its launch.
struct LaunchChoice {
  bool march = false;   ///< use the kernel whose tiles march through the planes; else
  ThreadBlock block{};  ///< rows and planes per thread
  LaunchShape shape{};
  int pack = 0;  ///< cells per pack if fewer than DeviceShape::width; 0: that many
  bool operator==(const LaunchChoice&) const = default;
  bool is_same_kernel(const LaunchChoice& other) const {
    return march == other.march && block == other.block && pack == other.pack;
  }
};

/// Convert a choice to text and back: "2x4 32x8x1 slabs", "1x2x4 32x8x1 slabs" for packs of one
/// cell, or "march", which has no shape.
std::string text_of(const LaunchChoice& choice);
std::optional<LaunchChoice> launch_choice(const std::string& text);

/// Throws an Error (ExitCode::usage) if the text is no valid Settings::launches.
void check_launches(const std::string& text);

/// Returns the choices to try for a sweep over `cells` (along the fastest, middle and slowest
/// axis). `may_march`: the sweep has no mask and the device has a copy engine. The first choice is
/// the one to take without trials: as many cells per thread as leave enough threads for the whole
/// device.
std::vector<LaunchChoice> launch_choices(const DeviceShape& shape, bool may_march,
                                         const std::array<Index, 3>& cells);

/// Returns the threads of a block for a sweep that needs this number of threads along the fastest,
/// middle and slowest axis. Threads beyond the ends of short rows take the next rows instead, and
/// those beyond few rows the next planes. Blocks are smaller if there are few for the
/// multiprocessors.
std::array<int, 3> threads_of_block(const DeviceShape& shape, const std::array<int, 3>& needed,
                                    int multiprocessors);

}  // namespace goban::cuda
