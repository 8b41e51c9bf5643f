#pragma once
// PNG files of 8 bits a channel, as tests write images to begin with and look at pictures.

#include <png.h>

#include <array>
#include <filesystem>
#include <stdexcept>

#include "goban/io/image/image.hpp"

namespace goban::test {

/// For images of 1 to 4 channels.
inline void write_png(const std::filesystem::path& path, const Image& image) {
  constexpr std::array<png_uint_32, 4> formats{PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                               PNG_FORMAT_RGBA};
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = formats.at(static_cast<std::size_t>(image.channels) - 1);
  if (png_image_write_to_file(&png, path.c_str(), 0, image.pixels.data(), 0, nullptr) == 0)
    throw std::runtime_error(png.message);
}

/// With three channels.
inline Image read_png(const std::filesystem::path& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&png, path.c_str()) == 0)
    throw std::runtime_error(png.message);
  png.format = PNG_FORMAT_RGB;
  Image image(png.width, png.height, 3);
  if (png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr) == 0)
    throw std::runtime_error(png.message);
  return image;
}

}  // namespace goban::test
