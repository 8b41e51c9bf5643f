#include "goban/base/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace goban::exact_sum_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// An unsigned integer of hexadecimal digits, lowest first; one unit is 2^-1074.
using Digits = std::vector<int>;

void add_magnitude(Digits& total, double term) {
  int exponent = 0;
  auto mantissa = static_cast<std::uint64_t>(
      std::ldexp(std::frexp(std::fabs(term), &exponent), 53));  // term = mantissa * 2^(exponent-53)
  int shift = exponent - 53 + 1074;
  for (; shift < 0; ++shift) mantissa >>= 1;  // subnormal: the bits shifted out are zero
  std::size_t digit = static_cast<std::size_t>(shift) / 4;
  unsigned __int128 rest = static_cast<unsigned __int128>(mantissa) << (shift % 4);
  for (int carry = 0; rest != 0 || carry != 0; ++digit, rest >>= 4) {
    const int sum = total[digit] + static_cast<int>(rest & 15) + carry;
    total[digit] = sum % 16;
    carry = sum / 16;
  }
}

/// Adds digit by digit and lets strtod round once.
double reference_sum(const std::vector<double>& terms) {
  Digits positive(600, 0), negative(600, 0);
  for (const double term : terms)
    if (term != 0) add_magnitude(term > 0 ? positive : negative, term);
  const bool below = std::lexicographical_compare(positive.rbegin(), positive.rend(),
                                                  negative.rbegin(), negative.rend());
  Digits& more = below ? negative : positive;
  const Digits& less = below ? positive : negative;
  for (std::size_t i = 0, borrow = 0; i < more.size(); ++i) {
    more[i] -= less[i] + static_cast<int>(borrow);
    borrow = more[i] < 0 ? 1 : 0;
    if (borrow != 0) more[i] += 16;
  }
  std::string text = below ? "-0x" : "0x";
  for (auto digit = more.rbegin(); digit != more.rend(); ++digit)
    text += "0123456789abcdef"[*digit];
  const double value = std::strtod((text + "p-1074").c_str(), nullptr);
  return value == 0 ? 0.0 : value;
}

double sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  sum.add(terms.data(), static_cast<Index>(terms.size()));
  return sum.value();
}

struct Spread {
  const char* name;
  int lowest, highest;  ///< biased exponents
};

std::vector<double> random_terms(std::mt19937_64& random, const Spread& spread, int count) {
  std::uniform_int_distribution<std::uint64_t> exponent(spread.lowest, spread.highest);
  std::vector<double> terms;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t word = random();
    terms.push_back(std::bit_cast<double>((word & ~(0x7ffull << 52)) | exponent(random) << 52));
  }
  return terms;
}

class ExactSumOf : public testing::TestWithParam<Spread> {};

TEST_P(ExactSumOf, EqualsLongHandAdditionRoundedOnce) {
  std::mt19937_64 random(7);
  for (const int count : {1, 2, 3, 15, 16, 17, 511, 512, 513, 1500}) {
    const auto terms = random_terms(random, GetParam(), count);
    EXPECT_EQ(bits(sum_of(terms)), bits(reference_sum(terms))) << count;
  }
}

TEST_P(ExactSumOf, IsTheSameInEveryOrderAndPartition) {
  std::mt19937_64 random(11);
  auto terms = random_terms(random, GetParam(), 2000);
  const std::uint64_t expected = bits(sum_of(terms));
  const ExactSum::State expected_state = [&] {
    ExactSum sum;
    for (const double term : terms) sum.add(term);
    return sum.state();
  }();
  for (int trial = 0; trial < 20; ++trial) {
    std::shuffle(terms.begin(), terms.end(), random);
    std::vector<ExactSum> parts(1 + random() % 7);
    for (std::size_t i = 0; i < terms.size();) {
      const std::size_t n = std::min<std::size_t>(terms.size() - i, random() % 700);
      parts[random() % parts.size()].add(terms.data() + i, static_cast<Index>(n));
      i += n;
    }
    ExactSum whole;
    for (const ExactSum& part : parts) whole.merge(part);
    EXPECT_EQ(bits(whole.value()), expected);
    EXPECT_EQ(whole.state(), expected_state);
  }
}

TEST_P(ExactSumOf, CancelsToZeroExactly) {
  std::mt19937_64 random(13);
  auto terms = random_terms(random, GetParam(), 700);
  for (int i = 0; i < 700; ++i) terms.push_back(-terms[i]);
  terms.push_back(smallest);
  std::shuffle(terms.begin(), terms.end(), random);
  EXPECT_EQ(bits(sum_of(terms)), bits(smallest));
}

INSTANTIATE_TEST_SUITE_P(, ExactSumOf,
                         testing::Values(Spread{"similar", 1020, 1026},
                                         Spread{"float_range", 900, 1150},
                                         Spread{"everything", 0, 2046}, Spread{"subnormal", 0, 0},
                                         Spread{"near_subnormal", 0, 70},
                                         Spread{"near_overflow", 1990, 2046}),
                         [](const auto& spread) { return spread.param.name; });

