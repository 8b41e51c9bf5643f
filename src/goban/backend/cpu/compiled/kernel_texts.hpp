#pragma once
// The texts of src/goban/backend/cpu/kernels, as the library holds them.

#include "goban/backend/compiled/kernel_text.hpp"

namespace goban::cpu {

/// All of them, each named as its file: "rows.hpp". Made by cmake/kernel_texts.cmake.
std::span<const KernelText> kernel_texts();

}  // namespace goban::cpu
