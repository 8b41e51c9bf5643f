#pragma once
// Images whose planes are unpacked one by one: PNG, TIFF and directories of them.

#include <filesystem>
#include <memory>
#include <vector>

#include "goban/io/image/image_source.hpp"

namespace goban {

/// Whether a name ends like that of a PNG or TIFF file, which a stack is made of.
bool is_plane_file(const std::filesystem::path& path);

/// The PNG and TIFF files of a directory in the order of their names, numbers in them by value:
/// "s2.png" before "s10.png". Error(files).
std::vector<std::filesystem::path> plane_files_in(const std::filesystem::path& directory);

/// The pages of these files one above the other: page n is plane z = n, row r from the top is y =
/// r. Values are those of read_grey_png() and TiffFile. What the first file is, is read now, pixels
/// when they are asked for. Error(files) if there is no file, one cannot be read, or, when it is,
/// one differs in size or type from the first.
std::shared_ptr<ImageSource> open_plane_stack(std::vector<std::filesystem::path> files);

}  // namespace goban
