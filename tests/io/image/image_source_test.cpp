#include "goban/io/image/image_source.hpp"

#include <fmt/format.h>

#include "goban/io/file/npy.hpp"
#include "goban/io/image/png.hpp"
#include "goban/io/image/png_stack.hpp"
#include "tests/io/scratch.hpp"

namespace goban::image_source_test {
namespace {

class ImageSourceTest : public ScratchTest {
 protected:
  void store_plane(std::string_view name, Index width, Index height, int value) const {
    Image image(width, height, 1);
    std::fill(image.pixels.begin(), image.pixels.end(), static_cast<std::uint8_t>(value));
    write_png(path(name), image);
  }
  Array read_image(const std::filesystem::path& file, const ImageExpectation& expected = {}) const {
    const auto image = open_image(file, expected);
    return image->read({{0, 0, 0}, image->extents()});
  }
  std::string refused(std::string_view name, const ImageExpectation& expected,
                      ExitCode code = ExitCode::usage) const {
    return refusal([&] { read_image(path(name), expected); }, code);
  }
};

TEST_F(ImageSourceTest, RawValuesHaveXFastest) {
  store("i.raw", std::string("\0\1\2\3\4\5", 6));
  const Array image = read_image(path("i.raw"), {.extents = Index3{3, 2, 1}});
  EXPECT_EQ(image.type, ElementType::uint8);
  EXPECT_EQ(image.at(2, 0, 0), 2);
  EXPECT_EQ(image.at(0, 1, 0), 3);
}

TEST_F(ImageSourceTest, RawFilesOfEveryTypeAreTaken) {
  const std::int32_t values[] = {-1, 70000};
  store("i.bin", {reinterpret_cast<const char*>(values), sizeof values});
  const Array image =
      read_image(path("i.bin"), {.extents = Index3{2, 1, 1}, .type = ElementType::int32});
  EXPECT_EQ(image.at(0, 0, 0), -1);
  EXPECT_EQ(image.at(1, 0, 0), 70000);
}

TEST_F(ImageSourceTest, ARawFileOfAnotherSizeIsRefusedWithBothNumbers) {
  store("i.raw", std::string(999, 'x'));
  EXPECT_EQ(refused("i.raw", {.extents = Index3{10, 10, 10}}),
            "image i.raw does not fit (10 x 10 x 10 cells of uint8 are 1000 bytes, the file has "
            "999); check the extents and the element type; images are not resampled");
  EXPECT_EQ(refused("i.raw", {.extents = Index3{37, 3, 9}, .type = ElementType::float32}),
            "image i.raw does not fit (37 x 3 x 9 cells of float32 are 3996 bytes, the file has "
            "999); check the extents and the element type; images are not resampled");
  EXPECT_EQ(
      refused("i.raw", {}),
      "the extents of i.raw are not known (a raw image has no header); give them in the case, "
      "or convert the image to .npy");
  EXPECT_EQ(refused("none.raw", {.extents = Index3{1, 1, 1}}, ExitCode::files),
            "cannot read none.raw (No such file or directory); check the path");
}

TEST_F(ImageSourceTest, NpyIsTakenAsItIsAndNeverResampled) {
  write_npy(path("i.npy"), Array(ElementType::float64, {4, 3, 2}).view());
  EXPECT_EQ(read_image(path("i.npy")).extents, (Index3{4, 3, 2}));
  EXPECT_EQ(read_image(path("i.npy"), {.extents = Index3{4, 3, 2}}).type, ElementType::float64);
  EXPECT_EQ(refused("i.npy", {.extents = Index3{8, 6, 4}}),
            "image i.npy does not fit (it has 4 x 3 x 2 cells, the grid 8 x 6 x 4); make them "
            "equal; images are not resampled");
  EXPECT_EQ(refused("i.npy", {.extents = {}, .type = ElementType::uint8}),
            "image i.npy holds float64, not uint8; convert it, or leave the type out of the case");
  write_npy(path("v.npy"), Array(ElementType::uint8, {4, 3, 2}, 3).view());
  EXPECT_EQ(refused("v.npy", {}, ExitCode::files),
            "cannot read v.npy (it has 3 components); an image has one value a cell");
}

TEST_F(ImageSourceTest, PngFilesOfADirectoryStackInTheOrderOfTheirNumbers) {
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

TEST_F(ImageSourceTest, BoxesAreThoseOfTheWholeWhateverTheFormat) {
  const Index3 n = {7, 5, 4};
  Array whole(ElementType::uint8, n);
  for (std::size_t i = 0; i < whole.bytes.size(); ++i)
    whole.bytes[i] = static_cast<std::byte>(i * 37 % 251);
  const auto bytes = whole.as<char>();
  store("i.raw", {bytes.data(), bytes.size()});
  write_npy(path("c.npy"), whole.view());
  std::string turned;
  for (Index i = 0; i < n[0]; ++i)
    for (Index j = 0; j < n[1]; ++j)
      for (Index k = 0; k < n[2]; ++k) turned += static_cast<char>(whole.at(i, j, k));
  const std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': (4, 5, 7), }\n";
  store("f.npy", std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' +
                     header + turned);
  std::filesystem::create_directory(path("stack"));
  for (Index k = 0; k < n[2]; ++k) {
    Image plane(n[0], n[1], 1);
    for (Index p = 0; p < n[0] * n[1]; ++p)
      plane.pixels[static_cast<std::size_t>(p)] =
          static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(k * n[0] * n[1] + p)]);
    write_png(path(fmt::format("stack/{}.png", k)), plane);
  }
  const Box boxes[] = {{{0, 0, 0}, n},         {{0, 0, 1}, {7, 5, 3}}, {{0, 2, 1}, {7, 4, 2}},
                       {{3, 1, 0}, {5, 4, 4}}, {{6, 4, 3}, {7, 5, 4}}, {{2, 0, 3}, {7, 5, 4}}};
  for (const auto* name : {"i.raw", "c.npy", "f.npy", "stack"}) {
    const auto image = open_image(path(name), {.extents = n});
    for (const Box& box : boxes) {
      const Array part = image->read(box);
      ASSERT_EQ(part.extents, box.extents());
      EXPECT_EQ(part.bytes, copy_of(box_of(whole.view(), box.lower, box.extents())).bytes)
          << name << " " << to_string(box);
    }
  }
}

TEST_F(ImageSourceTest, AWindowShowsTheBoxItWasGiven) {
  store("i.raw", std::string("\0\1\2\3\4\5", 6));
  ImageWindow window(open_image(path("i.raw"), {.extents = Index3{3, 2, 1}}));
  window.prepare()({{1, 1, 0}, {3, 2, 1}});
  EXPECT_EQ(window.at({1, 1, 0}), 4);
  EXPECT_EQ(window.at({2, 1, 0}), 5);
  EXPECT_FALSE(ImageWindow(nullptr).prepare());
}

TEST_F(ImageSourceTest, AFileThatBecomesShorterIsNoticed) {
  store("i.raw", std::string(60, 'x'));
  const auto image = open_image(path("i.raw"), {.extents = Index3{5, 4, 3}});
  std::filesystem::resize_file(path("i.raw"), 50);
  image->read({{0, 0, 0}, {5, 4, 2}});
  EXPECT_EQ(refusal(
                [&] {
                  image->read({{0, 0, 2}, {5, 4, 3}});
                },
                ExitCode::files),
            "cannot read i.raw (it became shorter meanwhile)");
}

TEST_F(ImageSourceTest, NamesSortByNumberAndThenByLetter) {
  for (const auto* name : {"b.png", "a10.png", "a9.png", "a09.png", "a1b2.PNG", "a1b11.png",
                           "a.png", "a00000000000000000000000000000008.png"})
    store(name, "");
  std::vector<std::string> names;
  for (const auto& file : png_files_in(directory())) names.push_back(file.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"a.png", "a1b2.PNG", "a1b11.png",
                                             "a00000000000000000000000000000008.png", "a09.png",
                                             "a9.png", "a10.png", "b.png"}));
}

