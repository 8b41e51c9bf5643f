#include "goban/stencil/pack_math.hpp"

#include "tests/stencil/lanes.hpp"

namespace goban::pack_math_test {
namespace {

using test::expect_lanes_independent;
using test::planted;
using test::same_bits;

template <class T>
class PackMath : public testing::Test {};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(PackMath, FloatingTypes);

TYPED_TEST(PackMath, IsTheStandardFunctionInEveryLane) {
  using T = TypeParam;
  const auto in = planted<T>(1);
  const auto expect = [&](const char* name, auto on_packs, auto on_numbers) {
    expect_lanes_independent(name, on_packs, in);
    for (T x : in) {
      EXPECT_TRUE(same_bits(on_packs(Pack<T, 1>(x)).lane(0), on_numbers(x))) << name << " of " << x;
    }
  };
#define GOBAN_EXPECT_FUNCTION(name) \
  expect(                           \
      #name, [](const auto& x) { return name(x); }, [](T x) { return std::name(x); })
  GOBAN_EXPECT_FUNCTION(sqrt);
  GOBAN_EXPECT_FUNCTION(floor);
  GOBAN_EXPECT_FUNCTION(ceil);
  GOBAN_EXPECT_FUNCTION(abs);
#undef GOBAN_EXPECT_FUNCTION
}

TYPED_TEST(PackMath, OfSeveralArgumentsIsThatOfOneLane) {
  using T = TypeParam;
  const auto a = planted<T>(2), b = planted<T>(3), c = planted<T>(4);
  expect_lanes_independent(
      "pow 3", [](const auto& x) { return pow(x, 3); }, a);
  expect_lanes_independent(
      "min", [](const auto& x, const auto& y) { return min(x, y); }, a, b);
  expect_lanes_independent(
      "max", [](const auto& x, const auto& y) { return max(x, y); }, a, b);
  expect_lanes_independent(
      "max 1", [](const auto& x) { return max(1, min(x, 2.5)); }, a);
  expect_lanes_independent(
      "fma", [](const auto& x, const auto& y, const auto& z) { return fma(x, y, z); }, a, b, c);
  expect_lanes_independent(
      "fma 2", [](const auto& x, const auto& y) { return fma(x, 0.1, y); }, a, b);
}

TYPED_TEST(PackMath, ExtremaTakeTheFirstUnlessTheSecondIsBeyondIt) {
  using T = TypeParam;
  const Pack<T, 8> one = 1, two = 2, zero = 0, minus_zero = T(-0.0), nan = T(NAN);
  EXPECT_EQ(min(one, two).lane(3), 1);
  EXPECT_EQ(max(one, two).lane(3), 2);
  EXPECT_EQ(min(one, nan).lane(3), 1) << "a NaN in the second is not taken";
  EXPECT_EQ(max(one, nan).lane(3), 1);
  EXPECT_TRUE(std::isnan(min(nan, one).lane(3)));
  EXPECT_TRUE(std::isnan(max(nan, one).lane(3)));
  EXPECT_FALSE(std::signbit(min(zero, minus_zero).lane(3)));
  EXPECT_TRUE(std::signbit(max(minus_zero, zero).lane(3)));
}

TYPED_TEST(PackMath, FmaRoundsOnceAndArithmeticTwice) {
  using T = TypeParam;
  const T e = std::numeric_limits<T>::epsilon();
  const Pack<T, 8> a = 1 + e, b = 1 - e;
  EXPECT_EQ(fma(a, b, -1).lane(5), -e * e);
  EXPECT_EQ((a * b - 1).lane(5), 0);
}

TEST(PackMath, OfIntegersIsThatOfOneLane) {
  const auto i = planted<std::int32_t>(5);
  const auto u = planted<std::uint8_t>(6), v = planted<std::uint8_t>(7);
  expect_lanes_independent(
      "abs", [](const auto& x) { return abs(x); }, i);
  expect_lanes_independent(
      "min", [](const auto& x, const auto& y) { return min(x, y); }, u, v);
  expect_lanes_independent(
      "max", [](const auto& x, const auto& y) { return max(x, y); }, u, i);
}

TEST(ScalarMath, HasTheNamesOfPacks) {
  EXPECT_EQ(goban::sqrt(4.0f), 2.0f);
  EXPECT_EQ(goban::min(2, 3), 2);
  EXPECT_EQ(goban::max(2.0, 3.0), 3.0);
  EXPECT_EQ(goban::abs(-3), 3);
  EXPECT_TRUE(!std::signbit(goban::abs(-0.0)));
  EXPECT_EQ(goban::fma(2.0, 3.0, 1.0), 7.0);
  EXPECT_EQ(convert<float>(0.1), 0.1f);
}

}  // namespace
}  // namespace goban::pack_math_test
