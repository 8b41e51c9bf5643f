#include "goban/io/read_image.hpp"

#include <fmt/format.h>

#include "goban/io/npy.hpp"
#include "goban/io/png.hpp"
#include "goban/io/png_stack.hpp"
#include "goban/io/raw_image.hpp"
#include "tests/io/scratch.hpp"

namespace goban {
namespace {

class ReadImageTest : public ScratchTest {
 protected:
  void store_plane(std::string_view name, Index width, Index height, int value) const {
    Image image(width, height, 1);
    std::fill(image.pixels.begin(), image.pixels.end(), static_cast<std::uint8_t>(value));
    write_png(path(name), image);
  }
  std::string refused(std::string_view name, const ImageExpectation& expected,
                      ExitCode code = ExitCode::usage) const {
    return refusal([&] { read_image(path(name), expected); }, code);
  }
};

TEST_F(ReadImageTest, RawValuesHaveXFastest) {
  store("i.raw", std::string("\0\1\2\3\4\5", 6));
  const Array image = read_image(path("i.raw"), {.extents = Index3{3, 2, 1}});
  EXPECT_EQ(image.type, ElementType::uint8);
  EXPECT_EQ(image.at(2, 0, 0), 2);
  EXPECT_EQ(image.at(0, 1, 0), 3);
  EXPECT_EQ(image.name, "i");
}

TEST_F(ReadImageTest, RawFilesOfEveryTypeAreTaken) {
  const std::int32_t values[] = {-1, 70000};
  store("i.bin", {reinterpret_cast<const char*>(values), sizeof values});
  const Array image =
      read_image(path("i.bin"), {.extents = Index3{2, 1, 1}, .type = ElementType::int32});
  EXPECT_EQ(image.at(0, 0, 0), -1);
  EXPECT_EQ(image.at(1, 0, 0), 70000);
}

TEST_F(ReadImageTest, ARawFileOfAnotherSizeIsRefusedWithBothNumbers) {
  store("i.raw", std::string(999, 'x'));
  EXPECT_EQ(refused("i.raw", {.extents = Index3{10, 10, 10}}),
            "image i.raw does not fit (10 x 10 x 10 cells of uint8 are 1000 bytes, the file has "
            "999) check the extents and the element type; images are not resampled");
  EXPECT_EQ(refused("i.raw", {.extents = Index3{37, 3, 9}, .type = ElementType::float32}),
            "image i.raw does not fit (37 x 3 x 9 cells of float32 are 3996 bytes, the file has "
            "999) check the extents and the element type; images are not resampled");
  EXPECT_EQ(refused("i.raw", {}),
            "the extents of i.raw are not known (a raw image has no header) give them in the case, "
            "or convert the image to .npy");
  EXPECT_EQ(refused("none.raw", {.extents = Index3{1, 1, 1}}, ExitCode::files),
            "cannot read none.raw (No such file or directory) check the path");
}

TEST_F(ReadImageTest, NpyIsTakenAsItIsAndNeverResampled) {
  write_npy(path("i.npy"), Array(ElementType::float64, {4, 3, 2}).view());
  EXPECT_EQ(read_image(path("i.npy")).extents, (Index3{4, 3, 2}));
  EXPECT_EQ(read_image(path("i.npy"), {.extents = Index3{4, 3, 2}}).type, ElementType::float64);
  EXPECT_EQ(refused("i.npy", {.extents = Index3{8, 6, 4}}),
            "image i.npy does not fit (it has 4 x 3 x 2 cells, the grid 8 x 6 x 4) make them "
            "equal; images are not resampled");
  EXPECT_EQ(refused("i.npy", {.extents = {}, .type = ElementType::uint8}),
            "image i.npy holds float64, not uint8 convert it, or leave the type out of the case");
  write_npy(path("v.npy"), Array(ElementType::uint8, {4, 3, 2}, 3).view());
  EXPECT_EQ(refused("v.npy", {}, ExitCode::files),
            "cannot read v.npy (it has 3 components) an image has one value a cell");
}

TEST_F(ReadImageTest, PngFilesOfADirectoryStackInTheOrderOfTheirNumbers) {
  for (const int n : {10, 9, 1, 100, 2}) store_plane(fmt::format("s{}.png", n), 4, 3, n);
  store("notes.txt", "not a plane");
  store_plane(".hidden.png", 1, 1, 0);
  const Array image = read_image(directory(), {.extents = Index3{4, 3, 5}});
  EXPECT_EQ(image.type, ElementType::uint8);
  for (const auto& [k, value] : {std::pair{0, 1}, {1, 2}, {2, 9}, {3, 10}, {4, 100}}) {
    EXPECT_EQ(image.at(0, 0, k), value);
    EXPECT_EQ(image.at(3, 2, k), value);
  }
}

TEST_F(ReadImageTest, NamesSortByNumberAndThenByLetter) {
  for (const auto* name : {"b.png", "a10.png", "a9.png", "a09.png", "a1b2.PNG", "a1b11.png",
                           "a.png", "a00000000000000000000000000000008.png"})
    store(name, "");
  std::vector<std::string> names;
  for (const auto& file : png_files_in(directory())) names.push_back(file.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"a.png", "a1b2.PNG", "a1b11.png",
                                             "a00000000000000000000000000000008.png", "a09.png",
                                             "a9.png", "a10.png", "b.png"}));
}

TEST_F(ReadImageTest, PlanesThatDifferAreRefusedWithBothSizes) {
  store_plane("1.png", 4, 3, 0);
  store_plane("2.png", 4, 2, 0);
  std::string text = refused("", {}, ExitCode::files);
  EXPECT_EQ(text,
            "cannot read 2.png (it has 4 x 2 pixels of 8 bits, 1.png has 4 x 3 pixels of 8 bits) "
            "all planes of a stack must be alike");
  store_plane("2.png", 4, 3, 0);
  EXPECT_EQ(read_image(directory()).extents, (Index3{4, 3, 2}));
  text = refusal([&] { read_image(directory(), {.extents = Index3{4, 3, 3}}); }, ExitCode::usage);
  EXPECT_NE(text.find("(it has 4 x 3 x 2 cells, the grid 4 x 3 x 3)"), std::string::npos) << text;
}

TEST_F(ReadImageTest, ADirectoryWithoutPngFilesIsRefused) {
  std::filesystem::create_directory(path("empty"));
  EXPECT_EQ(refused("empty", {}, ExitCode::files),
            "cannot read empty (there is no .png file in this directory)");
}

TEST_F(ReadImageTest, OnePngIsAPlane) {
  store_plane("p.png", 5, 4, 7);
  EXPECT_EQ(read_image(path("p.png"), {.extents = Index3{5, 4, 1}}).at(4, 3, 0), 7);
}

}  // namespace
}  // namespace goban
