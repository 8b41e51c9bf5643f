#include "goban/io/file/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/characters.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/file_ranks.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "files are little endian");

constexpr std::string_view magic = "\x93NUMPY";
constexpr Index alignment = 64;
constexpr Index slab_bytes = Index{8} << 20;

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<Index> shape;
};

/// Reads the Python dictionary of the header, of which NumPy writes one form only.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  /// Empty if the text is anything but a dictionary with the three keys, each once.
  std::optional<Header> parse() {
    Header header;
    int keys = 0;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const auto key = string();
      if (!key || !take(':')) return std::nullopt;
      int bit = 0;
      if (*key == "descr") {
        const auto value = string();
        if (!value) return std::nullopt;
        header.descr = *value;
        bit = 1;
      } else if (*key == "fortran_order") {
        header.fortran_order = word("True");
        if (!header.fortran_order && !word("False")) return std::nullopt;
        bit = 2;
      } else if (*key == "shape") {
        if (!shape(header.shape)) return std::nullopt;
        bit = 4;
      }
      if (bit == 0 || (keys & bit) != 0) return std::nullopt;
      keys |= bit;
      if (!take(',') && !peek('}')) return std::nullopt;
    }
    skip_space();
    if (keys != 7 || !text_.empty()) return std::nullopt;
    return header;
  }

 private:
  void skip_space() {
    const auto begin = text_.find_first_not_of(" \n\t");
    text_.remove_prefix(std::min(begin, text_.size()));
  }
  bool peek(char c) {
    skip_space();
    return !text_.empty() && text_.front() == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view expected) {
    skip_space();
    if (!text_.starts_with(expected)) return false;
    text_.remove_prefix(expected.size());
    return true;
  }
  std::optional<std::string> string() {
    const char quote = peek('"') ? '"' : '\'';
    if (!take(quote)) return std::nullopt;
    const auto end = text_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    for (const char c : value)
      if (c < ' ' || c > '~') return std::nullopt;
    return value;
  }
  bool shape(std::vector<Index>& extents) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip_space();
      Index extent = 0;
      const auto [end, code] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (code != std::errc{} || extents.size() == 32) return false;
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      extents.push_back(extent);
      if (!take(',') && !peek(')')) return false;
    }
    return true;
  }

  std::string_view text_;
};

/// "<f4", "|b1", ">u2"
std::optional<StoredType> type_of(std::string_view descr) {
  StoredType stored;
  if (!descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos) {
    stored.is_big_endian = descr.front() == '>';
    descr.remove_prefix(1);
  }
  if (descr.size() != 2 || !is_digit(descr[1])) return std::nullopt;
  stored.bytes = descr[1] - '0';
  switch (descr[0]) {
    case 'b':
      if (stored.bytes != 1) return std::nullopt;
      break;
    case 'u': break;
    case 'i': stored.kind = StoredType::Kind::integer; break;
    case 'f': stored.kind = StoredType::Kind::real; break;
    default: return std::nullopt;
  }
  return is_known(stored) ? std::optional(stored) : std::nullopt;
}

const char* descr_of(ElementType type) {
  switch (type) {
    case ElementType::uint8: return "|u1";
    case ElementType::int32: return "<i4";
    case ElementType::half: return "<f2";
    case ElementType::float32: return "<f4";
    default: return "<f8";
  }
}

}  // namespace

