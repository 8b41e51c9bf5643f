#pragma once
// Files that go from rank to rank as they are.

#include <filesystem>
#include <vector>

#include "goban/base/communicator.hpp"

namespace goban {

/// The same on all ranks but for paths, which count on the rank they are for.
struct FileCopy {
  int from = 0, to = 0;
  Index bytes = 0;
  std::filesystem::path source = {}, target = {};
};

/// Collective. Each has its name when it is whole, and is durable. Error (files).
void copy_files(Communicator& communicator, const std::vector<FileCopy>& copies);

}  // namespace goban
