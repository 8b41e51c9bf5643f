#include "goban/io/image/plane_stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "goban/base/error.hpp"
#include "goban/grid/blocks.hpp"
#include "goban/io/file/characters.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/image/png.hpp"
#include "goban/io/image/tiff.hpp"

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

std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

bool is_tiff(const fs::path& path) {
  return ending_of(path) == ".tif" || ending_of(path) == ".tiff";
}

std::string layout_text(const PlaneLayout& plane) {
  return fmt::format("{} x {} pixels of {}", plane.extents[0], plane.extents[1],
                     name_of(plane.type));
}

/// Keeps the plane and the file of pages that were read last: boxes that are parts of them follow
/// each other.
class PlaneStack : public ImageSource {
 public:
  struct Place {
    fs::path file;
    Index page;
  };

  PlaneStack(std::vector<Place> places, const PlaneLayout& layout)
      : ImageSource(layout.type,
                    {layout.extents[0], layout.extents[1], static_cast<Index>(places.size())}),
        places_(std::move(places)),
        layout_(layout) {}

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
    const auto& [file, page] = places_[static_cast<std::size_t>(z)];
    if (is_tiff(file)) {
      if (tiff_path_ != file) {
        tiff_.emplace(file);
        tiff_path_ = file;
      }
      require_alike(file, tiff_->layout(page));
      plane_ = tiff_->read(page);
    } else {
      require_alike(file, grey_png_layout(file));
      plane_ = read_grey_png(file);
    }
    z_ = z;
  }
  void require_alike(const fs::path& file, const PlaneLayout& plane) const {
    if (plane == layout_) return;
    throw Error(ExitCode::files, fmt::format("cannot read {}", file.string()),
                fmt::format("it has {}, {} has {}", layout_text(plane),
                            places_.front().file.filename().string(), layout_text(layout_)),
                "all planes of a stack must be alike");
  }

  std::vector<Place> places_;
  PlaneLayout layout_;  ///< the layout of every plane
  Array plane_;
  Index z_ = -1;
  std::optional<TiffFile> tiff_;
  fs::path tiff_path_;
};

}  // namespace

bool is_plane_file(const fs::path& path) { return ending_of(path) == ".png" || is_tiff(path); }

std::vector<fs::path> plane_files_in(const fs::path& directory) {
  std::error_code code;
  std::vector<fs::path> files;
  fs::directory_iterator entry(directory, code);
  while (!code && entry != fs::directory_iterator()) {
    const fs::path& path = entry->path();
    if (is_plane_file(path) && path.filename().string().front() != '.') files.push_back(path);
    entry.increment(code);
  }
  if (code) throw_file_error("read directory", directory, code.value());
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return comes_before(a.filename().string(), b.filename().string());
  });
  if (files.empty()) throw_unreadable(directory, "there is no .png or .tif file in it");
  return files;
}

std::shared_ptr<ImageSource> open_plane_stack(std::vector<fs::path> files) {
  std::vector<PlaneStack::Place> places;
  PlaneLayout first;
  for (const fs::path& file : files) {
    Index pages = 1;
    if (is_tiff(file)) {
      const TiffFile tiff(file);
      pages = tiff.pages();
      if (places.empty()) first = tiff.layout(0);
    } else if (places.empty()) {
      first = grey_png_layout(file);
    }
    for (Index page = 0; page < pages; ++page) places.push_back({file, page});
  }
  return std::make_shared<PlaneStack>(std::move(places), first);
}

}  // namespace goban
