#include "goban/base/types.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#ifdef __F16C__
#include <immintrin.h>
#endif

namespace goban::types_test {
namespace {

half half_of_bits(unsigned bits) {
  half value;
  value.bits = static_cast<std::uint16_t>(bits);
  return value;
}

bool is_nan(half value) { return (value.bits & 0x7fffu) > 0x7c00u; }

/// The definition of binary16: (-1)^s 2^(e-15) (1 + m/1024), subnormal below 2^-14.
double value_by_definition(unsigned bits) {
  const int exponent = static_cast<int>((bits >> 10) & 31);
  const double mantissa = bits & 0x3ff;
  const double sign = (bits & 0x8000) ? -1.0 : 1.0;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(Half, ToFloatIsTheDefinitionForAllBitPatterns) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = static_cast<float>(half_of_bits(bits));
    const double expected = value_by_definition(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << std::hex << bits;
    } else {
      ASSERT_EQ(value, expected) << std::hex << bits;
      ASSERT_EQ(std::signbit(value), std::signbit(expected)) << std::hex << bits;
    }
  }
}

TEST(Half, SurvivesTheRoundTripThroughFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const half original = half_of_bits(bits);
    const half back(static_cast<float>(original));
    if (is_nan(original)) {
      ASSERT_TRUE(is_nan(back)) << std::hex << bits;
    } else {
      ASSERT_EQ(back.bits, bits) << std::hex << bits;
    }
  }
}

TEST(Half, RoundsToNearestWithTiesToEven) {
  // Between every two neighbours a < b: the midpoint goes to the even one, its neighbours do not.
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const float low = static_cast<float>(half_of_bits(bits));
    const float high = static_cast<float>(half_of_bits(bits + 1));
    const float middle = 0.5f * (low + high);
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(half(middle).bits, even) << middle;
    ASSERT_EQ(half(std::nextafter(middle, low)).bits, bits) << middle;
    ASSERT_EQ(half(std::nextafter(middle, high)).bits, bits + 1) << middle;
    ASSERT_EQ(half(-middle).bits, even | 0x8000u) << middle;
  }
}

TEST(Half, OverflowsToInfinityFromTheMidpointAboveTheLargestNumber) {
  EXPECT_EQ(half(65504.0f).bits, 0x7bff);
  EXPECT_EQ(half(std::nextafter(65520.0f, 0.0f)).bits, 0x7bff);
  EXPECT_EQ(half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(half(-1e30f).bits, 0xfc00);
  EXPECT_EQ(half(std::numeric_limits<float>::infinity()).bits, 0x7c00);
}

TEST(Half, KeepsTheSignOfZeroAndOfUnderflow) {
  EXPECT_EQ(half(0.0f).bits, 0x0000);
  EXPECT_EQ(half(-0.0f).bits, 0x8000);
  EXPECT_EQ(half(0x1p-25f).bits, 0x0000);
  EXPECT_EQ(half(std::nextafter(0x1p-25f, 1.0f)).bits, 0x0001);
  EXPECT_EQ(half(-std::numeric_limits<float>::denorm_min()).bits, 0x8000);
}

TEST(Half, KeepsNotANumber) {
  for (const unsigned bits : {0x7fc00000u, 0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu}) {
    EXPECT_TRUE(is_nan(half(std::bit_cast<float>(bits)))) << std::hex << bits;
  }
}

#ifdef __F16C__
TEST(Half, EqualsTheProcessorsConversion) {
  // A prime stride over all floats, and every float next to one with few mantissa bits.
  const auto check = [](std::uint32_t bits) {
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value)) return true;
    return half(value).bits == _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
  };
  for (std::uint64_t bits = 0; bits < 0x100000000u; bits += 17) {
    ASSERT_TRUE(check(static_cast<std::uint32_t>(bits))) << std::hex << bits;
  }
  for (std::uint64_t bits = 0; bits < 0x100000000u; bits += 0x800) {
    for (const std::uint32_t nearby : {-1, 0, 1}) {
      ASSERT_TRUE(check(static_cast<std::uint32_t>(bits) + nearby)) << std::hex << bits;
    }
  }
}
#endif

TEST(RoundUp, GivesTheSmallestMultipleNotBelow) {
  EXPECT_EQ(round_up(0, 16), 0);
  EXPECT_EQ(round_up(1, 16), 16);
  EXPECT_EQ(round_up(16, 16), 16);
  EXPECT_EQ(round_up(17, 16), 32);
}

TEST(RoundDown, GivesTheLargestMultipleNotAboveAlsoBelowZero) {
  for (Index value = -40; value <= 40; ++value) {
    const Index rounded = round_down(value, 8);
    EXPECT_EQ(rounded % 8, 0);
    EXPECT_LE(rounded, value);
    EXPECT_GT(rounded + 8, value);
  }
}

TEST(Index3, AddsSubtractsAndMultipliesByAxis) {
  EXPECT_EQ((Index3{1, 2, 3} + Index3{10, 20, 30}), (Index3{11, 22, 33}));
  EXPECT_EQ((Index3{1, 2, 3} - Index3{10, 20, 30}), (Index3{-9, -18, -27}));
  EXPECT_EQ(product({2000, 3000, 4000}), Index{24'000'000'000});
}

TEST(ElementType, SizesAreThoseOfTheVisitedTypes) {
  for (const auto type : {ElementType::uint8, ElementType::int32, ElementType::half,
                          ElementType::float32, ElementType::float64}) {
    visit_element(type, [&](auto element) {
      EXPECT_EQ(sizeof(element), size_of(type)) << name_of(type);
      EXPECT_EQ(ElementTraits<decltype(element)>::type, type) << name_of(type);
    });
  }
}

TEST(ElementType, NamesAreThoseOfCaseFiles) {
  EXPECT_STREQ(name_of(ElementType::uint8), "uint8");
  EXPECT_STREQ(name_of(ElementType::int32), "int32");
  EXPECT_STREQ(name_of(ElementType::half), "half");
  EXPECT_STREQ(name_of(ElementType::float32), "float32");
  EXPECT_STREQ(name_of(ElementType::float64), "float64");
}

TEST(ElementType, HalfIsComputedInFloat) {
  EXPECT_TRUE((std::is_same_v<ArithmeticOf<half>, float>));
  EXPECT_TRUE((std::is_same_v<ArithmeticOf<std::uint8_t>, std::uint8_t>));
}

}  // namespace
}  // namespace goban::types_test
