// The mathematical functions against the standard library's in a finer type, and against
// themselves: the bits of a result depend on the argument alone.

#include <gtest/gtest.h>

#include <vector>

#include "benchmarks/mathematics/functions.hpp"
#include "goban/base/mix.hpp"
#include "tests/long.hpp"
#include "tests/stencil/lanes.hpp"

namespace goban::mathematics_test {
namespace {

using mathematics::error_in_ulps;
using mathematics::Finer;
using mathematics::for_each_function;
using mathematics::number_of;
using mathematics::some_argument;

template <class T>
inline constexpr int width = 64 / sizeof(T);
template <class T>
using Widest = Pack<T, width<T>>;

/// The largest error of f over arguments x(n), y(n), n = 0, step, 2 step, ... below count.
template <class T, class F, class X>
void expect_less_than_an_ulp(F f, std::uint64_t count, std::uint64_t step, X argument) {
  double worst = 0;
  T worst_x{}, worst_y{};
  constexpr int n = width<T>;
  for (std::uint64_t first = 0; first < count; first += step * n) {
    Widest<T> x, y, found;
    for (int i = 0; i < n; ++i) {
      x.set_lane(i, argument(first + step * i, 0));
      y.set_lane(i, argument(first + step * i, 1));
    }
    if constexpr (F::has_two) {
      found = f(x, y);
    } else {
      found = f(x);
    }
    for (int i = 0; i < n; ++i) {
      Finer<T> expected;
      if constexpr (F::has_two) {
        expected = f(Finer<T>(x.lane(i)), Finer<T>(y.lane(i)));
      } else {
        expected = f(Finer<T>(x.lane(i)));
      }
      const double error = error_in_ulps<T>(found.lane(i), expected);
      if (error <= worst) continue;
      worst = error;
      worst_x = x.lane(i);
      worst_y = y.lane(i);
    }
  }
  EXPECT_LT(worst, 1) << F::name << " of " << worst_x << (F::has_two ? ", " : "")
                      << (F::has_two ? std::to_string(worst_y) : "");
}

template <class T>
class Mathematics : public testing::Test {};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Mathematics, FloatingTypes);

TYPED_TEST(Mathematics, ErrsByLessThanAnUlpForArgumentsOfAllKinds) {
  using T = TypeParam;
  const auto count = static_cast<std::uint64_t>(test::in_short_or_long(1 << 17, 1 << 26));
  for_each_function([&](auto f) { expect_less_than_an_ulp<T>(f, count, 1, some_argument<T>); });
}

TYPED_TEST(Mathematics, ErrsByLessThanAnUlpForCommonArguments) {
  using T = TypeParam;
  const auto count = static_cast<std::uint64_t>(test::in_short_or_long(1 << 16, 1 << 24));
  for_each_function([&](auto f) {
    using F = decltype(f);
    const double spacing = (F::to - F::from) / static_cast<double>(count);
    expect_less_than_an_ulp<T>(f, count, 1, [&](std::uint64_t n, int which) {
      const std::uint64_t place = which == 0 ? n : mix(n) % count;
      return static_cast<T>(F::from + spacing * static_cast<double>(place));
    });
  });
}

TEST(MathematicsOfFloats, ErrsByLessThanAnUlpForEveryArgument) {
  const auto step = static_cast<std::uint64_t>(test::in_short_or_long(8191, 1));
  for_each_function([&](auto f) {
    if constexpr (!decltype(f)::has_two) {
      expect_less_than_an_ulp<float>(f, std::uint64_t{1} << 32, step, [](std::uint64_t n, int) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(n));
      });
    }
  });
}

TEST(MathematicsOfPowers, ErrsByLessThanAnUlpUpToTheEndsOfTheRange) {
  const auto count = static_cast<std::uint64_t>(test::in_short_or_long(1 << 17, 1 << 24));
  const auto expect = [&]<class T>(T, double range) {
    // x of any size, y so that the power has any size.
    const auto argument = [&](std::uint64_t n, int which) {
      const double unit = static_cast<double>(mix(n) >> 11) * 0x1p-53;
      const T x = static_cast<T>(
          std::ldexp(1 + unit, static_cast<int>(mix(n + 1) % 1000) % static_cast<int>(range) -
                                   static_cast<int>(range / 2)));
      const double power = range * (static_cast<double>(mix(n + 2) >> 11) * 0x1p-52 - 1.03);
      return which == 0 ? x : static_cast<T>(power / std::log2(x));
    };
    expect_less_than_an_ulp<T>(mathematics::Pow{}, count, 1, argument);
  };
  expect(float(), 130);
  expect(double(), 1030);
}