TEST_F(ImageSourceTest, PlanesThatDifferAreRefusedWithBothSizes) {
  store_plane("1.png", 4, 3, 0);
  store_plane("2.png", 4, 2, 0);
  std::string text = refused("", {}, ExitCode::files);
  EXPECT_EQ(text,
            "cannot read 2.png (it has 4 x 2 pixels of 8 bits, 1.png has 4 x 3 pixels of 8 bits); "
            "all planes of a stack must be alike");
  store_plane("2.png", 4, 3, 0);
  EXPECT_EQ(read_image(directory()).extents, (Index3{4, 3, 2}));
  text = refusal([&] { read_image(directory(), {.extents = Index3{4, 3, 3}}); }, ExitCode::usage);
  EXPECT_NE(text.find("(it has 4 x 3 x 2 cells, the grid 4 x 3 x 3)"), std::string::npos) << text;
}

TEST_F(ImageSourceTest, ADirectoryWithoutPngFilesIsRefused) {
  std::filesystem::create_directory(path("empty"));
  EXPECT_EQ(refused("empty", {}, ExitCode::files),
            "cannot read empty (there is no .png file in this directory)");
}

TEST_F(ImageSourceTest, OnePngIsAPlane) {
  store_plane("p.png", 5, 4, 7);
  EXPECT_EQ(read_image(path("p.png"), {.extents = Index3{5, 4, 1}}).at(4, 3, 0), 7);
}

}  // namespace
}  // namespace goban::image_source_test
