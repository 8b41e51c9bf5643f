#pragma once
// Where the nodes of a run keep files: "/local/goban", or "/scratch/{node}" and "/scratch/{rank}",
// where the number of the machine or of the rank stands for the word in braces.

#include <filesystem>
#include <string>
#include <vector>

#include "goban/base/communicator.hpp"

namespace goban {

/// Numbers of what fails as one, per rank: of their machines, or their own.
std::vector<int> nodes_of(const std::string& pattern, const Communicator& communicator);

/// The folder of a rank.
std::filesystem::path folder_of(const std::string& pattern, const Communicator& communicator,
                                int rank);

/// Folders of any number that are there, as this machine sees them.
std::vector<std::filesystem::path> folders_there(const std::string& pattern);

}  // namespace goban
