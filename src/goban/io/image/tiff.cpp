#include "goban/io/image/tiff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "goban/base/error.hpp"
#include "goban/base/found_library.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

using Handler = void (*)(const char*, const char*, std::va_list);

/// What libtiff said last, of this thread.
thread_local std::array<char, 200> said;

void keep_words(const char*, const char* format, std::va_list values) {
  std::vsnprintf(said.data(), said.size(), format, values);
}

/// What goban calls of libtiff 4.
struct Library {
  void* (*open)(const char*, const char*) = nullptr;
  void (*close)(void*) = nullptr;
  int (*field)(void*, std::uint32_t, ...) = nullptr;
  int (*field_or_default)(void*, std::uint32_t, ...) = nullptr;
  int (*next_directory)(void*) = nullptr;
  int (*go_to)(void*, std::uint64_t) = nullptr;
  std::uint64_t (*offset)(void*) = nullptr;
  int (*is_tiled)(void*) = nullptr;
  std::int64_t (*strip_size)(void*) = nullptr;
  std::int64_t (*tile_size)(void*) = nullptr;
  std::int64_t (*read_strip)(void*, std::uint32_t, void*, std::int64_t) = nullptr;
  std::int64_t (*read_tile)(void*, std::uint32_t, void*, std::int64_t) = nullptr;
  Handler (*set_error_handler)(Handler) = nullptr;
  Handler (*set_warning_handler)(Handler) = nullptr;

  Library() {
    FoundLibrary library({"libtiff.so.6", "libtiff.so.5", "libtiff.so"});
    library.find(open, "TIFFOpen");
    library.find(close, "TIFFClose");
    library.find(field, "TIFFGetField");
    library.find(field_or_default, "TIFFGetFieldDefaulted");
    library.find(next_directory, "TIFFReadDirectory");
    library.find(go_to, "TIFFSetSubDirectory");
    library.find(offset, "TIFFCurrentDirOffset");
    library.find(is_tiled, "TIFFIsTiled");
    library.find(strip_size, "TIFFStripSize");
    library.find(tile_size, "TIFFTileSize");
    library.find(read_strip, "TIFFReadEncodedStrip");
    library.find(read_tile, "TIFFReadEncodedTile");
    library.find(set_error_handler, "TIFFSetErrorHandler");
    library.find(set_warning_handler, "TIFFSetWarningHandler");
    if (!library.refusal().empty()) {
      throw Error(ExitCode::resources, "TIFF files cannot be read", library.refusal(),
                  "install libtiff6, or convert the image to NPY or PNG");
    }
    set_error_handler(keep_words);
    set_warning_handler(nullptr);
  }
};

const Library& tiff() {
  static const Library library;
  return library;
}

// Tags of TIFF 6.0 and their values.
enum Tag : std::uint32_t {
  subfile_type = 254,
  image_width = 256,
  image_length = 257,
  bits_per_sample = 258,
  photometric = 262,
  samples_per_pixel = 277,
  rows_per_strip = 278,
  tile_width = 322,
  tile_length = 323,
  sample_format = 339
};
constexpr std::uint32_t is_preview = 1;
enum Photometric : std::uint16_t { white_is_zero = 0, black_is_zero = 1 };
enum Format : std::uint16_t { natural = 1, integer = 2, real = 3, untyped = 4 };

constexpr std::uint32_t longest_side = 1'000'000;

template <class T>
T number(void* file, Tag tag) {
  T value{};
  tiff().field_or_default(file, tag, &value);
  return value;
}

std::string last_words() {
  const std::string text(said.data(), ::strnlen(said.data(), said.size()));
  return text.empty() ? "it is not a TIFF file" : text;
}

Index row_bytes(Index width, int bits) { return (width * bits + 7) / 8; }

}  // namespace

void TiffFile::Close::operator()(void* file) const { tiff().close(file); }

TiffFile::TiffFile(const std::filesystem::path& path) : path_(path) {
  size_of_file(path);  // says better than libtiff what is wrong
  said = {};
  file_.reset(tiff().open(path.c_str(), "r"));
  if (!file_) throw_unreadable(path, last_words());
  do {
    if ((number<std::uint32_t>(file_.get(), subfile_type) & is_preview) == 0)
      pages_.push_back(look());
  } while (tiff().next_directory(file_.get()) != 0);
  if (said[0] != '\0') throw_unreadable(path, last_words());
  if (pages_.empty()) throw_unreadable(path, "it has no pages");
}

