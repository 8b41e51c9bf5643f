#include "goban/io/image/png_stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <system_error>

#include "goban/base/error.hpp"
#include "goban/grid/blocks.hpp"
#include "goban/io/file/characters.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/image/png.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

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

/// Keeps the plane that was read last: boxes that are parts of it follow each other.
class PngStack : public ImageSource {
 public:
  PngStack(std::vector<fs::path> files, Array first)
      : ImageSource(first.type,
                    {first.extents[0], first.extents[1], static_cast<Index>(files.size())}),
        files_(std::move(files)),
        plane_(std::move(first)),
        plane_extents_(plane_.extents),
        layout_(layout_text(plane_)) {}

  Array read(const Box& box) override {
    Array values(type(), box.extents());
    for (Index z = box.lower[2]; z < box.upper[2]; ++z) {
      look_at(z);
      const Box plane{{0, 0, z}, {extents()[0], extents()[1], z + 1}};
      copy_common(plane, plane_.bytes.data(), box, values.bytes.data(), 1, size_of(type()));
    }
    return values;
  }

 private:
  void look_at(Index z) {
    if (z == z_) return;
    const fs::path& file = files_[static_cast<std::size_t>(z)];
    Array plane = read_grey_png(file);
    if (plane.extents != plane_extents_ || plane.type != type())
      throw Error(ExitCode::files, fmt::format("cannot read {}", file.string()),
                  fmt::format("it has {}, {} has {}", layout_text(plane),
                              files_.front().filename().string(), layout_),
                  "all planes of a stack must be alike");
    plane_ = std::move(plane);
    z_ = z;
  }

  std::vector<fs::path> files_;
  Array plane_;
  Index z_ = 0;
  Index3 plane_extents_;
  std::string layout_;  ///< of the first plane
};

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

std::shared_ptr<ImageSource> open_png_stack(const fs::path& directory) {
  std::vector<fs::path> files = png_files_in(directory);
  if (files.empty())
    throw Error(ExitCode::files, fmt::format("cannot read {}", directory.string()),
                "there is no .png file in this directory");
  Array first = read_grey_png(files.front());
  return std::make_shared<PngStack>(std::move(files), std::move(first));
}

}  // namespace goban
