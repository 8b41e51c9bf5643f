#pragma once
// The texts of src/goban/backend/cpu/kernels, which the library contains.

#include "goban/backend/compiled/kernel_text.hpp"

namespace goban::cpu {

/// Returns all texts, each with the name of its file, "rows.hpp". The function is written by
/// cmake/kernel_texts.cmake.
std::span<const KernelText> kernel_texts();

}  // namespace goban::cpu