TEST(ExactSum, LosesNothingOfFullBlocksOfLargeMantissasAtEveryExponent) {
  std::mt19937_64 random(19);
  for (std::uint64_t exponent = 0; exponent <= 2046; ++exponent) {
    const double top = std::bit_cast<double>(exponent << 52 | (~0ull >> 12));
    EXPECT_EQ(sum_of({top}), top);
    std::vector<double> terms(512, top);
    for (int i = 0; i < 9; ++i)
      terms[random() % 512] = std::bit_cast<double>(bits(top) - random() % 64);
    EXPECT_EQ(sum_of(terms), reference_sum(terms)) << exponent;
  }
}

TEST(ExactSum, OfNothingAndOfZerosIsPositiveZero) {
  EXPECT_EQ(bits(ExactSum().value()), bits(0.0));
  EXPECT_EQ(bits(sum_of({-0.0})), bits(0.0));
  EXPECT_EQ(bits(sum_of({-0.0, 0.0, -1.5, 1.5})), bits(0.0));
}

TEST(ExactSum, RoundsTiesToEvenAndSeesTheSmallestBitBeyondATie) {
  const double ulp = 0x1p-52;
  EXPECT_EQ(sum_of({1.0, ulp / 2}), 1.0);
  EXPECT_EQ(sum_of({1.0 + ulp, ulp / 2}), 1.0 + 2 * ulp);
  EXPECT_EQ(sum_of({1.0, ulp / 2, smallest}), 1.0 + ulp);
  EXPECT_EQ(sum_of({1.0 + ulp, ulp / 2, -smallest}), 1.0 + ulp);
  EXPECT_EQ(sum_of({-1.0, -ulp / 2, -smallest}), -1.0 - ulp);
}

TEST(ExactSum, KeepsTinyTermsBesideHugeOnes) {
  EXPECT_EQ(sum_of({1e300, 1.0, -1e300}), 1.0);
  EXPECT_EQ(sum_of({largest, smallest, -largest}), smallest);
}

TEST(ExactSum, MayOverflowOnTheWayButNotInTheEnd) {
  EXPECT_EQ(sum_of({largest, largest, -largest}), largest);
  EXPECT_EQ(sum_of({largest, largest}), infinity);
  EXPECT_EQ(sum_of({-largest, -largest}), -infinity);
  const double half_ulp = 0x1p970;
  EXPECT_EQ(sum_of({largest, std::nextafter(half_ulp, 0.0)}), largest);
  EXPECT_EQ(sum_of({largest, half_ulp}), infinity);
  EXPECT_EQ(sum_of({largest, half_ulp, -smallest}), largest);
}

TEST(ExactSum, FollowsInfinitiesAndNaN) {
  EXPECT_EQ(sum_of({1.0, infinity, -largest}), infinity);
  EXPECT_EQ(sum_of({-infinity, 1.0}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, 1.0, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({1.0, nan})));
  ExactSum a, b;
  a.add(infinity);
  b.add(-infinity);
  a.merge(b);
  EXPECT_TRUE(std::isnan(a.value()));
}

TEST(ExactSum, TakesEveryElementType) {
  const std::vector<std::uint8_t> bytes(1000, 255);
  const std::vector<std::int32_t> integers(1000, std::numeric_limits<std::int32_t>::min());
  const std::vector<half> halves(1000, half(0.5f));
  const std::vector<float> floats(1000, 0.1f);
  ExactSum sum;
  sum.add(bytes.data(), 1000);
  EXPECT_EQ(sum.value(), 255e3);
  sum.add(integers.data(), 1000);
  EXPECT_EQ(sum.value(), 255e3 - 0x1p31 * 1000);
  sum.add(halves.data(), 1000);
  EXPECT_EQ(sum.value(), 255e3 - 0x1p31 * 1000 + 500);
  ExactSum of_floats;
  of_floats.add(floats.data(), 1000);
  EXPECT_EQ(of_floats.value(), 1000 * static_cast<double>(0.1f));
}

TEST(ExactSum, CanBeReadAtAnyTimeAndGoOn) {
  ExactSum sum;
  double expected = 0;
  for (int i = 1; i <= 1200; ++i) {
    sum.add(i);
    expected += i;
    ASSERT_EQ(sum.value(), expected);
  }
}

TEST(ExactSumState, SumsElementByElementLikeTheTermsThemselves) {
  std::mt19937_64 random(17);
  std::vector<double> terms;
  ExactSum::State total{};
  for (int rank = 0; rank < 40; ++rank) {
    const auto part = random_terms(random, {"", 500, 1500}, 300);
    terms.insert(terms.end(), part.begin(), part.end());
    ExactSum sum;
    sum.add(part.data(), 300);
    const ExactSum::State state = sum.state();
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += state[i];
  }
  ExactSum reduced;
  reduced.merge(total);
  EXPECT_EQ(bits(reduced.value()), bits(reference_sum(terms)));
}

TEST(ExactSumState, HasRoomForMoreThanATrillionTerms) {
  ExactSum sum;
  const std::vector<double> terms(256, -largest);
  sum.add(terms.data(), 256);
  sum.add(3.0);
  for (int doubling = 0; doubling < 36; ++doubling) sum.merge(ExactSum(sum));  // 2^44 terms
  EXPECT_EQ(sum.value(), -infinity);
  ExactSum back;
  back.add(largest);
  for (int doubling = 0; doubling < 44; ++doubling) back.merge(ExactSum(back));
  sum.merge(back);
  EXPECT_EQ(sum.value(), 3.0 * 0x1p36);
}

}  // namespace
}  // namespace goban::exact_sum_test
