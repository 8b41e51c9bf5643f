#pragma once
// TIFF files for tests.

#include <string>
#include <utility>

#include "goban/base/types.hpp"

namespace goban {

/// Uncompressed pages of one strip each.
class TiffText {
 public:
  explicit TiffText(bool is_big_endian) : is_big_endian_(is_big_endian) {
    bytes_ = is_big_endian ? "MM" : "II";
    put(42, 2);
    next_ = bytes_.size();
    put(0, 4);
  }
  /// `pixels` as stored.
  void page(Index width, Index height, int bits, int format, const std::string& pixels,
            int photometric = 1) {
    const std::size_t begin = bytes_.size();
    bytes_ += pixels;
    if (bytes_.size() % 2 != 0) bytes_ += '\0';
    patch(next_, bytes_.size());
    const std::pair<int, std::size_t> tags[] = {
        {256, width},         {257, height}, {258, bits}, {259, 1},
        {262, photometric},   {273, begin},  {277, 1},    {278, height},
        {279, pixels.size()}, {339, format}};
    put(std::size(tags), 2);
    for (const auto& [tag, value] : tags) {
      put(static_cast<std::size_t>(tag), 2);
      put(4, 2);  // of 32 bits
      put(1, 4);
      put(value, 4);
    }
    next_ = bytes_.size();
    put(0, 4);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void put(std::size_t value, int count) {
    for (int n = 0; n < count; ++n) {
      const int shift = 8 * (is_big_endian_ ? count - 1 - n : n);
      bytes_ += static_cast<char>(value >> shift & 0xff);
    }
  }
  void patch(std::size_t at, std::size_t value) {
    std::string end = bytes_.substr(at + 4);
    bytes_.resize(at);
    put(value, 4);
    bytes_ += end;
  }

  bool is_big_endian_;
  std::string bytes_;
  std::size_t next_ = 0;  ///< where the place of the next page is said
};

}  // namespace goban
