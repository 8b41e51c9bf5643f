#pragma once
// Patterns in run-length encoding, the format of Golly and the LifeWiki.
//
//   #N Glider
//   x = 3, y = 3, rule = B3/S23
//   bob$2bo$3o!

#include <filesystem>
#include <optional>
#include <vector>

#include "life/model.hpp"

namespace goban::life {

struct RlePattern {
  std::vector<Index3> cells;  ///< alive; row r of the file is y = r, z is 0
  std::optional<Rule> rule;   ///< the rule that the file names
};

/// Reads a pattern, in which every state but 0 is alive. Error(files): the file holds none, does
/// not end with !, or leaves the size in its header.
RlePattern read_rle(const std::filesystem::path& path);

}  // namespace goban::life
