#pragma once
// Input images: what a medium is made of, cell by cell.

#include <filesystem>
#include <optional>

#include "goban/io/array_view.hpp"

namespace goban {

/// What an image is expected to be.
struct ImageExpectation {
  std::optional<Index3> extents = {};    ///< cells of the grid; needed for raw files
  std::optional<ElementType> type = {};  ///< of raw files uint8 if not said, else as it comes
};

/// Reads a directory of PNG files (read_png_stack), one .png, a .npy (read_npy), or any other file
/// as raw values (read_raw_image). Values stay as stored; nothing is resampled, scaled or turned:
/// Error(usage) if the image differs from what is expected, with both sizes. Error(files) if it
/// cannot be read or has several components.
Array read_image(const std::filesystem::path& path, const ImageExpectation& expected = {});

}  // namespace goban
