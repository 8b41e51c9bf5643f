#include "goban/io/image/image_source.hpp"

#include <fmt/format.h>

#include <cmath>

#include "goban/io/file/npy.hpp"
#include "goban/io/image/plane_stack.hpp"
#include "tests/io/image/tiff_text.hpp"
#include "tests/io/scratch.hpp"
#include "tests/png_file.hpp"

namespace goban::image_source_test {
namespace {

class ImageSourceTest : public ScratchTest {
 protected:
  void store_plane(std::string_view name, Index width, Index height, int value) const {
    Image image(width, height, 1);
    std::fill(image.pixels.begin(), image.pixels.end(), static_cast<std::uint8_t>(value));
    test::write_png(path(name), image);
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
    test::write_png(path(fmt::format("stack/{}.png", k)), plane);
  }
  store("i.nrrd",
        "NRRD0004\n# by hand\ntype: uint8\ndimension: 3\nsizes: 7 5 4\n"
        "encoding: raw\n\n" +
            std::string(bytes.data(), bytes.size()));
  store("i.nhdr",
        "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 7 5 4\nencoding: raw\n"
        "data file: i.raw\n");
  const Box boxes[] = {{{0, 0, 0}, n},         {{0, 0, 1}, {7, 5, 3}}, {{0, 2, 1}, {7, 4, 2}},
                       {{3, 1, 0}, {5, 4, 4}}, {{6, 4, 3}, {7, 5, 4}}, {{2, 0, 3}, {7, 5, 4}}};
  for (const auto* name : {"i.raw", "c.npy", "f.npy", "stack", "i.nrrd", "i.nhdr"}) {
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
  for (const auto& file : plane_files_in(directory())) names.push_back(file.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"a.png", "a1b2.PNG", "a1b11.png",
                                             "a00000000000000000000000000000008.png", "a09.png",
                                             "a9.png", "a10.png", "b.png"}));
}

TEST_F(ImageSourceTest, PlanesThatDifferAreRefusedWithBothSizes) {
  store_plane("1.png", 4, 3, 0);
  store_plane("2.png", 4, 2, 0);
  std::string text = refused("", {}, ExitCode::files);
  EXPECT_EQ(text,
            "cannot read 2.png (it has 4 x 2 pixels of uint8, 1.png has 4 x 3 pixels of uint8); "
            "all planes of a stack must be alike");
  store_plane("2.png", 4, 3, 0);
  EXPECT_EQ(read_image(directory()).extents, (Index3{4, 3, 2}));
  text = refusal([&] { read_image(directory(), {.extents = Index3{4, 3, 3}}); }, ExitCode::usage);
  EXPECT_NE(text.find("(it has 4 x 3 x 2 cells, the grid 4 x 3 x 3)"), std::string::npos) << text;
}

TEST_F(ImageSourceTest, ADirectoryWithoutPlanesIsRefused) {
  std::filesystem::create_directory(path("empty"));
  EXPECT_EQ(refused("empty", {}, ExitCode::files),
            "cannot read empty (there is no .png or .tif file in it)");
}

TEST_F(ImageSourceTest, OnePngIsAPlane) {
  store_plane("p.png", 5, 4, 7);
  EXPECT_EQ(read_image(path("p.png"), {.extents = Index3{5, 4, 1}}).at(4, 3, 0), 7);
}

TEST_F(ImageSourceTest, NumbersThatAreNotFiniteAreRefusedWithTheirCell) {
  Array values(ElementType::float32, {3, 2, 2});
  values.as<float>()[3 + 6 + 2] = std::nanf("");
  write_npy(path("i.npy"), values.view());
  EXPECT_EQ(refused("i.npy", {}, ExitCode::files),
            "cannot read i.npy (cell 2 1 1 of the image is nan)");
  open_image(path("i.npy"))->read({{0, 0, 0}, {2, 2, 2}});
  const double infinite = HUGE_VAL;
  store("i.raw", {reinterpret_cast<const char*>(&infinite), sizeof infinite});
  EXPECT_EQ(
      refused("i.raw", {.extents = Index3{1, 1, 1}, .type = ElementType::float64}, ExitCode::files),
      "cannot read i.raw (cell 0 0 0 of the image is inf)");
}

TEST_F(ImageSourceTest, PixelsAreUnpackedOnlyIfTheImageFits) {
  test::write_png(path("i.png"), Image(4, 3, 1));
  std::string file = content("i.png");
  file.resize(file.size() - 30);  // what follows the header is damaged
  store("i.png", file);
  EXPECT_EQ(refused("i.png", {.extents = Index3{4, 4, 1}}),
            "image i.png does not fit (it has 4 x 3 x 1 cells, the grid 4 x 4 x 1); make them "
            "equal; images are not resampled");
  EXPECT_NE(refused("i.png", {.extents = Index3{4, 3, 1}}, ExitCode::files), "");
}

TEST_F(ImageSourceTest, NrrdIsReadAsItsHeaderSays) {
  const auto reads = [&](const std::string& fields, const std::string& values) {
    store("i.nrrd", "NRRD0005\n" + fields + "\n" + values);
    return read_image(path("i.nrrd"));
  };
  const std::string big = "type: short\ndimension: 2\nsizes: 2 1\nencoding: raw\nendian: big\n";
  const Array image =
      reads(big + "space units: \"mm\"\nkey:=value\n", std::string("\0\2\xff\xff", 4));
  EXPECT_EQ(image.type, ElementType::int32);
  EXPECT_EQ(image.at(0, 0, 0), 2);
  EXPECT_EQ(image.at(1, 0, 0), -1);
  EXPECT_EQ(reads(big + "byte skip: 3\n", std::string("abc\0\2\0\1", 7)).at(0, 0, 0), 2);
  EXPECT_EQ(reads(big + "byte skip: -1\n", std::string("abc\0\2\0\1", 7)).at(0, 0, 0), 2);
  const auto refusal_of = [&](const std::string& fields) {
    return refusal([&] { reads(fields, "1234"); }, ExitCode::files);
  };
  EXPECT_EQ(refusal_of("type: float\ndimension: 1\nsizes: 1\nencoding: gzip\n"),
            "cannot read i.nrrd (its encoding is gzip); save it with the encoding raw");
  EXPECT_EQ(refusal_of("type: float\ndimension: 1\nsizes: 1\nencoding: raw\n"),
            "cannot read i.nrrd (its header has no endian)");
  EXPECT_EQ(refusal_of("type: block\ndimension: 1\nsizes: 1\nencoding: raw\n"),
            "cannot read i.nrrd (its type is block); convert it to integers or reals");
  EXPECT_EQ(refusal_of("type: uchar\ndimension: 2\nsizes: 5 1\nencoding: raw\n"),
            "cannot read i.nrrd (its values are 5 bytes, there are 4)");
  EXPECT_EQ(refusal_of("type: uchar\ndimension: 4\nsizes: 1 2 2 1\nencoding: raw\n"),
            "cannot read i.nrrd (it has 4 axes); an image has one value a cell");
  EXPECT_EQ(refusal_of("type: uchar\ndimension: 1\nsizes: 4 1\nencoding: raw\n"),
            "cannot read i.nrrd (it has more sizes than axes)");
}

bool has_tiff(const std::string& refusal) {
  return refusal.find("there is no libtiff") == std::string::npos;
}

TEST_F(ImageSourceTest, PagesOfTiffAreThePlanesOfAnImage) {
  for (const bool is_big_endian : {false, true}) {
    TiffText text(is_big_endian);
    for (char z = 0; z < 3; ++z) {
      const std::string values =
          is_big_endian ? std::string({1, z, 0, 7}) : std::string({z, 1, 7, 0});
      text.page(2, 1, 16, 1, values);
    }
    store("i.tif", text.bytes());
    if (!has_tiff(test::error_of([&] { open_image(path("i.tif")); }))) GTEST_SKIP() << "no libtiff";
    const Array image = read_image(path("i.tif"), {.extents = Index3{2, 1, 3}});
    EXPECT_EQ(image.type, ElementType::int32);
    for (Index z = 0; z < 3; ++z) {
      EXPECT_EQ(image.at(0, 0, z), 256 + z);
      EXPECT_EQ(image.at(1, 0, z), 7);
    }
    EXPECT_EQ(open_image(path("i.tif"))->read({{1, 0, 1}, {2, 1, 3}}).at(0, 0, 1), 7);
  }
}

TEST_F(ImageSourceTest, TiffOfOtherTypesIsReadAndWhatIsNoneRefused) {
  TiffText bits(false);
  bits.page(10, 2, 1, 1, std::string("\xa0\x40\x00\x80", 4), 0);
  store("b.tif", bits.bytes());
  if (!has_tiff(test::error_of([&] { open_image(path("b.tif")); }))) GTEST_SKIP() << "no libtiff";
  const Array image = read_image(path("b.tif"));
  EXPECT_EQ(image.extents, (Index3{10, 2, 1}));
  const int expected[2][10] = {{1, 0, 1, 0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0}};
  for (Index y = 0; y < 2; ++y)
    for (Index x = 0; x < 10; ++x) EXPECT_EQ(image.at(x, y, 0), expected[y][x]) << x << " " << y;

  TiffText reals(false);
  const float value = 1.5f;
  reals.page(1, 1, 32, 3, {reinterpret_cast<const char*>(&value), 4});
  store("f.tif", reals.bytes());
  EXPECT_EQ(read_image(path("f.tif")).at(0, 0, 0), 1.5);

  TiffText colors(false);
  colors.page(1, 1, 8, 1, "x", 2);
  store("c.tif", colors.bytes());
  EXPECT_EQ(refused("c.tif", {}, ExitCode::files),
            "cannot read c.tif (it has colours); save it as a grey image without transparency");
  store("n.tif", "no image");
  EXPECT_NE(refused("n.tif", {}, ExitCode::files), "");
  store("s.tif", reals.bytes().substr(0, 20));
  EXPECT_NE(refused("s.tif", {}, ExitCode::files), "");
  EXPECT_EQ(refused("none.tif", {}, ExitCode::files),
            "cannot read none.tif (No such file or directory); check the path");
}

}  // namespace
}  // namespace goban::image_source_test
