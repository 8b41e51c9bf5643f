#include "goban/io/case/table.hpp"

#include <gmock/gmock.h>

#include "tests/io/scratch.hpp"

namespace goban::table_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TableTest : public ScratchTest {
 protected:
  UserTable read(std::string_view text) const { return read_table(store("t.csv", text)); }
  std::string refused(std::string_view text) const {
    return refusal([&] { read(text); }, ExitCode::files);
  }
};

TEST_F(TableTest, EveryRowIsReadWhateverTheLinesEndWith) {
  for (const char* text :
       {"t,u\n0,1\n2,3\n", "t,u\n0,1\n2,3", "0,1\n2,3\n", "0,1\n2,3", "# t,u\n0,1\n2,3\n",
        "t,u\r\n0,1\r\n2,3\r\n", "t,u\r0,1\r2,3", "\xef\xbb\xbft,u\n0,1\n2,3\n",
        "\xef\xbb\xbf"
        "0,1\n2,3\n",
        "# by hand\n\nt;u\n0;1\n# here\n2;3 # the last\n\n", "t\tu\n0\t1\n2\t3\n",
        "t u\n 0  1\n2 3", "t, u\n0 1\n2 3\n", "\"t\",\"u\"\n\"0\",\"1\"\n2,3\n",
        "0,+1\n2.0e0,0.3D+01\n"}) {
    const UserTable table = read(text);
    ASSERT_EQ(table.columns(), 2) << text;
    EXPECT_THAT(table.in(0, "s"), ElementsAre(0, 2)) << text;
    EXPECT_THAT(table.in(1, "m/s"), ElementsAre(1, 3)) << text;
  }
}

TEST_F(TableTest, RowsOfNumPyAreReadAsTheyAreSaved) {
  const auto said = python("numpy",
                           "import numpy as np\nrows = [(0.0, 0), (0.1, 1e7), (1/3, 0)]\n"
                           "np.savetxt('" +
                               path("a.csv").string() +
                               "', rows)\n"
                               "np.savetxt('" +
                               path("b.csv").string() +
                               "', rows, delimiter=',', header='time [ms],power [kW/m3]')\n");
  if (!said) GTEST_SKIP() << "there is no NumPy";
  EXPECT_THAT(read_table(path("a.csv")).in(0, "s"), ElementsAre(0, 0.1, 1.0 / 3));
  const UserTable table = read_table(path("b.csv"));
  EXPECT_EQ(table.find("power"), 1);
  EXPECT_THAT(table.in(0, "s"), ElementsAre(0, 0.1 / 1000, 1.0 / 3 / 1000));
  EXPECT_THAT(table.in(1, "W/m3"), ElementsAre(0, 1e10, 0));
}

TEST_F(TableTest, UnitsOfHeadingsAreConvertedOrRefused) {
  for (const char* heading : {"t [ms],v [cm/s]", "t (ms),v(cm/s)", "t/ms,v/(cm/s)"}) {
    const UserTable table = read(std::string(heading) + "\n0.3,5\n");
    EXPECT_THAT(table.in(0, "s"), ElementsAre(0.3e-3)) << heading;
    EXPECT_THAT(table.in(1, "m/s"), ElementsAre(0.05)) << heading;
    EXPECT_EQ(table.find("v"), 1) << heading;
  }
  EXPECT_THAT(read("t [s] v [m/s]\n1 2\n").in(1, "m/s"), ElementsAre(2));
  EXPECT_EQ(read("power (total),a/b\n1,2\n").find("power (total)"), 0);
  EXPECT_EQ(refusal([&] { read("t [K],v\n0,1\n").in(0, "s"); }, ExitCode::files),
            "cannot read t.csv (column 't': K does not convert to s); it is read in s");
  EXPECT_EQ(refusal([&] { read("t [fortnights],v\n0,1\n").in(0, "s"); }, ExitCode::files),
            "cannot read t.csv (column 't': unknown unit 'fortnights'); it is read in s");
  EXPECT_EQ(refusal([&] { read("t,f [N]\n0,1\n").in(1, ""); }, ExitCode::files),
            "cannot read t.csv (column 'f': N does not convert to 1); it holds pure numbers");
}

