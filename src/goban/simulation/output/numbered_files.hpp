#pragma once
// Files with the step in their names: <stem>.0000100<ending>.

#include <filesystem>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

std::string numbered_name(const std::string& stem, Index step, const std::string& ending);

/// The files in `directory` that belong to `stem` and end in one of `endings`, up to step `last`,
/// in the order of steps. Later ones, which a run left that was stopped after its last checkpoint,
/// are removed. Error (files).
std::vector<std::filesystem::path> keep_numbered(const std::filesystem::path& directory,
                                                 const std::string& stem,
                                                 const std::vector<std::string>& endings,
                                                 Index last);

}  // namespace goban
