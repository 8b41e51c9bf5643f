#include "goban/io/image/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <array>
#include <csetjmp>
#include <cstring>
#include <span>

#include "goban/base/error.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"

// libpng reports errors by longjmp. It crosses only the small functions below that begin with
// setjmp and own nothing; what owns memory lives in their callers.

namespace goban {
namespace {

constexpr png_uint_32 largest_side = 1'000'000;
/// Deflate packs at most 1032 to 1; a header that promises more lies.
constexpr Index best_compression = 1032;

struct Message {
  std::array<char, 200> text{};
};

extern "C" void keep_error(png_structp png, png_const_charp text) {
  auto* message = static_cast<Message*>(png_get_error_ptr(png));
  std::strncpy(message->text.data(), text, message->text.size() - 1);
  std::longjmp(png_jmpbuf(png), 1);
}

extern "C" void ignore_warning(png_structp, png_const_charp) {}

extern "C" void append_bytes(png_structp png, png_bytep bytes, png_size_t count) {
  auto* sink = static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
  bool failed = false;
  try {
    const auto* begin = reinterpret_cast<const std::byte*>(bytes);
    sink->insert(sink->end(), begin, begin + count);
  } catch (...) {
    failed = true;
  }
  if (failed) png_error(png, "out of memory");
}

extern "C" void flush_nothing(png_structp) {}

extern "C" void take_bytes(png_structp png, png_bytep bytes, png_size_t count) {
  auto* source = static_cast<std::span<const std::byte>*>(png_get_io_ptr(png));
  if (count > source->size()) png_error(png, "the file is cut short");
  std::memcpy(bytes, source->data(), count);
  *source = source->subspan(count);
}

bool encode(png_structp png, png_infop info, const Image& image, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  constexpr int color_types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8, color_types[image.channels - 1],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_rows(png, info, rows);
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  return true;
}

struct Layout {
  png_uint_32 width = 0;
  png_uint_32 height = 0;
  int channels = 0;
  int bits = 0;  ///< a channel as stored
  bool palette = false;
  std::size_t row_bytes = 0;
};

bool decode_header(png_structp png, png_infop info, Layout* layout) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_user_limits(png, largest_side, largest_side);
  png_read_info(png, info);
  layout->width = png_get_image_width(png, info);
  layout->height = png_get_image_height(png, info);
  layout->bits = png_get_bit_depth(png, info);
  layout->palette = png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE;
  if (layout->palette) png_set_palette_to_rgb(png);
  if (layout->bits < 8) png_set_packing(png);
  if (layout->bits == 16) png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  layout->channels = png_get_channels(png, info);
  layout->row_bytes = png_get_rowbytes(png, info);
  return true;
}

bool decode_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

struct WriteState {
  Message message;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, keep_error, ignore_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  ~WriteState() { png_destroy_write_struct(&png, &info); }
};

struct ReadState {
  Message message;
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &message, keep_error, ignore_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  ~ReadState() { png_destroy_read_struct(&png, &info, nullptr); }
};

/// A file whose header is read first, its pixels when they are asked for.
class Decoder {
 public:
  explicit Decoder(const std::filesystem::path& path) : path_(path), file_(read_bytes(path)) {
    if (file_.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(file_.data()), 0, 8) != 0)
      throw_unreadable(path, "it is not a PNG file");
    if (state_.info == nullptr) throw std::bad_alloc();
    png_set_read_fn(state_.png, &source_, take_bytes);
    if (!decode_header(state_.png, state_.info, &layout_))
      throw_unreadable(path, state_.message.text.data());
  }
  Decoder(const Decoder&) = delete;

  const Layout& layout() const { return layout_; }

  /// Rows as libpng delivers them; 16-bit samples in native order.
  std::vector<png_byte> pixels() {
    const auto size = static_cast<Index>(file_.size());
    const Index pixels = Index{layout_.width} * Index{layout_.height};
    if (pixels / best_compression > size * 8)
      throw_unreadable(path_, fmt::format("{} x {} pixels cannot come from {}", layout_.width,
                                          layout_.height, byte_text(size)));
    std::vector<png_byte> bytes(layout_.row_bytes * layout_.height);
    std::vector<png_bytep> rows(layout_.height);
    for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = bytes.data() + y * layout_.row_bytes;
    if (!decode_rows(state_.png, rows.data())) throw_unreadable(path_, state_.message.text.data());
    return bytes;
  }

 private:
  const std::filesystem::path& path_;
  std::vector<std::byte> file_;
  std::span<const std::byte> source_ = file_;
  ReadState state_;
  Layout layout_;
};

PlaneLayout plane_layout(const std::filesystem::path& path, const Layout& layout) {
  if (layout.channels != 1)
    throw_unreadable(path, fmt::format("it has {} channels", layout.channels),
                     "save it as a grey image without transparency");
  return {layout.bits == 16 ? ElementType::int32 : ElementType::uint8,
          {Index{layout.width}, Index{layout.height}, 1}};
}

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image) {
  require(
      image.channels >= 1 && image.channels <= 4 && image.width > 0 && image.height > 0 &&
          image.width <= largest_side && image.height <= largest_side &&
          static_cast<Index>(image.pixels.size()) == image.width * image.height * image.channels,
      fmt::format("an image of {} x {} pixels and {} channels cannot be written", image.width,
                  image.height, image.channels));
  std::vector<png_bytep> rows(static_cast<std::size_t>(image.height));
  for (Index y = 0; y < image.height; ++y)
    rows[static_cast<std::size_t>(y)] = const_cast<png_bytep>(image.at(0, y));
  std::vector<std::byte> bytes;
  WriteState state;
  if (state.info == nullptr) throw std::bad_alloc();
  png_set_write_fn(state.png, &bytes, append_bytes, flush_nothing);
  if (!encode(state.png, state.info, image, rows.data()))
    throw Error(ExitCode::files, fmt::format("cannot write {}", path.string()),
                state.message.text.data());
  AtomicFile file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

Image read_png(const std::filesystem::path& path) {
  Decoder decoder(path);
  const Layout& layout = decoder.layout();
  if (layout.bits == 16) throw_unreadable(path, "it has 16 bits a channel", "save it with 8 bits");
  const auto bytes = decoder.pixels();
  Image image(layout.width, layout.height, layout.channels);
  const auto scale = layout.palette ? 1 : 255 / ((1 << layout.bits) - 1);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    image.pixels[i] = static_cast<std::uint8_t>(bytes[i] * scale);
  return image;
}

PlaneLayout grey_png_layout(const std::filesystem::path& path) {
  return plane_layout(path, Decoder(path).layout());
}

Array read_grey_png(const std::filesystem::path& path) {
  Decoder decoder(path);
  const auto [type, extents] = plane_layout(path, decoder.layout());
  const auto bytes = decoder.pixels();
  Array array(type, extents, 1, path.stem().string());
  if (type == ElementType::uint8) {
    std::memcpy(array.bytes.data(), bytes.data(), bytes.size());
  } else {
    const auto values = array.as<std::int32_t>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint16_t value = 0;
      std::memcpy(&value, bytes.data() + 2 * i, 2);
      values[i] = value;
    }
  }
  return array;
}

}  // namespace goban