TEST_F(TableTest, WhatIsNoTableIsRefusedWithTheLine) {
  EXPECT_EQ(refused(""), "cannot read t.csv (it has no rows of numbers)");
  EXPECT_EQ(refused("t,u\n"), "cannot read t.csv (it has no rows of numbers)");
  EXPECT_EQ(refused("t,u\n0,1\n2\n"), "cannot read t.csv:3 (1 cells instead of 2)");
  EXPECT_EQ(refused("t,u,w\n0,1\n"), "cannot read t.csv:2 (2 cells below 3 headings)");
  EXPECT_EQ(refused("t,u\nm,s\n0,1\n"), "cannot read t.csv:2 ('m' is not a finite number)");
  EXPECT_EQ(refused("0,1\n2,x\n"), "cannot read t.csv:2 ('x' is not a finite number)");
  EXPECT_EQ(refused("0,1\n2,3 4\n"), "cannot read t.csv:2 ('3 4' is not a finite number)");
  EXPECT_EQ(refused("0,1\n2,\n"), "cannot read t.csv:2 (a cell is empty)");
  EXPECT_EQ(refused("0;1,5\n"),
            "cannot read t.csv:1 ('1,5' is not a finite number); write numbers with a decimal "
            "point");
  for (const char* cell : {"nan", "inf", "-INF", "1e999", "1E-400", "0x10", "1e", "--1", "+-1"}) {
    EXPECT_EQ(refused("0,1\n2," + std::string(cell) + "\n"),
              "cannot read t.csv:2 ('" + std::string(cell) + "' is not a finite number)");
  }
  EXPECT_EQ(refused("nan,1\n0,1\n"), "cannot read t.csv:1 ('nan' is not a finite number)");
  EXPECT_EQ(refused("\xff\xfe\x30"), "cannot read t.csv (it is UTF-16); save it as UTF-8");
}

TEST_F(TableTest, ALineOfOtherLengthMayStandAboveTheRows) {
  const auto sounding = store("sounding", "1000 300 14\n 0 300 14 1 2\n500 301.5 12 3 4\n");
  const UserTable table = read_table(sounding, FirstLine::may_stand_above);
  EXPECT_THAT(table.line_above(), ElementsAre(1000, 300, 14));
  EXPECT_THAT(table.in(4, ""), ElementsAre(2, 4));
  const auto plain = store("plain", "0,1\n2,3\n");
  EXPECT_THAT(read_table(plain, FirstLine::may_stand_above).line_above(), ElementsAre());
  EXPECT_EQ(read_table(plain, FirstLine::may_stand_above).rows(), 2);
  EXPECT_EQ(refusal([&] { read_table(sounding); }, ExitCode::files),
            "cannot read sounding:2 (5 cells instead of 3)");
  const auto twice = store("twice", "1 2 3\n1 2\n1 2 3\n");
  EXPECT_EQ(refusal([&] { read_table(twice, FirstLine::may_stand_above); }, ExitCode::files),
            "cannot read twice:3 (3 cells instead of 2)");
}

TEST_F(TableTest, ColumnsAreFoundByNameAndTimesGrow) {
  const UserTable table = read("time,velocity\n0,1\n0,2\n");
  EXPECT_EQ(refusal([&] { table.find("velocty"); }, ExitCode::files),
            "t.csv has no column 'velocty' (there are time, velocity); did you mean velocity?");
  EXPECT_EQ(refusal([&] { read("0,1\n").find("t"); }, ExitCode::files),
            "t.csv has no column 't' (its columns have no headings); write them into a first line");
  EXPECT_EQ(refusal([&] { table.in(2, ""); }, ExitCode::files),
            "cannot read t.csv (it has 2 columns, 3 are needed)");
  EXPECT_THAT(refusal([&] { table.times(0); }, ExitCode::files),
              HasSubstr("its times do not grow: 0 follows 0"));
}

}  // namespace
}  // namespace goban::table_test
