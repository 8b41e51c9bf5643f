#include "goban/io/image/stl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "goban/base/error.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "files are little endian");

constexpr std::size_t header_size = 84;
constexpr std::size_t record_size = 50;

bool is_finite(const Triangle& triangle) {
  for (const Corner& corner : triangle)
    for (const float x : corner)
      if (!std::isfinite(x)) return false;
  return true;
}

std::size_t triangles_promised(const std::vector<std::byte>& file) {
  std::uint32_t count = 0;
  std::memcpy(&count, file.data() + header_size - sizeof count, sizeof count);
  return count;
}

TriangleMesh read_binary(const fs::path& path, const std::vector<std::byte>& file) {
  TriangleMesh mesh;
  mesh.triangles.resize(triangles_promised(file));
  const std::byte* record = file.data() + header_size;
  for (std::size_t n = 0; n < mesh.triangles.size(); ++n, record += record_size) {
    std::memcpy(&mesh.triangles[n], record + sizeof(Corner), sizeof(Triangle));  // after the normal
    if (!is_finite(mesh.triangles[n]))
      throw_unreadable(path, fmt::format("triangle {} has a coordinate that is not finite", n));
  }
  return mesh;
}

/// Words of a text, with the line they stand in.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// The next word in lower case; empty at the end.
  std::string next() {
    skip_space();
    std::size_t length = 0;
    while (length < text_.size() && !is_space(text_[length])) ++length;
    std::string word(text_.substr(0, length));
    text_.remove_prefix(length);
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return word;
  }
  std::optional<float> number() {
    std::string word = next();
    if (word.starts_with('+')) word.erase(0, 1);
    double value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (end != word.data() + word.size() || word.empty()) return std::nullopt;
    if (code == std::errc::result_out_of_range && word.find("e-") != std::string::npos) return 0.0f;
    const auto single = static_cast<float>(value);
    if (code != std::errc{} || !std::isfinite(single)) return std::nullopt;
    return single;
  }
  void skip_line() {
    while (!text_.empty() && text_.front() != '\n') text_.remove_prefix(1);
  }
  Index line() const { return line_; }

 private:
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  void skip_space() {
    while (!text_.empty() && is_space(text_.front())) {
      if (text_.front() == '\n') ++line_;
      text_.remove_prefix(1);
    }
  }

  std::string_view text_;
  Index line_ = 1;
};

class AsciiReader {
 public:
  AsciiReader(const fs::path& path, std::string_view text) : path_(path), words_(text) {}

  TriangleMesh read() {
    TriangleMesh mesh;
    for (std::string word = words_.next(); !word.empty(); word = words_.next()) {
      if (word != "solid") fail("solid", word);
      words_.skip_line();  // the name
      for (word = words_.next(); word == "facet"; word = words_.next())
        mesh.triangles.push_back(facet());
      if (word != "endsolid") fail("facet or endsolid", word);
      words_.skip_line();
    }
    return mesh;
  }

 private:
  Triangle facet() {
    expect("normal");
    // Some programs write "nan" for the normal of a thin triangle.
    for (int n = 0; n < 3; ++n) words_.next();
    expect("outer");
    expect("loop");
    Triangle triangle{};
    for (Corner& corner : triangle) {
      expect("vertex");
      for (float& x : corner) {
        const auto number = words_.number();
        if (!number) fail_because("a coordinate is not a finite number");
        x = *number;
      }
    }
    expect("endloop");
    expect("endfacet");
    return triangle;
  }
  void expect(std::string_view wanted) {
    const std::string word = words_.next();
    if (word != wanted) fail(wanted, word);
  }
  [[noreturn]] void fail(std::string_view wanted, const std::string& found) const {
    if (found.empty()) fail_because("it is cut short");
    const bool printable =
        std::all_of(found.begin(), found.end(), [](char c) { return c > ' ' && c < 127; });
    if (!printable || found.size() > 40) fail_because(fmt::format("{} expected", wanted));
    fail_because(fmt::format("{} expected, not '{}'", wanted, found));
  }
  [[noreturn]] void fail_because(const std::string& why) const {
    throw Error(ExitCode::files, fmt::format("cannot read {}:{}", path_.string(), words_.line()),
                why);
  }

  const fs::path& path_;
  Words words_;
};

/// Binary files may begin with "solid", too, but hold zeros.
bool starts_like_ascii(const std::vector<std::byte>& file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              std::min<std::size_t>(file.size(), 512));
  return Words(text).next() == "solid" && text.find('\0') == std::string_view::npos;
}

}  // namespace

TriangleMesh read_stl(const fs::path& path) {
  const std::vector<std::byte> file = read_bytes(path);
  TriangleMesh mesh;
  const bool has_header = file.size() >= header_size;
  const std::size_t promised = has_header ? triangles_promised(file) : 0;
  if (promised > 0 && header_size + promised * record_size <= file.size()) {
    mesh = read_binary(path, file);
  } else if (starts_like_ascii(file)) {
    mesh = AsciiReader(path, {reinterpret_cast<const char*>(file.data()), file.size()}).read();
  } else if (has_header && promised == 0) {
    throw_unreadable(path, "it says that it holds no triangles");
  } else if (has_header) {
    throw_unreadable(path,
                     fmt::format("{} triangles of binary STL are {} bytes, the file has {}",
                                 promised, header_size + promised * record_size, file.size()),
                     "it is damaged or not an STL file");
  } else {
    throw_unreadable(path, "it is not an STL file");
  }
  if (mesh.triangles.empty()) throw_unreadable(path, "it holds no triangles");
  return mesh;
}

}  // namespace goban
