#pragma once
// A volume as a directory of PNG files, one plane each.

#include <filesystem>
#include <memory>
#include <vector>

#include "goban/io/image/image_source.hpp"

namespace goban {

/// The *.png files of a directory in the order of their names, numbers in them by value:
/// "s2.png" before "s10.png". Error(files).
std::vector<std::filesystem::path> png_files_in(const std::filesystem::path& directory);

/// Grey planes of 8 or fewer bits as uint8, of 16 bits as int32: file n is plane z = n, row r from
/// the top is y = r. Error(files) if there is none, one cannot be read, or, when it is, one differs
/// in size or depth from the first.
std::shared_ptr<ImageSource> open_png_stack(const std::filesystem::path& directory);

}  // namespace goban