NpyLayout read_npy_layout(const InputFile& file) {
  const fs::path& path = file.path();
  std::array<char, 12> start{};
  file.read(0, start.data(), std::min<Index>(file.size(), 12));
  if (file.size() < 10 || !std::string_view(start.data(), 12).starts_with(magic))
    throw_unreadable(path, "it is not a .npy file");
  const auto byte = [&](std::size_t at) { return Index{static_cast<unsigned char>(start[at])}; };
  const Index version = byte(6);
  if (version != 1 && version != 2)
    throw_unreadable(path, fmt::format(".npy format {}.{} is not supported", version, byte(7)),
                     "save it with a plain numpy.save");
  const Index begin = version == 1 ? 10 : 12;
  Index length = byte(8) + (byte(9) << 8);
  if (version == 2) length += (byte(10) << 16) + (byte(11) << 24);
  if (length > file.size() - begin) throw_unreadable(path, "the .npy header is cut short");
  std::string text(static_cast<std::size_t>(length), '\0');
  file.read(begin, text.data(), length);

  const auto header = HeaderParser(text).parse();
  if (!header) throw_unreadable(path, "the .npy header is damaged");
  const auto type = type_of(header->descr);
  if (!type)
    throw_unreadable(path, fmt::format("element type '{}' is not supported", header->descr),
                     "convert it with astype to integers or reals of up to 64 bits");
  const std::vector<Index>& shape = header->shape;
  const std::size_t axes = shape.size();
  if (axes < 1 || axes > 4)
    throw_unreadable(path, fmt::format("it has {} axes", axes),
                     "save it with shape (z, y, x) or (z, y, x, component)");
  Index payload = type->bytes;
  for (const Index extent : shape)
    if (extent <= 0 || __builtin_mul_overflow(payload, extent, &payload))
      throw_unreadable(path, fmt::format("shape ({}) is not usable", fmt::join(shape, ", ")));
  const Index available = file.size() - begin - length;
  if (payload != available)
    throw_unreadable(path, fmt::format("shape ({}) of '{}' needs {} bytes, the file holds {}",
                                       fmt::join(shape, ", "), header->descr, payload, available));

  // Strides of the NumPy axes, in elements.
  std::vector<Index> strides(axes, 1);
  if (header->fortran_order) {
    for (std::size_t a = 1; a < axes; ++a) strides[a] = strides[a - 1] * shape[a - 1];
  } else {
    for (std::size_t a = axes - 1; a > 0; --a) strides[a - 1] = strides[a] * shape[a];
  }
  const bool has_components = axes == 4;
  if (has_components && shape[3] > (1 << 20))
    throw_unreadable(path, fmt::format("{} components are too many", shape[3]));
  NpyLayout layout{.stored = *type,
                   .components = has_components ? static_cast<int>(shape[3]) : 1,
                   .begin = begin + length,
                   .component_stride = has_components ? strides[3] : 0};
  const std::size_t space_axes = std::min<std::size_t>(axes, 3);
  for (std::size_t a = 0; a < space_axes; ++a) {
    layout.extents[a] = shape[space_axes - 1 - a];
    layout.strides[a] = strides[space_axes - 1 - a];
  }
  return layout;
}

Array read_npy(const fs::path& path) {
  const InputFile file(path);
  const NpyLayout layout = read_npy_layout(file);
  const ElementType type = kept_as(layout.stored);
  const Index count =
      byte_count(type, layout.extents, layout.components) / static_cast<Index>(size_of(type));
  std::vector<std::byte> stored(static_cast<std::size_t>(count * layout.stored.bytes));
  file.read(layout.begin, stored.data(), static_cast<Index>(stored.size()));
  std::vector<std::byte> values(static_cast<std::size_t>(count) * size_of(type));
  convert_stored(layout.stored, stored, values, path.string());
  return copy_of({.type = type,
                  .extents = layout.extents,
                  .components = layout.components,
                  .data = values.data(),
                  .strides = layout.strides,
                  .component_stride = layout.component_stride,
                  .name = path.stem().string()});
}

void write_npy(const fs::path& path, const ArrayView& array) {
  write_npy(path, array.type, array.extents, array.components, [&](const Box& box, void* out) {
    const Index components = array.components;
    const Index3 n = box.extents();
    copy_elements(box_of(array, box.lower, n),
                  {.type = array.type,
                   .data = out,
                   .strides = {components, n[0] * components, n[0] * n[1] * components},
                   .component_stride = 1});
  });
}

Index write_npy(const fs::path& path, ElementType type, Index3 extents, int components,
                const BoxSource& stored_values, const FileRanks& ranks) {
  const Index payload = byte_count(type, extents, components);
  const auto& [nx, ny, nz] = extents;
  std::string shape = fmt::format("{}, {}, {}", nz, ny, nx);
  if (components > 1) shape += fmt::format(", {}", components);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descr_of(type), shape);
  const Index unpadded = 10 + static_cast<Index>(header.size()) + 1;
  const Index begin = round_up(unpadded, alignment);
  header.append(static_cast<std::size_t>(begin - unpadded), ' ');
  header += '\n';
  const unsigned char prefix[4] = {1, 0, static_cast<unsigned char>(header.size() & 0xff),
                                   static_cast<unsigned char>(header.size() >> 8)};

  std::optional<AtomicFile> file;
  agree(*ranks.communicator, [&] {
    if (!ranks.is_first()) return;
    file.emplace(path);
    file->reserve(begin + payload);
    file->write(magic);
    file->write(prefix, sizeof prefix);
    file->write(header);
    file->set_size(begin + payload);
  });
  FileShare share(partial_path_of(path), path);
  const Index cell_bytes = static_cast<Index>(size_of(type)) * components;
  const std::vector<Box> boxes = blocks_of(extents, cell_bytes, slab_bytes);
  write_pieces(ranks, boxes, cell_bytes, stored_values,
               [&](std::size_t n, const std::byte* values) {
                 const auto& [x, y, z] = boxes[n].lower;
                 share.write(begin + ((z * ny + y) * nx + x) * cell_bytes, values,
                             boxes[n].volume() * cell_bytes);
               });
  agree(*ranks.communicator, [&] { share.close(); });
  agree(*ranks.communicator, [&] {
    if (file) file->commit();
  });
  return begin;
}

}  // namespace goban
