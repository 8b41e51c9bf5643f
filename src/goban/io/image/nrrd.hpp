#pragma once
// NRRD files: http://teem.sourceforge.net/nrrd/format.html

#include <filesystem>

#include "goban/base/types.hpp"
#include "goban/io/file/stored_type.hpp"

namespace goban {

/// Where the values of a volume lie: one after the other, x fastest.
struct NrrdLayout {
  std::filesystem::path data;  ///< the file itself, or the one that it names
  Index begin = 0;             ///< bytes before the first value
  StoredType stored;
  Index3 extents{1, 1, 1};
};

/// Up to three axes, the first one x; values without compression, in the file or, of a .nhdr, in
/// one beside it. Error(files) for anything else, and if the file is shorter or longer than it
/// says.
NrrdLayout read_nrrd_layout(const std::filesystem::path& path);

}  // namespace goban
