#pragma once
// How the threads of GPUs access memory, as text.

#include "goban/backend/generator/kernel_body.hpp"

namespace goban::cuda {

/// Returns the name of the function of kernels that finds a cell of a field.
const char* cell_function(const KernelSubject& subject);
/// Returns the lines of a functor's computation for some cells of one thread.
std::string body_text(const KernelSubject& subject, const KernelCells& cells);

}  // namespace goban::cuda
