#include "goban/io/png_stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "goban/base/error.hpp"
#include "goban/io/file.hpp"
#include "goban/io/png.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes and returns the leading run of digits, without zeros in front.
std::string_view take_number(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  std::string_view number = text.substr(0, length);
  text.remove_prefix(length);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

/// Numbers inside of names count by value; names that differ in leading zeros alone, by character.
bool comes_before(const std::string& left, const std::string& right) {
  std::string_view a = left;
  std::string_view b = right;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view m = take_number(a);
      const std::string_view n = take_number(b);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return left < right;
}

bool is_png(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension == ".png" && path.filename().string().front() != '.';
}

std::string layout_text(const Array& plane) {
  return fmt::format("{} x {} pixels of {} bits", plane.extents[0], plane.extents[1],
                     plane.type == ElementType::uint8 ? 8 : 16);
}

}  // namespace

std::vector<fs::path> png_files_in(const fs::path& directory) {
  std::error_code code;
  std::vector<fs::path> files;
  fs::directory_iterator entry(directory, code);
  while (!code && entry != fs::directory_iterator()) {
    if (is_png(entry->path())) files.push_back(entry->path());
    entry.increment(code);
  }
  if (code) throw_file_error("read directory", directory, code.value());
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return comes_before(a.filename().string(), b.filename().string());
  });
  return files;
}

Array read_png_stack(const fs::path& directory) {
  const std::vector<fs::path> files = png_files_in(directory);
  if (files.empty())
    throw Error(ExitCode::files, fmt::format("cannot read {}", directory.string()),
                "there is no .png file in this directory");
  Array first = read_grey_png(files.front());
  if (files.size() == 1) {
    first.name = directory.stem().string();
    return first;
  }
  Array stack(first.type, {first.extents[0], first.extents[1], static_cast<Index>(files.size())}, 1,
              directory.stem().string());
  std::memcpy(stack.bytes.data(), first.bytes.data(), first.bytes.size());
  for (std::size_t n = 1; n < files.size(); ++n) {
    const Array plane = read_grey_png(files[n]);
    if (plane.extents != first.extents || plane.type != first.type)
      throw Error(ExitCode::files, fmt::format("cannot read {}", files[n].string()),
                  fmt::format("it has {}, {} has {}", layout_text(plane),
                              files.front().filename().string(), layout_text(first)),
                  "all planes of a stack must be alike");
    std::memcpy(stack.bytes.data() + n * first.bytes.size(), plane.bytes.data(),
                plane.bytes.size());
  }
  return stack;
}

}  // namespace goban
