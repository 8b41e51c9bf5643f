#pragma once
// TIFF files of one or many pages, by libtiff, which is loaded when the first one is opened.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "goban/io/file/array_view.hpp"
#include "goban/io/file/stored_type.hpp"
#include "goban/io/image/plane_layout.hpp"

namespace goban {

/// Grey pages of 1, 8, 16, 32 or 64 bits, in strips or tiles, compressed as libtiff knows; previews
/// are no pages. Row r from the top is y = r, values stay as stored.
class TiffFile {
 public:
  /// Reads what the pages are. Error(files): it cannot be read, or is in colour; Error(resources):
  /// there is no libtiff.
  explicit TiffFile(const std::filesystem::path& path);

  Index pages() const { return static_cast<Index>(pages_.size()); }
  const PlaneLayout& layout(Index page) const;
  /// Error(files).
  Array read(Index page) const;

 private:
  struct Page {
    std::uint64_t offset;
    StoredType stored;
    int bits;
    PlaneLayout layout;
  };
  struct Close {
    void operator()(void* file) const;
  };

  Page look() const;
  void unpack(const Page& page, std::vector<std::byte>& rows) const;

  std::filesystem::path path_;
  std::unique_ptr<void, Close> file_;
  std::vector<Page> pages_;
};

}  // namespace goban
