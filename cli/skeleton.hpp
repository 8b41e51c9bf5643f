#pragma once
// The files of a new application.

#include <filesystem>
#include <string>
#include <vector>

namespace goban::cli {

struct SkeletonFile {
  std::filesystem::path path;  ///< relative to the project
  std::string text;
};

/// A project that builds against an installed goban: an application of one functor, a case, a test.
/// `name` is a lower-case identifier.
std::vector<SkeletonFile> skeleton(const std::string& name);

}  // namespace goban::cli
