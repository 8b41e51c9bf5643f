#include "goban/io/case/time_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "goban/io/case/print.hpp"
#include "goban/io/case/read.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::time_value_test {
namespace {

using ::testing::HasSubstr;

double value_at(const std::string& text, double time, const std::string& unit = "m/s") {
  const TimeQuantity read = parse_time_value(text, unit);
  EXPECT_TRUE(read.value.has_value()) << text << ": " << read.why;
  return read.value ? read.value->at(time) : std::nan("");
}

std::string why_not(const std::string& text, const std::string& unit = "m/s") {
  const TimeQuantity read = parse_time_value(text, unit);
  EXPECT_FALSE(read.value.has_value()) << text;
  return read.why;
}

TEST(TimeValue, NumbersWithUnits_AreFixed) {
  const TimeQuantity read = parse_time_value("5 km/h", "m/s");
  ASSERT_TRUE(read.value.has_value());
  EXPECT_FALSE(read.value->varies());
  EXPECT_DOUBLE_EQ(read.value->at(7), 5000.0 / 3600);
  EXPECT_FALSE(parse_time_value("2 * 3", "1").value->varies());
}

TEST(TimeValue, Expressions_AreThoseOfArithmetic) {
  EXPECT_EQ(value_at("1 + 2 * t", 3), 7);
  EXPECT_EQ(value_at("(1 + 2) * t", 3), 9);
  EXPECT_EQ(value_at("8 - t - 1", 3), 4);
  EXPECT_EQ(value_at("-t^2", 3), -9);
  EXPECT_EQ(value_at("2^t^2", 3), 512);
  EXPECT_EQ(value_at("t / 2 / 2", 8), 2);
  EXPECT_EQ(value_at("2 * -t", 3), -6);
  EXPECT_EQ(value_at("1e-1*t", 10), 1e-1 * 10);
  EXPECT_DOUBLE_EQ(value_at("1.5 * sin(pi*t/8)", 4), 1.5);
  EXPECT_EQ(value_at("min(t, 2) + max(t, 5)", 3), 7);
  EXPECT_EQ(value_at("mod(t, 2)", 5.5), 1.5);
  EXPECT_EQ(value_at("step(t - 1) + ramp(t / 4)", 2), 1.5);
  EXPECT_EQ(value_at("exp(0*t) + sqrt(t) + abs(-t) + floor(t)", 4), 1 + 2 + 4 + 4);
}

/// How many of the steps begin while the value is 1.
int steps_of_pulse(const std::string& text, double dt, int steps) {
  const TimeValue value = *parse_time_value(text, "1").value;
  int count = 0;
  for (int n = 0; n < steps; ++n) count += value.at(n * dt) > 0.5 ? 1 : 0;
  return count;
}

TEST(TimeValue, JumpsAtTheBeginningOfAStep_AreThoseOfThatStep) {
  EXPECT_EQ(steps_of_pulse("step(t - 0.9 s) - step(t - 2.1 s)", 0.3, 20), 4);
  EXPECT_EQ(steps_of_pulse("step(t - 0.7 s) - step(t - 2.1 s)", 0.7, 20), 2);
  EXPECT_EQ(steps_of_pulse("step(2.1 s - t)", 0.7, 20), 3);
  EXPECT_EQ(steps_of_pulse("step(t - 0.7 ms) - step(t - 4.9 ms)", 0.7e-3, 20), 6);
  EXPECT_EQ(steps_of_pulse("step(mod(t, 0.3 s) - 0.1 s)", 0.1, 300), 200);
  EXPECT_EQ(steps_of_pulse("mod(floor(t / (0.7 s)), 2)", 0.1, 1400), 700);
}

TEST(TimeValue, LongChainsAreComputedFromLeftToRight) {
  std::string product = "1", sum = "0", powers = "1";
  for (int n = 0; n < 100000; ++n) {
    product += n % 2 == 0 ? "*t" : "/t";
    sum += n % 2 == 0 ? " + t" : " - 1";
    powers += "^1";
  }
  EXPECT_EQ(value_at(product, 3), 1);
  EXPECT_EQ(value_at(sum, 3), 100000);
  EXPECT_EQ(why_not(powers), "it is nested too deeply");
  EXPECT_EQ(why_not(std::string(100000, '(')), "it is nested too deeply");
  EXPECT_EQ(why_not("1 + " + std::string(100000, '-') + "1"), "it is nested too deeply");
  EXPECT_LT(why_not("2 " + std::string(100000, 'x')).size(), 200u);
  EXPECT_LT(why_not("2m" + std::string(100000, 'm')).size(), 200u);
}

TEST(TimeValue, UnitsFollowTheirNumbers) {
  EXPECT_DOUBLE_EQ(value_at("36 km/h * sin(2*pi*t/(10 ms))", 2.5e-3), 10);
  EXPECT_DOUBLE_EQ(value_at("1 m/s + 50 cm/s*t", 2), 2);
  EXPECT_DOUBLE_EQ(value_at("300 K + 20 K*sin(2*pi*(50 Hz)*t)", 0.005, "K"), 320);
  EXPECT_DOUBLE_EQ(value_at("2 W/(m K) * t", 3, "W/(m K)"), 6);
  EXPECT_DOUBLE_EQ(value_at("3 m/s * min(1, t)", 0.5), 1.5);
  EXPECT_DOUBLE_EQ(value_at("50 % * t", 4), 2);
  EXPECT_DOUBLE_EQ(value_at("cos(180 deg) * t", 1), -1);
  EXPECT_THAT(why_not("3 K * t"), HasSubstr("neither of time nor of the value, which is in m/s"));
  EXPECT_THAT(why_not("3 furlongs * t"), HasSubstr("unknown unit 'furlongs'"));
}

TEST(TimeValue, Tables_AreLinearAndHoldTheirEnds) {
  const std::string table = "table(t, 1 s, 2 m/s, 3 s, 4 m/s, 1 min, 0)";
  EXPECT_EQ(value_at(table, 0), 2);
  EXPECT_EQ(value_at(table, 1), 2);
  EXPECT_EQ(value_at(table, 2), 3);
  EXPECT_EQ(value_at(table, 100), 0);
  EXPECT_EQ(value_at("2 * table(mod(t, 2 s), 0, 0, 2, 1)", 5), 1);
  EXPECT_THAT(why_not("table(t, 2, 0, 1, 0)"), HasSubstr("does not grow: 1 follows 2"));
  EXPECT_THAT(why_not("table(t)"), HasSubstr("no rows"));
  EXPECT_THAT(why_not("table(t, 1, t)"), HasSubstr("cannot depend on t"));
}

TEST(TimeValue, Files_AreTables) {
  const test::ScratchFolder folder;
  const auto file = folder.store("wind.csv", "time [ms],speed [cm/s]\n0,100\n1000,300\n");
  EXPECT_DOUBLE_EQ(value_at("file(t, " + file.string() + ")", 0.5), 2);
  EXPECT_DOUBLE_EQ(value_at("2*file( mod(t, 1) ,  " + file.string() + " )", 3.5), 4);
  const auto plain = folder.store("plain.txt", "0 1\n1 3");
  EXPECT_EQ(value_at("file(t, " + plain.string() + ")", 0.5), 2);
  EXPECT_EQ(value_at("file(t, " + plain.string() + ")", 7), 3);
  const auto odd = folder.store("a (b), c.csv", "t [s],v [m/s]\n0,7\n");
  EXPECT_DOUBLE_EQ(value_at("file(t, '" + odd.string() + "') + 1", 0), 8);
  EXPECT_DOUBLE_EQ(value_at("file(t, \"" + odd.string() + "\")", 0), 7);
  EXPECT_THAT(why_not("file(t, " + (folder / "none.csv").string() + ")"), HasSubstr("none.csv"));
  const auto wrong = folder.store("warm.csv", "time,temperature [K]\n0,1\n");
  EXPECT_THAT(why_not("file(t, " + wrong.string() + ")"), HasSubstr("K does not convert to m/s"));
  const auto gap = folder.store("gap.csv", "time,temperature\n0,1\n1,\n");
  EXPECT_THAT(why_not("file(t, " + gap.string() + ")"), HasSubstr("gap.csv:3 (a cell is empty)"));
}

TEST(TimeValue, WhatCannotBeRead_IsRefusedWithTheReason) {
  EXPECT_THAT(why_not("sin(t"), HasSubstr("')' is missing at the end"));
  EXPECT_THAT(why_not("2 * (1 + t))"), HasSubstr("')' is too much"));
  EXPECT_THAT(why_not("sine(t)"), HasSubstr("'sine' is unknown"));
  EXPECT_THAT(why_not("sin(t, 2)"), HasSubstr("sin does not take 2 values"));
  EXPECT_THAT(why_not("2 *"), HasSubstr("it ends where a number is expected"));
  EXPECT_THAT(why_not("5 kg"), HasSubstr("kg does not convert to m/s"));
  EXPECT_THAT(why_not(std::string(100000, '(') + "t"), HasSubstr("nested too deeply"));
  EXPECT_THAT(why_not(std::string(100000, '-') + "t"), HasSubstr("nested too deeply"));
  EXPECT_THAT(why_not(""), HasSubstr("does not begin with a number"));
}

TEST(TimeValue, NoNumber_IsAnErrorWhenItIsAskedFor) {
  const TimeValue value = *parse_time_value("1 / (t - 2)", "m/s").value;
  EXPECT_EQ(value.at(3), 1);
  EXPECT_EQ(test::error_of([&] { value.at(2); }),
            "\"1 / (t - 2)\" is inf at t = 2 s (a number is needed in every step); see what it "
            "divides by or takes the root of");
}

TEST(TimeValue, MultiplesOfOneText_AreEqualIfTheirFactorsAre) {
  const TimeValue value = *parse_time_value("3 m/s * t", "m/s").value;
  EXPECT_EQ(value.times(2).at(1), 6);
  EXPECT_EQ(value, *parse_time_value("3 m/s * t", "m/s").value);
  EXPECT_FALSE(value == value.times(2));
}

struct Room {
  TimeValue power = 1;  ///< W
  TimeValue3 wind{};    ///< m/s
};

CaseSchema schema() {
  CaseSchema schema;
  schema.key("power", &Room::power).unit("W").doc("of the heater");
  schema.key("wind", &Room::wind).unit("m/s");
  schema.real("mass", 1.0).unit("kg");
  return schema;
}

TEST(TimeValue, KeysThatMayVary_TakeNumbersAndExpressions) {
  const Case values = parse_case(
      schema(), "power = \"5 kW * ramp(t/2)\"\nwind = [\"2 m/s * t\", 3, \"1 cm/s\"]\n", "a.toml");
  const auto [power, wind] = values.read<Room>();
  EXPECT_DOUBLE_EQ(power.at(1), 2500);
  EXPECT_TRUE(varies(wind));
  EXPECT_EQ(at(wind, 2), (std::array<double, 3>{4, 3, 0.01}));
  const Case fixed = parse_case(schema(), "power = \"5 kW\"\n", "a.toml");
  EXPECT_FALSE(fixed.read<Room>().power.varies());
  EXPECT_EQ(fixed.read<Room>().power.at(0), 5000);
  EXPECT_FALSE(varies(fixed.read<Room>().wind));
  EXPECT_THAT(test::error_of([] { parse_case(schema(), "mass = \"2 kg * t\"\n", "a.toml"); }),
              HasSubstr("unknown unit"));
  EXPECT_THAT(test::error_of([] { parse_case(schema(), "power = \"5 kW * q\"\n", "a.toml"); }),
              HasSubstr("'q' is unknown"));
}

TEST(TimeValue, WhyATableIsRefused_IsSaidToTheEnd) {
  const test::ScratchFolder folder;
  const std::string name(60, 'w');
  folder.store(name + ".csv", "time,speed\n0,1\n2,nan\n");
  const auto file = folder.store("case.toml", "wind = [\"2*file(t, " + name + ".csv)\", 0, 0]\n");
  EXPECT_THAT(test::error_of([&] { read_case(schema(), file); }),
              HasSubstr(name + ".csv:3 ('nan' is not a finite number)"));
}

TEST(TimeValue, WhatIsPrintedOfACase_IsReadAgainAndNamesFilesByTheirWholePaths) {
  const test::ScratchFolder folder;
  folder.store("wind.csv", "time,speed\n0,1\n2,3\n");
  const auto file = folder.store("case.toml", "wind = [\"2*file(t, wind.csv)\", 0, 0]\n");
  const Case values = read_case(schema(), file);
  const Case again = parse_case(schema(), resolved_toml(values), "elsewhere/run.toml");
  EXPECT_EQ(again.read<Room>().wind[0].at(1), 4);
  EXPECT_THAT(resolved_toml(values), HasSubstr((folder / "wind.csv").string()));
  folder.store("study (2), mine/wind.csv", "time,speed\n0,5\n");
  const Case odd = read_case(schema(), folder.store("study (2), mine/case.toml",
                                                    "wind = [\"file(t, wind.csv)\", 0, 0]\n"));
  EXPECT_EQ(odd.read<Room>().wind[0].at(1), 5);
  EXPECT_EQ(
      parse_case(schema(), resolved_toml(odd), "elsewhere/run.toml").read<Room>().wind[0].at(1), 5);
}

}  // namespace
}  // namespace goban::time_value_test
