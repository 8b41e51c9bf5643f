#include "goban/io/image/nrrd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "goban/base/error.hpp"
#include "goban/io/file/characters.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

constexpr Index longest_header = Index{1} << 16;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::optional<StoredType> type_of(const std::string& name) {
  using Kind = StoredType::Kind;
  static const std::map<std::string, StoredType> types = [] {
    std::map<std::string, StoredType> all;
    const auto add = [&](StoredType type, std::initializer_list<const char*> names) {
      for (const char* one : names) all[one] = type;
    };
    add({Kind::integer, 1}, {"signed char", "int8", "int8_t"});
    add({Kind::natural, 1}, {"uchar", "unsigned char", "uint8", "uint8_t"});
    add({Kind::integer, 2},
        {"short", "short int", "signed short", "signed short int", "int16", "int16_t"});
    add({Kind::natural, 2},
        {"ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"});
    add({Kind::integer, 4}, {"int", "signed int", "int32", "int32_t"});
    add({Kind::natural, 4}, {"uint", "unsigned int", "uint32", "uint32_t"});
    add({Kind::integer, 8}, {"longlong", "long long", "long long int", "signed long long",
                             "signed long long int", "int64", "int64_t"});
    add({Kind::natural, 8},
        {"ulonglong", "unsigned long long", "unsigned long long int", "uint64", "uint64_t"});
    add({Kind::real, 4}, {"float"});
    add({Kind::real, 8}, {"double"});
    return all;
  }();
  const auto found = types.find(name);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

/// Fields of a header by their names, and where it ends.
struct Header {
  std::map<std::string, std::string> fields;
  Index end = 0;
};

Header read_header(const InputFile& file) {
  std::string text(static_cast<std::size_t>(std::min(file.size(), longest_header)), '\0');
  file.read(0, text.data(), static_cast<Index>(text.size()));
  if (!text.starts_with("NRRD000")) throw_unreadable(file.path(), "it is not an NRRD file");
  Header header;
  std::size_t begin = text.find('\n');
  while (begin != std::string::npos) {
    ++begin;
    const std::size_t end = text.find('\n', begin);
    const bool is_last = end == std::string::npos;
    const std::string_view line =
        trimmed(std::string_view(text).substr(begin, is_last ? end : end - begin));
    if (line.empty()) {
      header.end = static_cast<Index>(is_last ? text.size() : end + 1);
      return header;
    }
    const std::size_t colon = line.find(": ");
    if (line[0] != '#' && colon != std::string_view::npos) {
      const auto [at, is_new] =
          header.fields.emplace(lower(line.substr(0, colon)), trimmed(line.substr(colon + 2)));
      if (!is_new) throw_unreadable(file.path(), "its header says twice: " + at->first);
    }
    begin = end;
  }
  header.end = -1;  // it goes on to the end of the file
  return header;
}

class LayoutReader {
 public:
  explicit LayoutReader(const fs::path& path)
      : path_(path), file_(path), header_(read_header(file_)) {}

  NrrdLayout read() const {
    NrrdLayout layout{.data = path_, .begin = 0, .stored = stored(), .extents = extents()};
    const std::string* beside = field("data file");
    if (beside == nullptr) beside = field("datafile");
    if (beside == nullptr && header_.end < 0) refuse("its header does not end");
    if (beside != nullptr) {
      if (beside->find('%') != std::string::npos || lower(*beside).starts_with("list"))
        refuse("it is cut into several files");
      layout.data = path_.parent_path() / *beside;
    }
    if (number("line skip", 0) != 0 || number("lineskip", 0) != 0)
      refuse("it skips lines before its values");
    const Index skip =
        field("byteskip") != nullptr ? number("byteskip", 0) : number("byte skip", 0);
    const Index size = size_of_file(layout.data);
    Index needed = layout.stored.bytes;
    for (const Index extent : layout.extents) {
      if (extent <= 0 || __builtin_mul_overflow(needed, extent, &needed))
        refuse(fmt::format("its sizes are refused: {}", *field("sizes")));
    }
    layout.begin = skip < 0 ? size - needed : skip + (beside == nullptr ? header_.end : 0);
    if (skip < -1 || layout.begin < 0 || size - layout.begin != needed)
      refuse(fmt::format("its values are {} bytes, there are {}", needed,
                         std::max<Index>(size - std::max<Index>(layout.begin, 0), 0)));
    return layout;
  }

 private:
  [[noreturn]] void refuse(const std::string& why, const std::string& suggestion = {}) const {
    throw_unreadable(path_, why, suggestion);
  }
  const std::string* field(const std::string& name) const {
    const auto found = header_.fields.find(name);
    return found == header_.fields.end() ? nullptr : &found->second;
  }
  const std::string& required(const std::string& name) const {
    const std::string* value = field(name);
    if (value == nullptr) refuse("its header has no " + name);
    return *value;
  }
  Index number(const std::string& name, Index otherwise) const {
    const std::string* text = field(name);
    return text == nullptr ? otherwise : whole(*text);
  }
  Index whole(std::string_view text) const {
    Index value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size())
      refuse(fmt::format("'{}' is no whole number", text));
    return value;
  }

  StoredType stored() const {
    const std::string& name = required("type");
    const auto type = type_of(lower(name));
    if (!type) refuse("its type is " + name, "convert it to integers or reals");
    const std::string encoding = lower(required("encoding"));
    if (encoding != "raw") refuse("its encoding is " + encoding, "save it with the encoding raw");
    StoredType stored = *type;
    if (stored.bytes > 1) {
      const std::string endian = lower(required("endian"));
      if (endian != "little" && endian != "big") refuse("its endian is " + endian);
      stored.is_big_endian = endian == "big";
    }
    return stored;
  }

  Index3 extents() const {
    const Index axes = whole(required("dimension"));
    if (axes < 1 || axes > 3)
      refuse(fmt::format("it has {} axes", axes), "an image has one value a cell");
    Index3 extents{1, 1, 1};
    std::string_view sizes = required("sizes");
    for (Index a = 0; a < axes; ++a) {
      sizes = trimmed(sizes);
      const std::size_t end = std::min(sizes.find(' '), sizes.size());
      extents[static_cast<int>(a)] = whole(sizes.substr(0, end));
      sizes.remove_prefix(end);
    }
    if (!trimmed(sizes).empty()) refuse("it has more sizes than axes");
    return extents;
  }

  const fs::path& path_;
  InputFile file_;
  Header header_;
};

}  // namespace

NrrdLayout read_nrrd_layout(const fs::path& path) { return LayoutReader(path).read(); }

}  // namespace goban
