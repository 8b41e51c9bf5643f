#pragma once
// Looks for libraries of CUDA, which no build needs, where toolkits and packages of Python put
// them.

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <vector>

namespace goban::cuda {

/// Returns the folders in which libraries of CUDA may lie, besides those that the loader knows, the
/// likeliest first: of toolkits and of Python's packages. `variable` is std::getenv, or a
/// replacement in tests.
std::vector<std::filesystem::path> cuda_folders(
    const std::function<const char*(const char*)>& variable);

/// Calls `open` with these names for the loader, then with the files of these names in all folders,
/// until it returns true. Returns whether it did.
bool find_cuda_library(std::initializer_list<const char*> names,
                       const std::function<bool(const std::filesystem::path&)>& open);

}  // namespace goban::cuda
