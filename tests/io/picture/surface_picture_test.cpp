#include "goban/io/picture/surface_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "goban/base/error.hpp"
#include "tests/error_text.hpp"
#include "tests/io/picture/drawn.hpp"

namespace goban::surface_picture_test {
namespace {

using ::testing::HasSubstr;

/// Distances from the middle of a cube.
class SurfacePicture : public ::testing::Test {
 protected:
  SurfacePicture() {
    for (Index k = 0; k < cells; ++k) {
      for (Index j = 0; j < cells; ++j) {
        for (Index i = 0; i < cells; ++i) {
          const auto from_middle = [](Index n) {
            return static_cast<double>(n) - (cells - 1) / 2.;
          };
          distances_.push_back(std::hypot(from_middle(i), from_middle(j), from_middle(k)));
        }
      }
    }
  }
  ArrayView view() const { return dense_view(distances_.data(), {cells, cells, cells}, "r"); }
  Image drawn(const SurfacePictureOptions& options) const {
    return test::pixels_of(surface_picture(view(), options, PictureFormat::png));
  }

  static constexpr Index cells = 24;

 private:
  std::vector<double> distances_;
};

/// The number of pixels that are of a strong colour.
double coloured(const Image& image) {
  double count = 0;
  for (Index y = 0; y < image.height; ++y) {
    for (Index x = 0; x < image.width; ++x) {
      const auto [red, green, blue] = test::pixel(image, x, y);
      const auto [least, largest] = std::minmax({red, green, blue});
      count += largest - least > 30 ? 1 : 0;
    }
  }
  return count;
}

TEST_F(SurfacePicture, ASphereIsADiscOfItsRadiusFromAnySide) {
  for (const auto& [azimuth, elevation] : {std::pair{0., 0.}, {30., 25.}, {200., -90.}}) {
    const Image image = drawn({.levels = {8}, .azimuth = azimuth, .elevation = elevation});
    const double a = azimuth * std::numbers::pi / 180, e = elevation * std::numbers::pi / 180;
    const double across = std::abs(std::cos(a)) + std::abs(std::sin(a));
    const double up = std::abs(std::cos(e)) + std::abs(std::sin(e)) * across;
    const double pixels_a_cell = 900 / (cells * std::max(across, up));
    const double disc = std::numbers::pi * std::pow(8 * pixels_a_cell, 2);
    EXPECT_NEAR(coloured(image) / disc, 1, 0.03) << azimuth << " " << elevation;
  }
}

TEST_F(SurfacePicture, WhatLiesInFrontHidesTheRest) {
  const Image outer = drawn({.levels = {9}});
  const Image both = drawn({.levels = {9, 5}});
  EXPECT_NEAR(coloured(both) / coloured(outer), 1, 0.01);  // a second line names the second value
  EXPECT_EQ(both.width, outer.width);
  EXPECT_GT(both.height, outer.height);
}

TEST_F(SurfacePicture, CellsWithoutANumberAreEmpty) {
  std::vector<double> values(4 * 4 * 4, std::nan(""));
  values[0] = 0, values[63] = 2;
  const auto view = dense_view(values.data(), {4, 4, 4});
  const auto image =
      test::pixels_of(surface_picture(view, {.name = "v", .levels = {1}}, PictureFormat::png));
  EXPECT_LT(coloured(image), 1000);  // the disc beside the name of the value
}

TEST_F(SurfacePicture, RefusesWhatHasNoSurface) {
  const auto refusal = [](const ArrayView& values, const std::vector<double>& levels) {
    return test::refusal(ExitCode::usage,
                         [&] { surface_picture(values, {.levels = levels}, PictureFormat::svg); });
  };
  EXPECT_THAT(refusal(view(), {100}), HasSubstr("values are between 0.866 and 19.92"));
  EXPECT_THAT(refusal(view(), {}), HasSubstr("no value is given"));
  EXPECT_THAT(refusal(plane_of(view(), Axis::z, 3), {5}), HasSubstr("24 x 24 x 1"));
}

}  // namespace
}  // namespace goban::surface_picture_test
