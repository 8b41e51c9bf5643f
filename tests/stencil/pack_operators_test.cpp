#include "goban/stencil/pack/pack_operators.hpp"

#include "tests/stencil/lanes.hpp"

namespace goban::pack_operators_test {
namespace {

using test::expect_lanes_independent;
using test::planted;

template <class X, class Y>
constexpr bool is_same = std::is_same_v<X, Y>;

template <class T>
class PackOf : public testing::Test {};
using LaneTypes =
    testing::Types<float, double, std::int32_t, std::uint8_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(PackOf, LaneTypes);

TYPED_TEST(PackOf, ArithmeticIsThatOfOneLane) {
  const auto a = planted<TypeParam>(1), b = planted<TypeParam>(2), c = planted<TypeParam>(3);
  expect_lanes_independent(
      "+", [](const auto& x, const auto& y) { return x + y; }, a, b);
  expect_lanes_independent(
      "-", [](const auto& x, const auto& y) { return x - y; }, a, b);
  expect_lanes_independent(
      "*", [](const auto& x, const auto& y) { return x * y; }, a, b);
  expect_lanes_independent(
      "negation", [](const auto& x) { return -x; }, a);
  expect_lanes_independent(
      "with a number", [](const auto& x) { return 3 * x + 1 - (x - 2) * 5; }, a);
  expect_lanes_independent(
      "compound",
      [](const auto& x, const auto& y, const auto& z) {
        auto sum = x;
        sum += y;
        sum *= z;
        sum -= 1;
        return sum;
      },
      a, b, c);
}

TYPED_TEST(PackOf, DivisionIsThatOfOneLane) {
  const auto a = planted<TypeParam>(4);
  auto b = planted<TypeParam>(5);
  if constexpr (std::is_integral_v<TypeParam>) {
    for (auto& x : b) x = static_cast<TypeParam>(x / 2 == 0 ? 3 : x / 2);
    expect_lanes_independent(
        "%", [](const auto& x, const auto& y) { return x % y; }, a, b);
  }
  expect_lanes_independent(
      "/", [](const auto& x, const auto& y) { return x / y; }, a, b);
}

TYPED_TEST(PackOf, ComparisonsAndSelectionAreThoseOfOneLane) {
  const auto a = planted<TypeParam>(6);
  auto b = planted<TypeParam>(7);
  for (std::size_t i = 0; i < b.size(); i += 3) b[i] = a[i];
  expect_lanes_independent(
      "==", [](const auto& x, const auto& y) { return x == y; }, a, b);
  expect_lanes_independent(
      "!=", [](const auto& x, const auto& y) { return x != y; }, a, b);
  expect_lanes_independent(
      "<", [](const auto& x, const auto& y) { return x < y; }, a, b);
  expect_lanes_independent(
      "<=", [](const auto& x, const auto& y) { return x <= y; }, a, b);
  expect_lanes_independent(
      ">", [](const auto& x, const auto& y) { return x > y; }, a, b);
  expect_lanes_independent(
      ">=", [](const auto& x, const auto& y) { return x >= y; }, a, b);
  expect_lanes_independent(
      "select", [](const auto& x, const auto& y) { return select(x < y, x, y); }, a, b);
  expect_lanes_independent(
      "logic",
      [](const auto& x, const auto& y) {
        return ((x < y) && !(x == 1)) || (y > 3 && true) || (false ^ (x > y));
      },
      a, b);
  expect_lanes_independent(
      "select of numbers", [](const auto& x, const auto& y) { return select(x < y, 1, 0); }, a, b);
}

template <class T>
class IntegerPackOf : public testing::Test {};
using IntegerTypes = testing::Types<std::int32_t, std::uint8_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(IntegerPackOf, IntegerTypes);

/// A pack is divided in lanes that nobody asks for, too.
TYPED_TEST(IntegerPackOf, DivisionByZeroAndMinusOneIsDefined) {
  using T = TypeParam;
  constexpr T least = std::numeric_limits<T>::min(), minus_one = static_cast<T>(-1);
  const auto check = [&]<int N>(std::integral_constant<int, N>) {
    const Pack<T, N> zero(0), seven(7), lowest(least);
    for (int i = 0; i < N; ++i) {
      EXPECT_EQ((seven / zero).lane(i), 7);
      EXPECT_EQ((seven % zero).lane(i), 0);
      if constexpr (std::is_signed_v<T>) {
        EXPECT_EQ((lowest / Pack<T, N>(minus_one)).lane(i), least);
        EXPECT_EQ((lowest % Pack<T, N>(minus_one)).lane(i), 0);
        EXPECT_EQ((seven / Pack<T, N>(minus_one)).lane(i), -7);
      } else {
        EXPECT_EQ((seven / Pack<T, N>(minus_one)).lane(i), 0);
        EXPECT_EQ((seven % Pack<T, N>(minus_one)).lane(i), 7);
      }
    }
  };
  check(std::integral_constant<int, 1>());
  check(std::integral_constant<int, 8>());
}

TYPED_TEST(IntegerPackOf, BitLogicAndShiftsAreThoseOfOneLane) {
  const auto a = planted<TypeParam>(8), b = planted<TypeParam>(9);
  auto count = planted<TypeParam>(10);
  for (auto& x : count) x = static_cast<TypeParam>(x & 7);
  expect_lanes_independent(
      "&", [](const auto& x, const auto& y) { return x & y; }, a, b);
  expect_lanes_independent(
      "|", [](const auto& x, const auto& y) { return x | y; }, a, b);
  expect_lanes_independent(
      "^", [](const auto& x, const auto& y) { return x ^ y; }, a, b);
  expect_lanes_independent(
      "~", [](const auto& x) { return ~x; }, a);
  expect_lanes_independent(
      "<<", [](const auto& x, const auto& y) { return x << y; }, a, count);
  expect_lanes_independent(
      ">>", [](const auto& x, const auto& y) { return x >> y; }, a, count);
  expect_lanes_independent(
      "<< 3 >> 2", [](const auto& x) { return x << 3 >> 2; }, a);
}

TEST(Pack, MixedTypesAreThoseOfOneLane) {
  const auto f = planted<float>(11);
  const auto d = planted<double>(12);
  const auto i = planted<std::int32_t>(13);
  const auto u = planted<std::uint8_t>(14);
  const auto l = planted<std::int64_t>(15);
  const auto mixed = [](const auto& x, const auto& y) { return select(x < y, x * y, x + y); };
  expect_lanes_independent("float, double", mixed, f, d);
  expect_lanes_independent("int32, float", mixed, i, f);
  expect_lanes_independent("uint8, int32", mixed, u, i);
  expect_lanes_independent("uint8, double", mixed, u, d);
  expect_lanes_independent("int64, float", mixed, l, f);
  expect_lanes_independent(
      "mask of bytes for doubles",
      [](const auto& x, const auto& y) { return select(x > 7, y, -y); }, u, d);
  expect_lanes_independent(
      "mask of doubles for bytes", [](const auto& x, const auto& y) { return select(y > 0, x, 9); },
      u, d);
}

TEST(Pack, TypesMeetByOneRuleWhateverTheWidth) {
  test::for_each_width([](auto width) {
    constexpr int N = width;
    using F = Pack<float, N>;
    using D = Pack<double, N>;
    using I = Pack<std::int32_t, N>;
    using B = Pack<std::uint8_t, N>;
    using L = Pack<std::int64_t, N>;
    using U = Pack<std::uint64_t, N>;
    static_assert(is_same<decltype(F() + D()), D>);
    static_assert(is_same<decltype(L() * F()), F>);
    static_assert(is_same<decltype(I() - B()), I>);
    static_assert(is_same<decltype(L() - U()), U>);
    static_assert(is_same<decltype(B() + B()), B>);
    static_assert(is_same<decltype(F() < D()), Mask<8, N>>);
    static_assert(is_same<decltype((F() < 1) && (D() < 1)), Mask<8, N>>);
  });
}

TEST(Pack, NumbersTakeTheTypeOfThePack) {
  using F = Pack<float, 4>;
  using B = Pack<std::uint8_t, 4>;
  static_assert(is_same<decltype(2.5 * F()), F>);
  static_assert(is_same<decltype(F() + 1), F>);
  static_assert(is_same<decltype(B() + 300), B>);
  static_assert(is_same<decltype(F() + std::integral_constant<int, 2>{}), F>);
  EXPECT_EQ((Pack<float, 4>(1) * 0.1).lane(2), 0.1f);
  EXPECT_EQ((B(1) + 300).lane(0), 45);
}

TEST(Pack, SelectOfTwoNumbersIsAsWideAsTheLanesCompared) {
  static_assert(is_same<decltype(select(Mask<4, 8>(), 1.0, 0.0)), Pack<float, 8>>);
  static_assert(is_same<decltype(select(Mask<8, 8>(), 1.0f, 0)), Pack<double, 8>>);
  static_assert(is_same<decltype(select(Mask<1, 8>(), 1, 0)), Pack<std::uint8_t, 8>>);
  static_assert(is_same<decltype(select(Mask<4, 8>(), 1, 0)), Pack<std::int32_t, 8>>);
}

TEST(Pack, NarrowIntegersWrap) {
  const Pack<std::uint8_t, 1> a = 200, b = 100;
  EXPECT_EQ((a + b).lane(0), 44);
  EXPECT_EQ((b - a).lane(0), 156);
  EXPECT_EQ((a * b).lane(0), 32);
  EXPECT_EQ((-b).lane(0), 156);
  EXPECT_EQ((a << 1).lane(0), 144);
  const Pack<std::int32_t, 1> most = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ((most + 1).lane(0), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ((most * 2).lane(0), -2);
}

TEST(Pack, BroadcastKeepsTheSignOfZero) {
  const Pack<float, 8> zero = -0.0f;
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(std::signbit(zero.lane(i)));
}

TEST(Pack, IotaCountsLanes) {
  test::for_each_width([](auto width) {
    constexpr int N = width;
    const auto count = iota<std::uint8_t, N>();
    for (int i = 0; i < N; ++i) EXPECT_EQ(count.lane(i), i);
  });
}

TEST(Pack, ConvertsAsOneLaneDoes) {
  const auto between = [](auto from, auto to) {
    using From = decltype(from);
    using To = decltype(to);
    test::Lanes<From> in;
    for (int i = 0; i < test::lane_count; ++i) {
      in[static_cast<std::size_t>(i)] = static_cast<From>(i * 3.99);
    }
    expect_lanes_independent(
        "convert", [](const auto& x) { return convert<To>(x); }, in);
    EXPECT_EQ(convert<To>(test::pack_of<8>(in.data())).lane(7), static_cast<To>(in[7]));
  };
  const auto from = [&](const auto& x) {
    between(x, float{});
    between(x, double{});
    between(x, std::int32_t{});
    between(x, std::uint8_t{});
    between(x, std::int64_t{});
    between(x, std::uint64_t{});
  };
  from(float{});
  from(double{});
  from(std::int32_t{});
  from(std::uint8_t{});
  from(std::int64_t{});
  from(std::uint64_t{});
}

TEST(Pack, ConvertsLargeIntegersToTheNearestFloatInEveryLane) {
  const auto to_floats = [](const auto& in) {
    expect_lanes_independent(
        "to float", [](const auto& x) { return convert<float>(x); }, in);
    expect_lanes_independent(
        "to double", [](const auto& x) { return convert<double>(x); }, in);
  };
  to_floats(planted<std::int32_t>(16));
  to_floats(planted<std::int64_t>(17));
  to_floats(planted<std::uint64_t>(18));
  EXPECT_EQ(convert<float>(Pack<std::uint64_t, 8>(~std::uint64_t{0})).lane(7), 0x1p64f);
}

TEST(Pack, NarrowingConversionWraps) {
  EXPECT_EQ(convert<std::uint8_t>(Pack<std::int32_t, 16>(-1)).lane(3), 255);
  EXPECT_EQ(convert<std::uint8_t>(Pack<std::int64_t, 4>(0x1234)).lane(3), 0x34);
}

TEST(Mask, OfOneLaneIsACondition) {
  const Pack<float, 1> a = 2;
  EXPECT_TRUE(a > 1 ? true : false);
  EXPECT_FALSE((a > 1 && a > 3) ? true : false);
}

TEST(Select, TakesOneConditionForAllLanes) {
  const Pack<float, 4> a = 2;
  EXPECT_EQ(select(true, a, 0).lane(3), 2);
  EXPECT_EQ(select(false, a, 0.5).lane(3), 0.5f);
  EXPECT_EQ(select(true, 1, 0), 1);
}

}  // namespace
}  // namespace goban::pack_operators_test
