#pragma once
// NumPy's array files (.npy, format versions 1 and 2).
//
// The last NumPy axis is x whatever the memory order: shape (z, y, x), (y, x) or (x). A fourth
// axis holds components: (z, y, x, component), as in the snapshots.

#include <filesystem>
#include <functional>

#include "goban/io/array_view.hpp"

namespace goban {

/// Reads |u1, <i4, <f2, <f4 or <f8 with one to four axes, C or Fortran order. Error(files) for
/// anything else and for a file shorter or longer than its header says; memory is taken only after
/// the header agrees with the size of the file.
Array read_npy(const std::filesystem::path& path);

/// Writes version 1, C order, shape (z, y, x) or, with several components, (z, y, x, component).
/// The file appears whole or not at all.
void write_npy(const std::filesystem::path& path, const ArrayView& array);

/// Fills `out` with planes first <= z < first + planes in that order.
using PlaneSource = std::function<void(Index first, Index planes, std::byte* out)>;

/// The same from planes made on demand; returns the position of the first value in the file, bytes.
Index write_npy(const std::filesystem::path& path, ElementType type, Index3 extents, int components,
                const PlaneSource& planes);

}  // namespace goban
