#pragma once
// Pixels in memory.

#include <cstdint>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  bool operator==(const Color&) const = default;
};

/// Rows from the top, pixels from the left, `channels` bytes each: 1 grey, 2 grey and opacity,
/// 3 RGB, 4 RGB and opacity; sRGB.
struct Image {
  Index width = 0;
  Index height = 0;
  int channels = 3;
  std::vector<std::uint8_t> pixels;

  Image() = default;
  /// Makes a white image.
  Image(Index width_, Index height_, int channels_ = 3)
      : width(width_),
        height(height_),
        channels(channels_),
        pixels(static_cast<std::size_t>(width_ * height_ * channels_), 255) {}

  /// The colour of a pixel; the image has three channels.
  void set(Index x, Index y, Color color) {
    std::uint8_t* pixel = at(x, y);
    pixel[0] = color.red;
    pixel[1] = color.green;
    pixel[2] = color.blue;
  }

  std::uint8_t* at(Index x, Index y) { return pixels.data() + (y * width + x) * channels; }
  const std::uint8_t* at(Index x, Index y) const {
    return pixels.data() + (y * width + x) * channels;
  }
};

}  // namespace goban
