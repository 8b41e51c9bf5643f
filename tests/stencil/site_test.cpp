#include "goban/stencil/site.hpp"

#include <gtest/gtest.h>

#include <set>
#include <type_traits>
#include <vector>

namespace goban::site_test {
namespace {

SiteInfo example() {
  return {.index = {0, 0, 0},
          .extents = {10, 6, 1},
          .periodic = {true, true, false},
          .origin = {-1, 2, 0},
          .spacing = {0.5, 0.25, 1},
          .offset = {0.5, 0.5, 0.5},
          .step = 7,
          .time = 0.125,
          .seed = 42};
}

TEST(Site, IndexOfAPeriodicGhostIsTheOwners) {
  SiteInfo info = example();
  for (Index x = -25; x < 25; ++x) {
    for (Index y : {-13, -1, 0, 5, 6, 20}) {
      info.index = {x, y, 0};
      EXPECT_EQ(index_at(info, Axis::x), ((x % 10) + 10) % 10);
      EXPECT_EQ(index_at(info, Axis::y), ((y % 6) + 6) % 6);
    }
  }
}

TEST(Site, IndexIsNotWrappedWhereTheAxisIsNotPeriodic) {
  SiteInfo info = example();
  info.periodic[0] = false;
  info.index = {-1, 0, -1};
  EXPECT_EQ(index_at(info, Axis::x), -1);
  EXPECT_EQ(index_at(info, Axis::z), -1);
  info.index = {12, 0, 1};
  EXPECT_EQ(index_at(info, Axis::x), 12);
  EXPECT_EQ(index_at(info, Axis::z), 1);
}

TEST(Site, PositionIsOriginPlusSpacingTimesIndexAndOffset) {
  SiteInfo info = example();
  info.offset[1] = 0;
  info.index = {9, 3, 0};
  EXPECT_EQ(position_at<double>(info, Axis::x), -1 + 0.5 * 9.5);
  EXPECT_EQ(position_at<float>(info, Axis::x), -1 + 0.5f * 9.5f);
  EXPECT_EQ(position_at<double>(info, Axis::y), 2 + 0.25 * 3) << "of a face";
  info.index = {10, 3, 0};
  EXPECT_EQ(position_at<double>(info, Axis::x), -1 + 0.5 * 0.5) << "wrapped";
  static_assert(std::is_same_v<decltype(position_at<float>(info, Axis::x)), float>);
}

template <class T>
std::vector<T> random_row(SiteInfo info, int stream) {
  std::vector<T> row;
  for (Index i = 0; i < 64; ++i) {
    info.index[0] = i;
    row.push_back(random_at<T>(info, stream));
  }
  return row;
}

template <class T>
class SiteRandom : public testing::Test {};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(SiteRandom, FloatingTypes);

/// Runs are repeated on other machines and by later versions.
TYPED_TEST(SiteRandom, IsThisHashOfRunStepStreamAndCell) {
  using T = TypeParam;
  SiteInfo info = example();
  info.index = {3, 2, 0};
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;
  const std::uint64_t key = mix(mix(mix(42) ^ 7) ^ 3), cell = 3 + 10 * 2;
  const std::uint64_t hash = mix(key + (cell - 1) * step);
  const double expected = sizeof(T) == 4 ? static_cast<double>(hash >> 40) * 0x1p-24
                                         : static_cast<double>(hash >> 11) * 0x1p-53;
  EXPECT_EQ(random_at<T>(info, 3), expected);
}

TYPED_TEST(SiteRandom, OfAPeriodicGhostIsTheOwners) {
  SiteInfo info = example(), ghost = example();
  info.index = {9, 2, 0};
  ghost.index = {-1, 8, 0};
  EXPECT_EQ(random_at<TypeParam>(ghost, 0), random_at<TypeParam>(info, 0));
}

TYPED_TEST(SiteRandom, DiffersByCellStepStreamAndSeed) {
  SiteInfo info = example();
  info.extents[0] = 64;
  const auto row = random_row<TypeParam>(info, 0);
  EXPECT_EQ(std::set<TypeParam>(row.begin(), row.end()).size(), 64u);
  EXPECT_NE(random_row<TypeParam>(info, 1), row);
  SiteInfo other = info;
  other.step = 8;
  EXPECT_NE(random_row<TypeParam>(other, 0), row);
  other = info;
  other.seed = 43;
  EXPECT_NE(random_row<TypeParam>(other, 0), row);
  other = info;
  other.index[1] = 1;
  EXPECT_NE(random_row<TypeParam>(other, 0), row);
}

TYPED_TEST(SiteRandom, IsUniformInTheUnitInterval) {
  SiteInfo info = example();
  info.extents[0] = 64;
  double sum = 0, squares = 0;
  int in_tenth[10] = {};
  const int steps = 2000;
  for (info.step = 0; info.step < steps; ++info.step) {
    for (TypeParam x : random_row<TypeParam>(info, 0)) {
      ASSERT_GE(x, 0);
      ASSERT_LT(x, 1);
      sum += x;
      squares += x * x;
      ++in_tenth[static_cast<int>(x * 10)];
    }
  }
  // 128,000 numbers: five standard deviations.
  EXPECT_NEAR(sum / (64 * steps), 1.0 / 2, 5 * 0.2887 / 357.8);
  EXPECT_NEAR(squares / (64 * steps), 1.0 / 3, 5 * 0.2981 / 357.8);
  for (int n : in_tenth) EXPECT_NEAR(n, 6.4 * steps, 5 * 107.3);
}

}  // namespace
}  // namespace goban::site_test
