#include "goban/io/image/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <array>
#include <csetjmp>
#include <cstring>
#include <span>

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

extern "C" void take_bytes(png_structp png, png_bytep bytes, png_size_t count) {
  auto* source = static_cast<std::span<const std::byte>*>(png_get_io_ptr(png));
  if (count > source->size()) png_error(png, "the file is cut short");
  std::memcpy(bytes, source->data(), count);
  *source = source->subspan(count);
}

struct Layout {
  png_uint_32 width = 0;
  png_uint_32 height = 0;
  int channels = 0;
  int bits = 0;  ///< a channel as stored
  std::size_t row_bytes = 0;
};

bool decode_header(png_structp png, png_infop info, Layout* layout) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_user_limits(png, largest_side, largest_side);
  png_read_info(png, info);
  layout->width = png_get_image_width(png, info);
  layout->height = png_get_image_height(png, info);
  layout->bits = png_get_bit_depth(png, info);
  if (png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
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
