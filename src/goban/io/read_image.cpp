#include "goban/io/read_image.hpp"

#include <fmt/format.h>

#include <system_error>

#include "goban/base/error.hpp"
#include "goban/io/npy.hpp"
#include "goban/io/png.hpp"
#include "goban/io/png_stack.hpp"
#include "goban/io/raw_image.hpp"

namespace goban {
namespace {

Array read_any(const std::filesystem::path& path, const ImageExpectation& expected) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return read_png_stack(path);
  if (path.extension() == ".npy") return read_npy(path);
  if (path.extension() == ".png" || path.extension() == ".PNG") return read_grey_png(path);
  require(expected.extents.has_value(),
          fmt::format("the extents of {} are not known", path.string()),
          "a raw image has no header", "give them in the case, or convert the image to .npy");
  return read_raw_image(path, *expected.extents, expected.type.value_or(ElementType::uint8));
}

}  // namespace

Array read_image(const std::filesystem::path& path, const ImageExpectation& expected) {
  Array image = read_any(path, expected);
  if (image.components != 1)
    throw Error(ExitCode::files, fmt::format("cannot read {}", path.string()),
                fmt::format("it has {} components", image.components),
                "an image has one value a cell");
  if (expected.extents)
    require(image.extents == *expected.extents, fmt::format("image {} does not fit", path.string()),
            fmt::format("it has {} cells, the grid {}", text_of(image.extents),
                        text_of(*expected.extents)),
            "make them equal; images are not resampled");
  if (expected.type)
    require(image.type == *expected.type,
            fmt::format("image {} holds {}, not {}", path.string(), name_of(image.type),
                        name_of(*expected.type)),
            {}, "convert it, or leave the type out of the case");
  return image;
}

}  // namespace goban
