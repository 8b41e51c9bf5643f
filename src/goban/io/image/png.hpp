#pragma once
// Grey PNG files as data.

#include <filesystem>

#include "goban/io/file/array_view.hpp"
#include "goban/io/image/plane_layout.hpp"

namespace goban {

/// The layout of what read_grey_png gives; pixels are not unpacked. Error(files) likewise.
PlaneLayout grey_png_layout(const std::filesystem::path& path);

/// Reads a grey PNG as data: 1 to 8 bits as uint8, 16 bits as int32, values as stored. Row r from
/// the top is y = r. Error(files) for colour, and for damaged or truncated files.
Array read_grey_png(const std::filesystem::path& path);

}  // namespace goban
