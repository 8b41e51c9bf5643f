#pragma once
// PNG files.

#include <filesystem>

#include "goban/io/file/array_view.hpp"
#include "goban/io/image/image.hpp"
#include "goban/io/image/plane_layout.hpp"

namespace goban {

/// Writes 8 bits a channel; the file appears whole or not at all. Error(files).
void write_png(const std::filesystem::path& path, const Image& image);

/// Reads a PNG of 8 bits a channel (palettes are resolved). Error(files) if it is damaged,
/// truncated or has 16 bits.
Image read_png(const std::filesystem::path& path);

/// What read_grey_png gives, whose pixels are not unpacked. Error(files) likewise.
PlaneLayout grey_png_layout(const std::filesystem::path& path);

/// Reads a grey PNG as data: 1 to 8 bits as uint8, 16 bits as int32, values as stored. Row r from
/// the top is y = r. Error(files) for colour, and for damaged or truncated files.
Array read_grey_png(const std::filesystem::path& path);

}  // namespace goban
