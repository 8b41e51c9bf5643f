#pragma once
// The texts of src/goban/backend/cuda/kernels, which the library contains.

#include <span>

#include "goban/backend/cuda/driver/nvrtc.hpp"

namespace goban::cuda {

/// Returns all texts, each with the name of its file, "dependent_launch.cuh". The function is
/// written by cmake/kernel_texts.cmake.
std::span<const KernelText> kernel_texts();

}  // namespace goban::cuda
