// The mathematical functions against the standard library's in a finer type, and the packs of
// kernels against numbers: the bits of a result depend on the argument alone.

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "benchmarks/mathematics/functions.hpp"
#include "benchmarks/mathematics/pack_rows.hpp"
#include "goban/base/mix.hpp"
#include "tests/long.hpp"

namespace goban::mathematics_test {
namespace {

using mathematics::error_in_ulps;
using mathematics::Finer;
using mathematics::for_each_function;
using mathematics::number_of;
using mathematics::some_argument;
using mathematics::standard_value_of;
using mathematics::value_of;

/// The largest error of f over arguments x(n), y(n), n = 0, step, 2 step, ... below count.
template <class T, class F, class X>
void expect_less_than_an_ulp(F f, std::uint64_t count, std::uint64_t step, X argument) {
  double worst = 0;
  T worst_x{}, worst_y{};
  for (std::uint64_t n = 0; n < count; n += step) {
    const T x = argument(n, 0), y = argument(n, 1);
    const double error =
        error_in_ulps<T>(value_of(f, x, y), standard_value_of(f, Finer<T>(x), Finer<T>(y)));
    if (error <= worst) continue;
    worst = error;
    worst_x = x;
    worst_y = y;
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

/// Arguments of all kinds, and what a function makes of them.
template <class T>
struct Row {
  static constexpr std::size_t count = 1 << 16;
  std::vector<T> x = std::vector<T>(count), y = x, expected = x;

  explicit Row(const std::function<T(T, T)>& function) {
    for (std::size_t n = 0; n < count; ++n) {
      x[n] = some_argument<T>(n, 0);
      y[n] = some_argument<T>(n, 1);
      expected[n] = function(x[n], y[n]);
    }
  }
};

/// Those that this processor has.
std::vector<InstructionSet> instruction_sets() {
  const std::vector<InstructionSet> all = {{"x86-64", 16}, {"x86-64-v3", 32}};
  const InstructionSet& own = target_instructions();
  std::vector<InstructionSet> found = {own};
  for (const auto& isa : all) {
    if (isa.vector_bytes < own.vector_bytes) found.push_back(isa);
  }
  return found;
}

/// An expression of kernels in every instruction set: of numbers that are the same for all cells,
/// and of packs of less than a register, of one and of several.
template <class T>
class PacksOf {
 public:
  explicit PacksOf(std::string expression) : expression_(std::move(expression)) {
    using Rows = mathematics::PackRows<T>;
    const std::vector<int> widths = {1, Rows::width_of(16), Rows::width_of(32), Rows::width_of(64),
                                     Rows::width_of(256)};
    for (const auto& isa : instruction_sets()) {
      isa_.push_back(isa.name);
      packs_.emplace_back(expression_, widths, isa);
    }
  }

  enum class Nans { have_one_form, have_any_form };
  void expect(const std::function<T(T, T)>& function, Nans nans) const {
    const Row<T> row(function);
    std::vector<T> found(row.count);
    for (std::size_t n = 0; n < packs_.size(); ++n) {
      for (std::size_t w = 0; w < packs_[n].widths().size(); ++w) {
        packs_[n](w, row.x.data(), row.y.data(), found.data(), row.count);
        const std::size_t wrong = first_difference(row.expected, found, nans);
        if (wrong == row.count) continue;
        ADD_FAILURE() << expression_ << " in packs of " << packs_[n].widths()[w] << ", " << isa_[n]
                      << ": " << found[wrong] << " instead of " << row.expected[wrong]
                      << ", x = " << row.x[wrong] << ", y = " << row.y[wrong];
      }
    }
  }

 private:
  static std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b, Nans nans) {
    std::size_t n = 0;
    for (; n < a.size(); ++n) {
      if (mathematics::bits(a[n]) == mathematics::bits(b[n])) continue;
      if (nans == Nans::have_one_form || !std::isnan(a[n]) || !std::isnan(b[n])) break;
    }
    return n;
  }

  std::string expression_;
  std::vector<std::string> isa_;
  std::vector<mathematics::PackRows<T>> packs_;  // code is made beside what the caller does
};

TYPED_TEST(Mathematics, OfPacksOfKernelsHasTheBitsOfNumbers) {
  using T = TypeParam;
  std::vector<PacksOf<T>> packs;
  for_each_function([&](auto f) { packs.emplace_back(f.expression); });
  std::size_t n = 0;
  for_each_function([&](auto f) {
    packs[n++].expect([f](T x, T y) { return value_of(f, x, y); }, PacksOf<T>::Nans::have_one_form);
  });
}

TYPED_TEST(Mathematics, OfPacksOfKernelsHasTheStandardsOperations) {
  using T = TypeParam;
  struct Operation {
    PacksOf<T> packs;
    std::function<T(T, T)> function;
  };
  const std::vector<Operation> operations = {
      {PacksOf<T>("sqrt(x)"), [](T x, T) { return std::sqrt(x); }},
      {PacksOf<T>("floor(x)"), [](T x, T) { return std::floor(x); }},
      {PacksOf<T>("ceil(x)"), [](T x, T) { return std::ceil(x); }},
      {PacksOf<T>("abs(x)"), [](T x, T) { return std::abs(x); }},
      {PacksOf<T>("fma(x, y, x)"), [](T x, T y) { return std::fma(x, y, x); }},
      {PacksOf<T>("min(x, y)"), [](T x, T y) { return std::min(x, y); }},
      {PacksOf<T>("max(x, y)"), [](T x, T y) { return std::max(x, y); }},
      {PacksOf<T>("reciprocal(x)"), [](T x, T) { return 1 / x; }},
      {PacksOf<T>("x / y"), [](T x, T y) { return x / y; }}};
  for (const auto& [packs, function] : operations) {
    packs.expect(function, PacksOf<T>::Nans::have_any_form);
  }
}

/// Bits of many results, one after the other.
template <class T>
std::uint64_t hash_of(auto f) {
  std::uint64_t hash = 0;
  for (std::uint64_t n = 0; n < 1 << 16; ++n) {
    const T found = value_of(f, some_argument<T>(n, 0), some_argument<T>(n, 1));
    hash = mix(hash ^ static_cast<std::uint64_t>(mathematics::bits(found)));
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
      expect(value_of(f, x, T(2)));
      if (f.has_two) expect(value_of(f, T(2), x));
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
