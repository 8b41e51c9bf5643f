#pragma once
// Pictures as tests look at them: their pixels.

#include <string>

#include "goban/io/picture/canvas.hpp"
#include "tests/png_file.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::test {

/// The pixels of a PNG, given as the bytes of its file.
inline Image pixels_of(const std::string& png) {
  const ScratchFolder folder(ScratchPlace::memory);
  return read_png(folder.store("picture.png", png));
}

inline Color pixel(const Image& image, Index x, Index y) {
  const std::uint8_t* p = image.at(x, y);
  return {p[0], p[1], p[2]};
}

}  // namespace goban::test
