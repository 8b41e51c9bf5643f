#include "goban/io/raw_image.hpp"

#include <fmt/format.h>

#include "goban/base/error.hpp"
#include "goban/io/file.hpp"

namespace goban {

Array read_raw_image(const std::filesystem::path& path, Index3 extents, ElementType type) {
  const Index needed = byte_count(type, extents, 1);
  const Index available = size_of_file(path);
  require(available == needed, fmt::format("image {} does not fit", path.string()),
          fmt::format("{} cells of {} are {} bytes, the file has {}", text_of(extents),
                      name_of(type), needed, available),
          "check the extents and the element type; images are not resampled");
  Array array;
  array.type = type;
  array.extents = extents;
  array.bytes = read_bytes(path, needed);
  array.name = path.stem().string();
  if (static_cast<Index>(array.bytes.size()) != needed)
    throw Error(ExitCode::files, fmt::format("cannot read {}", path.string()),
                "it became shorter meanwhile");
  return array;
}

}  // namespace goban
