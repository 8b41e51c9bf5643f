#pragma once
// NumPy's array files (.npy, format versions 1 and 2).
//
// The last NumPy axis is x whatever the memory order: shape (z, y, x), (y, x) or (x). A fourth
// axis holds components: (z, y, x, component), as in the snapshots.

#include <filesystem>

#include "goban/grid/blocks.hpp"
#include "goban/io/file/array_view.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/file_ranks.hpp"
#include "goban/io/file/stored_type.hpp"

namespace goban {

/// Where the values of a file lie: strides in elements from its byte `begin` on.
struct NpyLayout {
  StoredType stored;
  Index3 extents = {1, 1, 1};
  int components = 1;
  Index begin = 0;
  Index3 strides = {1, 1, 1};
  Index component_stride = 0;
};

/// The file holds truth values, integers or reals of up to 64 bits, in either order of bytes, with
/// one to four axes in C or Fortran order. Error(files) for anything else and for a file shorter or
/// longer than its header says.
NpyLayout read_npy_layout(const InputFile& file);

/// Reads all of it, as kept_as() says; memory is taken only after the header agrees with the size
/// of the file.
Array read_npy(const std::filesystem::path& path);

/// Writes version 1, C order, shape (z, y, x) or, with several components, (z, y, x, component).
/// The file appears whole or not at all.
void write_npy(const std::filesystem::path& path, const ArrayView& array);

/// Collective. The same of values made on demand, box after box: as a dense array but for the
/// components, which are innermost. Returns the position of the first value, bytes.
Index write_npy(const std::filesystem::path& path, ElementType type, Index3 extents, int components,
                const BoxSource& stored_values, const FileRanks& ranks = {});

}  // namespace goban
