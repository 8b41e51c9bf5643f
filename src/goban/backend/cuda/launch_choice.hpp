#pragma once
// The ways a sweep can be launched on a device, and how they are written down.

#include <optional>
#include <string>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban::cuda {

/// Which kernel of a functor, in which shape.
struct LaunchChoice {
  bool march = false;              ///< tiles that march through the planes, else
  std::array<int, 2> block{1, 1};  ///< rows and planes a thread, in this shape
  LaunchShape shape;
  bool operator==(const LaunchChoice&) const = default;
};

/// As "2x4 32x8x1 slabs"; "march" has no shape.
std::string text_of(const LaunchChoice& choice);
std::optional<LaunchChoice> launch_choice(const std::string& text);

/// Error (ExitCode::usage): not what Settings::launches may be.
void check_launches(const std::string& text);

/// The kernel that evaluates such blocks; null if there is none.
DeviceFunction kernel_of(const DeviceKernels& kernels, const std::array<int, 2>& block);

/// What to try for a sweep over `cells` (along the fastest, middle and slowest axis); the first is
/// what goban would choose without trying.
std::vector<LaunchChoice> launch_choices(const Stage& stage, const std::array<Index, 3>& cells);

}  // namespace goban::cuda
