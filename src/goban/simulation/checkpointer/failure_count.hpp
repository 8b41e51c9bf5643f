#pragma once
// How often a run has died: a number in its directory.

#include <filesystem>

#include "goban/base/types.hpp"

namespace goban {

inline constexpr const char* failure_file = ".failures";

/// The process dies.
void count_failure(const std::filesystem::path& directory);

/// Counts one more where the last process of the run that goes on has died without a word; begins
/// anew with a run that does not. For the first rank, before STATUS is written. Error (files).
Index failures_so_far(const std::filesystem::path& directory, bool continues);

}  // namespace goban
