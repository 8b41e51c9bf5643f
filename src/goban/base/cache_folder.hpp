#pragma once
// Where what was found out about a machine is kept for later runs.

#include <filesystem>

namespace goban {

/// goban's folder of XDG_CACHE_HOME or ~/.cache; empty if there is none of them.
std::filesystem::path cache_folder();

}  // namespace goban