TEST(MathematicsOfAngles, ErrsByLessThanAnUlpWhereAlmostNothingIsLeftOfTheAngle) {
  // The double closest to a multiple of pi / 2 is the first of them.
  const std::vector<double> hard = {0x1.6ac5b262ca1ffp+849, 0x1.921fb54442d18p+0,
                                    0x1.2d97c7f3321d2p+2,   0x1.921fb54442d18p+31,
                                    0x1.921fb54442d18p+700, 0x1.fffffffffffffp+1023};
  const auto argument = [&](std::uint64_t n, int) {
    const double x = hard[n / 3 % hard.size()];
    return n % 3 == 0 ? x : std::nextafter(x, n % 3 == 1 ? 0.0 : HUGE_VAL);
  };
  expect_less_than_an_ulp<double>(mathematics::Sin{}, 3 * hard.size(), 1, argument);
  expect_less_than_an_ulp<double>(mathematics::Cos{}, 3 * hard.size(), 1, argument);
  expect_less_than_an_ulp<double>(mathematics::Tan{}, 3 * hard.size(), 1, argument);
}

TYPED_TEST(Mathematics, OfALaneDependsOnItsArgumentsAlone) {
  using T = TypeParam;
  for (std::uint64_t set = 0; set < 200; ++set) {
    test::Lanes<T> x, y;
    for (int i = 0; i < test::lane_count; ++i) {
      x[i] = some_argument<T>(set * test::lane_count + i, 0);
      y[i] = some_argument<T>(set * test::lane_count + i, 1);
    }
    for_each_function([&](auto f) {
      using F = decltype(f);
      if constexpr (F::has_two) {
        test::expect_lanes_independent(F::name, f, x, y);
      } else {
        test::expect_lanes_independent(F::name, f, x);
      }
    });
  }
}

/// Bits of many results, one after the other.
template <class T>
std::uint64_t hash_of(auto f) {
  using F = decltype(f);
  std::uint64_t hash = 0;
  for (std::uint64_t n = 0; n < 1 << 16; n += width<T>) {
    Widest<T> x, y, found;
    for (int i = 0; i < width<T>; ++i) {
      x.set_lane(i, some_argument<T>(n + i, 0));
      y.set_lane(i, some_argument<T>(n + i, 1));
    }
    if constexpr (F::has_two) {
      found = f(x, y);
    } else {
      found = f(x);
    }
    for (int i = 0; i < width<T>; ++i) {
      hash = mix(hash ^ static_cast<std::uint64_t>(mathematics::bits(found.lane(i))));
    }
  }
  return hash;
}

TEST(MathematicsOfEveryMachine, HasTheseBits) {
  const std::vector<std::array<std::uint64_t, 2>> expected = {
      {0xa0f788c403dab43au, 0x5fdccaacc6006f4fu}, {0x1c1e381830922d0bu, 0x5a3780897ee327f2u},
      {0x9352425b374fc355u, 0xa277ab1b23b0db5cu}, {0x54e17206c6d30668u, 0xb2bc60f7407afe08u},
      {0x489850335836cd62u, 0x01f4daa87c732c49u}, {0x0ec0637fc282e525u, 0xb7c0d3a526f66ab3u},
      {0xa6670961aa52b4d9u, 0x6bc1da15f8c23f29u}, {0x78e0412b74b62d8bu, 0xd909f23830372018u},
      {0x7c6af20d45ab9511u, 0xee466d378adb7b9fu}, {0x2f8a4ccf80262a6cu, 0x91d43b2dcbff27d1u}};
  std::size_t n = 0;
  for_each_function([&](auto f) {
    EXPECT_EQ(hash_of<float>(f), expected[n][0]) << f.name;
    EXPECT_EQ(hash_of<double>(f), expected[n][1]) << f.name;
    ++n;
  });
}

TYPED_TEST(Mathematics, GivesOneNanWhateverTheArgument) {
  using T = TypeParam;
  const T nan = std::bit_cast<T>(mathematics::Format<T>::not_a_number);
  const T odd_nan =
      std::bit_cast<T>(mathematics::Format<T>::not_a_number | mathematics::Format<T>::sign | 5);
  const auto expect = [&](T found) { EXPECT_EQ(mathematics::bits(found), mathematics::bits(nan)); };
  for (const T x : {nan, odd_nan}) {
    for_each_function([&](auto f) {
      if constexpr (decltype(f)::has_two) {
        expect(f(Pack<T, 1>(x), Pack<T, 1>(T(2))).lane(0));
        expect(f(Pack<T, 1>(T(2)), Pack<T, 1>(x)).lane(0));
      } else {
        expect(f(Pack<T, 1>(x)).lane(0));
      }
    });
  }
  const T inf = std::numeric_limits<T>::infinity();
  for (const T found : {goban::log(T(-1)), goban::sin(inf), goban::cos(-inf), goban::tan(inf),
                        goban::pow(T(-2), T(0.5))}) {
    expect(found);
  }
}

TYPED_TEST(Mathematics, IsComputedByTheCompilerToo) {
  using T = TypeParam;
  constexpr T x = goban::exp(goban::sin(T(0.5))), y = goban::pow(T(2.5), goban::tanh(T(1)));
  volatile T half = T(0.5), two = T(2.5), one = T(1);
  EXPECT_EQ(x, goban::exp(goban::sin(T(half))));
  EXPECT_EQ(y, goban::pow(T(two), goban::tanh(T(one))));
}

}  // namespace
}  // namespace goban::mathematics_test
