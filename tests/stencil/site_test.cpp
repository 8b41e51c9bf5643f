#include "goban/stencil/site.hpp"

#include <gtest/gtest.h>

#include <set>
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

TEST(Site, IndexRunsAlongTheUnitAxisAndIsConstantAlongOthers) {
  SiteInfo info = example();
  info.index = {2, 3, 0};
  const SiteAccessor<4> site(info);
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(site.index(Axis::x).lane(lane), 2 + lane);
    EXPECT_EQ(site.index(Axis::y).lane(lane), 3);
  }
  const SiteAccessor<4, Axis::y> other(info);
  EXPECT_EQ(other.index(Axis::x).lane(2), 2);
  EXPECT_EQ(other.index(Axis::y).lane(2), 5);
}

TEST(Site, IndexOfAPeriodicGhostIsTheOwners) {
  SiteInfo info = example();
  for (Index x = -25; x < 25; ++x) {
    for (Index y : {-13, -1, 0, 5, 6, 20}) {
      info.index = {x, y, 0};
      const SiteAccessor<8> site(info);
      EXPECT_EQ(site.index(Axis::y).lane(3), ((y % 6) + 6) % 6);
      for (int lane = 0; lane < 8; ++lane) {
        EXPECT_EQ(site.index(Axis::x).lane(lane), (((x + lane) % 10) + 10) % 10);
      }
    }
  }
}

TEST(Site, IndexIsNotWrappedWhereTheAxisIsNotPeriodic) {
  SiteInfo info = example();
  info.periodic[0] = false;
  info.index = {-2, 0, -1};
  const SiteAccessor<2> site(info);
  EXPECT_EQ(site.index(Axis::x).lane(1), -1);
  EXPECT_EQ(site.index(Axis::z).lane(1), -1);
}

TEST(Site, PositionIsOriginPlusSpacingTimesIndexAndOffset) {
  SiteInfo info = example();
  info.offset[1] = 0;
  info.index = {8, 3, 0};
  const SiteAccessor<4> site(info);
  EXPECT_EQ(site.position(Axis::x).lane(1), -1 + 0.5 * 9.5);
  EXPECT_EQ(site.position(Axis::x).lane(2), -1 + 0.5 * 0.5) << "wrapped";
  EXPECT_EQ(site.position(Axis::y).lane(2), 2 + 0.25 * 3) << "of a face";
  static_assert(std::is_same_v<decltype(site.position<float>(Axis::x)), Pack<float, 4>>);
}

TEST(Site, KnowsStepAndTime) {
  const SiteInfo info = example();
  const SiteAccessor<2> site(info);
  EXPECT_EQ(site.step(), 7);
  EXPECT_EQ(site.time(), 0.125);
}

template <class T, int N>
std::vector<T> random_row(SiteInfo info, int stream) {
  std::vector<T> row;
  for (Index i = 0; i < 64; i += N) {
    info.index[0] = i;
    const auto numbers = SiteAccessor<N>(info).template random<T>(stream);
    for (int lane = 0; lane < N; ++lane) row.push_back(numbers.lane(lane));
  }
  return row;
}

template <class T>
class SiteRandom : public testing::Test {};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(SiteRandom, FloatingTypes);

TYPED_TEST(SiteRandom, DoesNotDependOnTheWidth) {
  SiteInfo info = example();
  info.extents[0] = 64;
  const auto expected = random_row<TypeParam, 1>(info, 3);
  EXPECT_EQ((random_row<TypeParam, 4>(info, 3)), expected);
  EXPECT_EQ((random_row<TypeParam, 16>(info, 3)), expected);
  EXPECT_EQ((random_row<TypeParam, 64>(info, 3)), expected);
}

TYPED_TEST(SiteRandom, DiffersByCellStepStreamAndSeed) {
  SiteInfo info = example();
  info.extents[0] = 64;
  const auto row = random_row<TypeParam, 8>(info, 0);
  EXPECT_EQ(std::set<TypeParam>(row.begin(), row.end()).size(), 64u);
  EXPECT_NE((random_row<TypeParam, 8>(info, 1)), row);
  SiteInfo other = info;
  other.step = 8;
  EXPECT_NE((random_row<TypeParam, 8>(other, 0)), row);
  other = info;
  other.seed = 43;
  EXPECT_NE((random_row<TypeParam, 8>(other, 0)), row);
  other = info;
  other.index[1] = 1;
  EXPECT_NE((random_row<TypeParam, 8>(other, 0)), row);
}

TYPED_TEST(SiteRandom, IsUniformInTheUnitInterval) {
  SiteInfo info = example();
  info.extents[0] = 64;
  double sum = 0, squares = 0;
  int in_tenth[10] = {};
  const int steps = 2000;
  for (info.step = 0; info.step < steps; ++info.step) {
    for (TypeParam x : random_row<TypeParam, 16>(info, 0)) {
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
