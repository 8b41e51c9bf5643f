#pragma once
// Images without a header: values one after the other, x fastest, little endian.

#include <filesystem>

#include "goban/io/array_view.hpp"

namespace goban {

/// Reads a file that holds exactly extents[0] extents[1] extents[2] values of `type`. Error(usage)
/// with both sizes if it is larger or smaller, Error(files) if it cannot be read.
Array read_raw_image(const std::filesystem::path& path, Index3 extents, ElementType type);

}  // namespace goban