const PlaneLayout& TiffFile::layout(Index page) const {
  return pages_[static_cast<std::size_t>(page)].layout;
}

TiffFile::Page TiffFile::look() const {
  void* const file = file_.get();
  const auto width = number<std::uint32_t>(file, image_width);
  const auto height = number<std::uint32_t>(file, image_length);
  const auto samples = number<std::uint16_t>(file, samples_per_pixel);
  const auto color = number<std::uint16_t>(file, photometric);
  const auto format = number<std::uint16_t>(file, sample_format);
  const int bits = number<std::uint16_t>(file, bits_per_sample);
  if (samples != 1 || (color != black_is_zero && color != white_is_zero))
    throw_unreadable(path_, "it has colours", "save it as a grey image without transparency");
  if (width == 0 || height == 0 || width > longest_side || height > longest_side)
    throw_unreadable(path_, fmt::format("{} x {} pixels are refused", width, height));
  using Kind = StoredType::Kind;
  const StoredType stored{.kind = format == real      ? Kind::real
                                  : format == integer ? Kind::integer
                                                      : Kind::natural,
                          .bytes = bits == 1 ? 1 : bits / 8};
  const bool is_bit = bits == 1 && stored.kind == Kind::natural;
  if (format > untyped || !(is_bit || (bits % 8 == 0 && is_known(stored))))
    throw_unreadable(path_,
                     fmt::format("{} bits a pixel of format {} are not supported", bits, format),
                     "save it with 8, 16 or 32 bits");
  return {tiff().offset(file), stored, bits, {kept_as(stored), {width, height, 1}}};
}

/// The rows of a page as stored, the bits of a byte as they are.
void TiffFile::unpack(const Page& page, std::vector<std::byte>& rows) const {
  void* const file = file_.get();
  const Index width = page.layout.extents[0], height = page.layout.extents[1];
  const Index row = row_bytes(width, page.bits);
  const bool is_tiled = tiff().is_tiled(file) != 0;
  const Index across = is_tiled ? number<std::uint32_t>(file, tile_width) : width;
  Index down = number<std::uint32_t>(file, is_tiled ? tile_length : rows_per_strip);
  if (across <= 0 || down <= 0 || (is_tiled && across % 8 != 0))
    throw_unreadable(path_, "the size of its strips or tiles is damaged");
  down = std::min(down, is_tiled ? down : height);
  const Index part_row = row_bytes(across, page.bits);
  const std::int64_t size = is_tiled ? tiff().tile_size(file) : tiff().strip_size(file);
  if (size < part_row * down) throw_unreadable(path_, "its strips or tiles are too small");
  std::vector<std::byte> part(static_cast<std::size_t>(size));
  std::uint32_t number = 0;
  for (Index y = 0; y < height; y += down) {
    for (Index x = 0; x < width; x += across, ++number) {
      const Index height_here = std::min(down, height - y);
      const auto read = is_tiled ? tiff().read_tile : tiff().read_strip;
      if (read(file, number, part.data(), size) < part_row * (is_tiled ? down : height_here))
        throw_unreadable(path_, last_words());
      const Index from = row_bytes(x, page.bits);
      const Index count = std::min(part_row, row - from);
      for (Index r = 0; r < height_here; ++r)
        std::memcpy(rows.data() + (y + r) * row + from, part.data() + r * part_row,
                    static_cast<std::size_t>(count));
    }
  }
}

Array TiffFile::read(Index number) const {
  const Page& page = pages_[static_cast<std::size_t>(number)];
  said = {};
  if (tiff().go_to(file_.get(), page.offset) == 0) throw_unreadable(path_, last_words());
  const Index width = page.layout.extents[0], height = page.layout.extents[1];
  const Index row = row_bytes(width, page.bits);
  std::vector<std::byte> rows(static_cast<std::size_t>(row * height));
  unpack(page, rows);
  Array plane(page.layout.type, page.layout.extents, 1, path_.stem().string());
  if (page.bits != 1) {
    convert_stored(page.stored, rows, plane.bytes, path_.string());
    return plane;
  }
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const auto byte = static_cast<unsigned>(rows[static_cast<std::size_t>(y * row + x / 8)]);
      plane.bytes[static_cast<std::size_t>(y * width + x)] =
          static_cast<std::byte>(byte >> (7 - x % 8) & 1);
    }
  }
  return plane;
}

}  // namespace goban
