#pragma once
// The texts of src/goban/backend/cuda/kernels, as the library holds them.

#include <span>

#include "goban/backend/cuda/driver/nvrtc.hpp"

namespace goban::cuda {

/// All of them, each named as its file: "dependent_launch.cuh". Made by cmake/kernel_texts.cmake.
std::span<const KernelText> kernel_texts();

}  // namespace goban::cuda
