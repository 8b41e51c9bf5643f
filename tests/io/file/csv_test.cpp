#include "goban/io/file/csv.hpp"

#include <cmath>

#include "tests/error_text.hpp"
#include "tests/io/scratch.hpp"

namespace goban::csv_test {
namespace {

using CsvTest = ScratchTest;

const std::vector<CsvColumn> columns = {{"time", "s"}, {"kinetic energy, total", "J"}, {"Re", ""}};

TEST_F(CsvTest, RowsAreWrittenWholeWithUnitsInTheHeader) {
  CsvSeries series(path("s.csv"), columns);
  series.append(0, std::array{0.0, 1.25, 100.0});
  EXPECT_EQ(content("s.csv"), "step,time [s],\"kinetic energy, total [J]\",Re\n0,0,1.25,100\n");
  series.append(10, std::array{0.1, 1.0 / 3, 1e-300});
  EXPECT_EQ(content("s.csv"),
            "step,time [s],\"kinetic energy, total [J]\",Re\n0,0,1.25,100\n"
            "10,0.1,0.3333333333333333,1e-300\n");
}

TEST_F(CsvTest, NumbersReadBackToTheSameBits) {
  const double values[] = {
      0.1,      1.0 / 3,   -0.0,        5e-324, 1.7976931348623157e308, 123456789.123456789,
      HUGE_VAL, -HUGE_VAL, std::nan("")};
  CsvSeries series(path("s.csv"), {{"v", "m"}});
  Index step = 0;
  for (const double value : values) series.append(step++, std::array{value});
  const CsvTable table = read_csv(path("s.csv"));
  ASSERT_EQ(table.rows(), 9);
  EXPECT_EQ(table.columns[1].name, "v");
  EXPECT_EQ(table.columns[1].unit, "m");
  for (std::size_t n = 0; n < 8; ++n) {
    EXPECT_EQ(table.values[1][n], values[n]);
    EXPECT_EQ(std::signbit(table.values[1][n]), std::signbit(values[n]));
  }
  EXPECT_TRUE(std::isnan(table.values[1][8]));
}

TEST_F(CsvTest, ContinuingRemovesLaterRowsAndATornOne) {
  {
    CsvSeries series(path("s.csv"), columns);
    for (Index step = 0; step <= 50; step += 10)
      series.append(step, std::array{0.1 * static_cast<double>(step), 1.0, 2.0});
  }
  std::ofstream(path("s.csv"), std::ios::app) << "60,6,1";
  CsvSeries series(path("s.csv"), columns, 30);
  CsvTable table = read_csv(path("s.csv"));
  EXPECT_EQ(table.values[0], (std::vector<double>{0, 10, 20, 30}));
  series.append(35, std::array{3.5, 1.0, 2.0});
  table = read_csv(path("s.csv"));
  EXPECT_EQ(table.values[0], (std::vector<double>{0, 10, 20, 30, 35}));
}

TEST_F(CsvTest, ContinuingWhatIsNotThereStartsANewSeries) {
  CsvSeries series(path("s.csv"), columns, 30);
  EXPECT_EQ(read_csv(path("s.csv")).rows(), 0);
}

TEST_F(CsvTest, StartingAnewForgetsTheOldRows) {
  store("s.csv", "step,a\n1,1\n");
  CsvSeries series(path("s.csv"), {{"b", ""}});
  EXPECT_EQ(content("s.csv"), "step,b\n");
}

TEST_F(CsvTest, ContinuingAnotherTableIsRefusedAndChangesNothing) {
  store("s.csv", "step,a\n1,1\n");
  EXPECT_EQ(refusal(
                [&] {
                  CsvSeries series(path("s.csv"), {{"b", "m"}}, 5);
                },
                ExitCode::files),
            "cannot continue s.csv (its columns are not those of this run); move it away; expected "
            "'step,b [m]'");
  EXPECT_EQ(content("s.csv"), "step,a\n1,1\n");
}

TEST_F(CsvTest, ContinuingWhatCannotBeLookedAtIsAnErrorOfFiles) {
  std::filesystem::create_symlink("circle", path("circle"));
  EXPECT_EQ(test::code_of([&] { CsvSeries series(path("circle") / "s.csv", columns, 30); }),
            ExitCode::files)
      << "nothing was thrown";
}

TEST_F(CsvTest, ARowOfTheWrongLengthIsRefused) {
  CsvSeries series(path("s.csv"), {{"a", ""}});
  EXPECT_EQ(refusal(
                [&] {
                  series.append(0, std::array{1.0, 2.0});
                },
                ExitCode::usage),
            "a row of s.csv has 2 values, its header 1");
}

TEST_F(CsvTest, ReadsTablesOfOthers) {
  store("t.csv", "x, \"y \"\"max\"\"\" ,z [m/s]\r\n 1 ,2.5e3,-inf\r\n\r\n3,,4\r\n");
  EXPECT_EQ(refusal([&] { read_csv(path("t.csv")); }, ExitCode::files),
            "cannot read t.csv:4 ('' is not a number)");
  store("t.csv", "x,\"y \"\"max\"\"\",z [m/s]\r\n 1 ,2.5e3,-inf\r\n3,0,4\r\ntorn");
  const CsvTable table = read_csv(path("t.csv"));
  EXPECT_EQ(table.rows(), 2);
  EXPECT_EQ(table.columns[1].name, "y \"max\"");
  EXPECT_EQ(table.columns[2].unit, "m/s");
  EXPECT_EQ(table.values[1][0], 2500);
  EXPECT_EQ(table.column("z"), 2u);
}

TEST_F(CsvTest, LinesBeforeTheHeaderMayBeRemarks) {
  store("t.csv", "# made by hand\n#, twice\nt,u\n0,1\n");
  EXPECT_EQ(read_csv(path("t.csv")).values[1], std::vector{1.0});
  store("t.csv", "# made by hand\nt,u\n0,1\n# no\n");
  EXPECT_EQ(refusal([&] { read_csv(path("t.csv")); }, ExitCode::files),
            "cannot read t.csv:4 (1 cells instead of 2)");
}

TEST_F(CsvTest, DamagedTablesAreRefusedWithTheLine) {
  const auto reads = [&](std::string_view text) {
    store("t.csv", text);
    return refusal([&] { read_csv(path("t.csv")); }, ExitCode::files);
  };
  EXPECT_EQ(reads(""), "cannot read t.csv:1 (the header line is missing)");
  EXPECT_EQ(reads("a,b\n1,2\n3\n"), "cannot read t.csv:3 (1 cells instead of 2)");
  EXPECT_EQ(reads("a,b\n1,1E-400\n"), "cannot read t.csv:2 ('1E-400' is not a number)");
  EXPECT_EQ(reads("a,b\n1,two\n"), "cannot read t.csv:2 ('two' is not a number)");
  EXPECT_EQ(reads("a,b\n1,2\n"), "");
}

TEST_F(CsvTest, AMissingColumnIsNamedBesideThoseThatAreThere) {
  store("t.csv", "step,time [s]\n");
  const CsvTable table = read_csv(path("t.csv"));
  EXPECT_EQ(refusal([&] { table.column("energy"); }, ExitCode::usage),
            "there is no column 'energy' (there are step, time)");
}

}  // namespace
}  // namespace goban::csv_test
