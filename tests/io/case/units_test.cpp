#include "goban/io/case/units.hpp"

#include <gtest/gtest.h>

namespace goban::units_test {
namespace {

double read(const std::string& text, const std::string& unit) {
  const Quantity quantity = parse_quantity(text, unit);
  EXPECT_TRUE(quantity.value.has_value()) << text << ": " << quantity.why;
  return quantity.value.value_or(-1);
}

TEST(CaseUnits, DecimalPrefixesAreExact) {
  EXPECT_EQ(read("5 mm", "m"), 5e-3);
  EXPECT_EQ(read("0.3 mm", "m"), 3e-4);
  EXPECT_EQ(read("7 um", "m"), 7e-6);
  EXPECT_EQ(read("7 µm", "m"), 7e-6);
  EXPECT_EQ(read("7 μm", "m"), 7e-6);
  EXPECT_EQ(read("1.1 km", "mm"), 1.1e6);
  EXPECT_EQ(read("1013.25 hPa", "Pa"), 101325.0);
  EXPECT_EQ(read("2.5e3 g", "kg"), 2.5);
  EXPECT_EQ(read("+2.5E+3 g", "kg"), 2.5);
}

TEST(CaseUnits, TimesKnowMinutesHoursDaysAndClocks) {
  EXPECT_EQ(read("10 min", "s"), 600);
  EXPECT_EQ(read("10min", "s"), 600);
  EXPECT_EQ(read("1.5 h", "s"), 5400);
  EXPECT_EQ(read("2 d", "h"), 48);
  EXPECT_EQ(read("90 s", "min"), 1.5);
  EXPECT_EQ(read("23:50:00", "s"), 85800);
  EXPECT_EQ(read("1-12:00:00", "s"), 129600);
  EXPECT_EQ(read("1:30:00", "h"), 1.5);
}

TEST(CaseUnits, BytesHaveBinaryPrefixes) {
  EXPECT_EQ(read("2 GiB", "B"), 2147483648.0);
  EXPECT_EQ(read("2 GB", "B"), 2e9);
  EXPECT_EQ(read("1.5 KiB", "B"), 1536);
}

TEST(CaseUnits, CompoundUnitsConvert) {
  EXPECT_EQ(read("80.4 W/(m K)", "W/(m K)"), 80.4);
  EXPECT_EQ(read("0.5 W/(mm K)", "W/(m K)"), 500);
  EXPECT_EQ(read("0.5 W/mm/K", "W/(m K)"), 500);
  EXPECT_EQ(read("3.6 km/h", "m/s"), 3600.0 / 3600);
  EXPECT_EQ(read("7.2 g/cm3", "kg/m3"), 7200);
  EXPECT_EQ(read("7.2 g cm^-3", "kg/m3"), 7200);
  EXPECT_EQ(read("2 N m", "J"), 2);
  EXPECT_EQ(read("3 1/s", "Hz"), 3);
  EXPECT_EQ(read("5 %", "1"), 0.05);
}

TEST(CaseUnits, PlainNumberIsInTheKeysUnit) {
  EXPECT_EQ(read("5", "mm"), 5);
  EXPECT_EQ(read("  5e-1  ", "s"), 0.5);
  EXPECT_EQ(read("5", "cells"), 5);
}

TEST(CaseUnits, RefusalSaysWhy) {
  EXPECT_EQ(parse_quantity("5 parsec", "m").why, "unknown unit 'parsec'");
  EXPECT_EQ(parse_quantity("5 s", "m").why, "s does not convert to m");
  EXPECT_EQ(parse_quantity("five m", "m").why, "it does not begin with a number");
  EXPECT_EQ(parse_quantity("5 m", "cells").why, "this key takes a plain number");
  EXPECT_EQ(parse_quantity("1e999 m", "m").why, "the number is out of range");
  EXPECT_EQ(parse_quantity("1e99999999999999999999 m", "m").why, "the number is out of range");
  EXPECT_EQ(parse_quantity("25:61:00", "s").why, "a clock time is hours:minutes:seconds");
  EXPECT_EQ(parse_quantity("1:2:3:4", "s").why, "a clock time is hours:minutes:seconds");
}

TEST(CaseUnits, MalformedUnitsAreNotUnits) {
  for (const char* text : {"", "(", ")", "m)", "(m", "m/", "/m", "m//s", "m^", "mm m mx",
                           "((((((m))))))", "kkg", "mmin", "m-", "2m", "m$"}) {
    EXPECT_FALSE(parse_unit(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace goban::units_test
