#pragma once
// Where what was found out about GPUs is kept for later runs.

#include <filesystem>

namespace goban::cuda {

/// goban's folder of XDG_CACHE_HOME or ~/.cache; empty if there is none of them.
std::filesystem::path cache_folder();

}  // namespace goban::cuda
