#include "goban/io/file/array_view.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "goban/base/error.hpp"
#include "tests/error_text.hpp"

namespace goban::array_view_test {
namespace {

std::vector<float> counting(Index n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

TEST(ArrayView, DenseArraysHaveXFastest) {
  const auto values = counting(24);
  const ArrayView view = dense_view(values.data(), {4, 3, 2}, "u");
  EXPECT_EQ(view.at(1, 0, 0), 1);
  EXPECT_EQ(view.at(0, 1, 0), 4);
  EXPECT_EQ(view.at(0, 0, 1), 12);
  EXPECT_EQ(view.cells(), 24);
  EXPECT_EQ(view.name, "u");
}

TEST(ArrayView, ComponentsAreOutermost) {
  const auto values = counting(48);
  const ArrayView view = dense_view(ElementType::float32, {4, 3, 2}, 2, values.data());
  EXPECT_EQ(view.at(3, 2, 1, 1), 47);
  EXPECT_EQ(component_of(view, 1).at(1, 0, 0), 25);
  EXPECT_EQ(component_of(view, 1).components, 1);
}

TEST(ArrayView, BoxesAndPlanesAreViewsOfTheSameValues) {
  const auto values = counting(24);
  const ArrayView view = dense_view(values.data(), {4, 3, 2});
  EXPECT_EQ(box_of(view, {1, 2, 1}, {2, 1, 1}).at(1, 0, 0), view.at(2, 2, 1));
  const ArrayView plane = plane_of(view, Axis::y, 2);
  EXPECT_EQ(plane.extents, (Index3{4, 1, 2}));
  EXPECT_EQ(plane.at(3, 0, 1), view.at(3, 2, 1));
}

TEST(ArrayView, EveryElementTypeReadsAsDouble) {
  const std::uint8_t byte = 200;
  const std::int32_t integer = -7;
  const half quarter(0.25f);
  const double pi = 3.141592653589793;
  EXPECT_EQ(dense_view(&byte, {1, 1, 1}).at(0, 0, 0), 200);
  EXPECT_EQ(dense_view(&integer, {1, 1, 1}).at(0, 0, 0), -7);
  EXPECT_EQ(dense_view(&quarter, {1, 1, 1}).at(0, 0, 0), 0.25);
  EXPECT_EQ(dense_view(&pi, {1, 1, 1}).at(0, 0, 0), pi);
}

TEST(ArrayView, CopiesOfStridedViewsAreDense) {
  const auto values = counting(48);
  ArrayView interleaved = dense_view(ElementType::float32, {4, 3, 2}, 2, values.data(), "v");
  interleaved.strides = {2, 8, 24};
  interleaved.component_stride = 1;
  const Array copy = copy_of(interleaved);
  for (Index k = 0; k < 2; ++k)
    for (Index j = 0; j < 3; ++j)
      for (Index i = 0; i < 4; ++i)
        for (int c = 0; c < 2; ++c)
          EXPECT_EQ(copy.at(i, j, k, c), static_cast<double>(2 * (i + 4 * j + 12 * k) + c));
  EXPECT_EQ(copy.view().strides, (Index3{1, 4, 12}));
  EXPECT_EQ(copy.name, "v");
}

TEST(ArrayView, CopyWidensHalfToFloat) {
  const std::vector<half> halves = {half(1.5f), half(-2.0f)};
  std::vector<float> floats(2);
  copy_elements(dense_view(halves.data(), {2, 1, 1}), {.type = ElementType::float32,
                                                       .data = floats.data(),
                                                       .strides = {1, 2, 2},
                                                       .component_stride = 2});
  EXPECT_EQ(floats, (std::vector<float>{1.5f, -2.0f}));
}

TEST(ArrayView, CopyRefusesOtherConversions) {
  const double value = 1;
  float other = 0;
  EXPECT_THROW(copy_elements(dense_view(&value, {1, 1, 1}), {.type = ElementType::float32,
                                                             .data = &other,
                                                             .strides = {1, 1, 1},
                                                             .component_stride = 1}),
               std::logic_error);
}

TEST(Array, StartsWithZerosOfTheRightSize) {
  const Array array(ElementType::int32, {3, 2, 5}, 4, "n");
  EXPECT_EQ(array.bytes.size(), 3u * 2 * 5 * 4 * 4);
  EXPECT_EQ(array.at(2, 1, 4, 3), 0);
  EXPECT_EQ(array.as<std::int32_t>().size(), 120u);
}

TEST(Array, SizesThatDoNotFitAreRefused) {
  EXPECT_EQ(byte_count(ElementType::float64, {10, 10, 10}, 3), 24000);
  EXPECT_THROW(byte_count(ElementType::uint8, {0, 1, 1}, 1), Error);
  EXPECT_THROW(byte_count(ElementType::uint8, {-4, 1, 1}, 1), Error);
  EXPECT_THROW(byte_count(ElementType::uint8, {1, 1, 1}, 0), Error);
  const Index big = Index{1} << 31;
  EXPECT_EQ(test::error_of([&] {
              byte_count(ElementType::uint8, {big, big, big}, 1);
            }),
            "no array has 2147483648 x 2147483648 x 2147483648 cells of 1 components (each "
            "count must be positive and their product below 2^63 bytes)");
}

}  // namespace
}  // namespace goban::array_view_test
