#include "goban/io/image/png.hpp"

#include "tests/io/scratch.hpp"
#include "tests/png_file.hpp"

namespace goban::png_test {
namespace {

using PngTest = ScratchTest;
using test::write_png;

Image pattern(Index width, Index height, int channels) {
  Image image(width, height, channels);
  for (std::size_t n = 0; n < image.pixels.size(); ++n)
    image.pixels[n] = static_cast<std::uint8_t>(n * 31 % 251);
  return image;
}

std::vector<std::uint8_t> bytes_of(const Array& array) {
  const auto values = array.as<std::uint8_t>();
  return {values.begin(), values.end()};
}

TEST_F(PngTest, GreyImagesAreDataWithTheFirstRowAtYZero) {
  const Image image = pattern(4, 3, 1);
  write_png(path("plane.png"), image);
  const Array plane = read_grey_png(path("plane.png"));
  EXPECT_EQ(plane.type, ElementType::uint8);
  EXPECT_EQ(plane.extents, (Index3{4, 3, 1}));
  EXPECT_EQ(plane.name, "plane");
  EXPECT_EQ(plane.at(2, 1, 0), image.pixels[6]);
}

TEST_F(PngTest, RefusesWhatItCannotReadAndSaysWhy) {
  store("i.png", "GIF89a and so on");
  EXPECT_EQ(refusal([&] { read_grey_png(path("i.png")); }, ExitCode::files),
            "cannot read i.png (it is not a PNG file)");
  store("i.png", "");
  EXPECT_EQ(refusal([&] { read_grey_png(path("i.png")); }, ExitCode::files),
            "cannot read i.png (it is not a PNG file)");
  write_png(path("i.png"), pattern(4, 3, 3));
  EXPECT_EQ(refusal([&] { read_grey_png(path("i.png")); }, ExitCode::files),
            "cannot read i.png (it has 3 channels); save it as a grey image without transparency");
  EXPECT_EQ(refusal([&] { read_grey_png(path("none.png")); }, ExitCode::files),
            "cannot read none.png (No such file or directory); check the path");
}

TEST_F(PngTest, EveryTruncationIsRefused) {
  write_png(path("i.png"), pattern(9, 9, 1));
  const std::string whole = content("i.png");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    store("i.png", whole.substr(0, size));
    EXPECT_NE(refusal([&] { read_grey_png(path("i.png")); }, ExitCode::files), "") << size;
  }
}

TEST_F(PngTest, EveryFlippedBitIsFound) {
  write_png(path("i.png"), pattern(9, 9, 1));
  const std::string whole = content("i.png");
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    store("i.png", damaged);
    // A critical chunk may turn into an unknown one that can be left out, never into other pixels.
    const std::string text =
        refusal([&] { EXPECT_EQ(bytes_of(read_grey_png(path("i.png"))), pattern(9, 9, 1).pixels); },
                ExitCode::files);
    if (!text.empty()) continue;
    const bool is_gamma = bit / 8 >= 37 && bit / 8 < 49;  // which says nothing of data
    EXPECT_TRUE(is_gamma || bit / 8 >= whole.size() - 12) << "not in the end mark";
  }
}

TEST_F(PngTest, AHeaderThatPromisesMoreThanTheFileCanHoldIsRefused) {
  write_png(path("i.png"), pattern(2, 2, 1));
  std::string file = content("i.png");
  const auto output = python("zlib", "import zlib,struct\nd=open('" + path("i.png").string() +
                                         "','rb').read()\nh=b'IHDR'+struct.pack('>IIBBBBB',900000,"
                                         "900000,8,0,0,0,0)\nopen('" +
                                         path("big.png").string() +
                                         "','wb').write(d[:12]+h+struct.pack('>I',zlib.crc32(h))+"
                                         "d[33:])");
  if (!output) GTEST_SKIP() << "no Python";
  EXPECT_EQ(refusal([&] { read_grey_png(path("big.png")); }, ExitCode::files),
            "cannot read big.png (900000 x 900000 pixels cannot come from 84 bytes)");
}

/// Writes a PNG of other depths; false without Python.
bool store_with_python(const std::filesystem::path& path, int depth, int color,
                       const std::string& rows, int width, int height) {
  const auto output = python(
      "zlib",
      "import zlib,struct\ndef chunk(n,d): return struct.pack('>I',len(d))+n+d+"
      "struct.pack('>I',zlib.crc32(n+d))\n"
      "open('" +
          path.string() +
          "','wb').write(b'\\x89PNG\\r\\n\\x1a\\n'+chunk(b'IHDR',"
          "struct.pack('>IIBBBBB'," +
          std::to_string(width) + "," + std::to_string(height) + "," + std::to_string(depth) + "," +
          std::to_string(color) + ",0,0,0))+(chunk(b'PLTE',bytes([1,2,3,40,50,60])) if " +
          std::to_string(color) + "==3 else b'')+chunk(b'IDAT',zlib.compress(bytes(" + rows +
          ")))+chunk(b'IEND',b''))");
  return output.has_value();
}

TEST_F(PngTest, SixteenBitsBecomeInt32) {
  if (!store_with_python(path("i.png"), 16, 0, "[0,1,2,255,255]", 2, 1))
    GTEST_SKIP() << "no Python";
  const Array plane = read_grey_png(path("i.png"));
  EXPECT_EQ(plane.type, ElementType::int32);
  EXPECT_EQ(plane.at(0, 0, 0), 258);
  EXPECT_EQ(plane.at(1, 0, 0), 65535);
}

TEST_F(PngTest, FewBitsStayTheNumbersTheyAre) {
  if (!store_with_python(path("i.png"), 1, 0, "[0,0b10100000]", 3, 1)) GTEST_SKIP() << "no Python";
  const Array plane = read_grey_png(path("i.png"));
  EXPECT_EQ(plane.type, ElementType::uint8);
  EXPECT_EQ(plane.at(0, 0, 0), 1);
  EXPECT_EQ(plane.at(1, 0, 0), 0);
  EXPECT_EQ(plane.at(2, 0, 0), 1);
}

TEST_F(PngTest, PalettesAreColors) {
  if (!store_with_python(path("i.png"), 8, 3, "[0,1,0]", 2, 1)) GTEST_SKIP() << "no Python";
  EXPECT_EQ(refusal([&] { read_grey_png(path("i.png")); }, ExitCode::files),
            "cannot read i.png (it has 3 channels); save it as a grey image without transparency");
}

}  // namespace
}  // namespace goban::png_test
