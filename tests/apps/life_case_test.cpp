// What runs of the Game of Life write.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "goban/io/case/read.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "goban/simulation/run/simulation.hpp"
#include "life/keys.hpp"
#include "life/rle.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban {

const Application& life_application();

namespace life::life_case_test {
namespace {

CsvTable series_of(const std::string& text) {
  const test::ScratchFolder folder;
  CaseSchema schema;
  life_application().declare(schema);
  const Case values =
      parse_case(schema, "app = \"life\"\noutput.series.every = 1\n" + text, "a.toml");
  Runtime runtime(run_settings(values));
  const auto setup = life_application().setup(values, runtime);
  setup->simulation().options().directory = folder.path().string();
  setup->simulation().options().measure_bandwidth = false;
  setup->simulation().run();
  return read_csv(folder / "a_series.csv");
}

// gol3d_reference.csv: 32^3, periodic, seed 1, density 10.
TEST(LifeCase, SeriesHavePopulationAndHashOfEveryGeneration) {
  const CsvTable table = series_of(
      "grid.cells = 32\ntime.steps = 3\nrun.seed = 1\ninitial.soup = 10\n"
      "output.series.hash = true\n");
  const std::vector<double> populations = {3232, 4429, 4743, 6563};
  EXPECT_EQ(table.values[table.column("population")], populations);
  const auto& high = table.values[table.column("fnv1a_high")];
  const auto& low = table.values[table.column("fnv1a_low")];
  const std::vector<std::uint64_t> hashes = {0xeea91d45f4bc994b, 0x80d31af8b3c9c4a2,
                                             0x69ed2b3cec158318, 0x52656b2e93adbc80};
  ASSERT_EQ(high.size(), hashes.size());
  for (std::size_t n = 0; n < hashes.size(); ++n) {
    const auto whole =
        (static_cast<std::uint64_t>(high[n]) << 32) + static_cast<std::uint64_t>(low[n]);
    EXPECT_EQ(whole, hashes[n]) << n;
  }
}

// Conway's rule: a plus becomes a traffic light. Were layers above and below those of the other
// side, each cell would be its own neighbour twice.
TEST(LifeCase, OneLayerIsAGameInThePlane) {
  const CsvTable table = series_of(
      "grid.cells = [21, 21, 1]\ntime.steps = 8\nrule.survive = [2, 3]\nrule.birth = [3]\n"
      "pattern = [{name = \"plus2d\", at = [10, 10, 0]}]\n");
  EXPECT_EQ(table.values[table.column("population")],
            (std::vector<double>{5, 8, 8, 12, 12, 20, 12, 12, 12}));
  EXPECT_THAT(test::error_of([] { series_of("grid.cells = [8, 2, 8]\ntime.steps = 1\n"); }),
              ::testing::HasSubstr("2 cells along a periodic axis are refused"));
  EXPECT_NO_THROW(series_of("grid.cells = [8, 2, 8]\ntime.steps = 1\nboundary.all = \"dead\"\n"));
}

using ::testing::HasSubstr;

const std::string glider = "#N Glider\n#C moves\nx = 3, y = 3, rule = B3/S23\nbob$2bo$\n3o!\n";

/// Conway's rule in one layer between dead ones, with a pattern from a file.
Case conway(const std::filesystem::path& file, const std::vector<std::string>& more = {}) {
  CaseSchema schema;
  life_application().declare(schema);
  return parse_case(schema,
                    "app = \"life\"\n[grid]\ncells = [12, 10, 1]\n[time]\nsteps = 4\n"
                    "[boundary]\nall = \"dead\"\n[rule]\nsurvive = [2, 3]\nbirth = [3]\n"
                    "[[pattern]]\nfile = \"" +
                        file.string() + "\"\nat = [4, 3, 0]\n",
                    "glider.toml", more);
}

TEST(LifeCase, PatternsOfFilesAreWhereTheCasePutsThem) {
  const test::ScratchFolder folder;
  const Model model = read_model(conway(folder.store("glider.rle", glider)));
  EXPECT_EQ(model.cells, (std::set<Index3>{{5, 3, 0}, {6, 4, 0}, {4, 5, 0}, {5, 5, 0}, {6, 5, 0}}));
}

TEST(LifeCase, RunLengthsAreReadAndWhatIsNoneIsRefused) {
  const test::ScratchFolder folder;
  const auto cells = [&](const std::string& text) {
    return read_rle(folder.store("p.rle", text)).cells;
  };
  EXPECT_EQ(cells("x=5,y=4\n2b2o$$\no.A2$!rest"),
            (std::vector<Index3>{{2, 0, 0}, {3, 0, 0}, {0, 2, 0}, {2, 2, 0}}));
  EXPECT_EQ(read_rle(folder.store("p.rle", "x = 1, y = 1, rule = 23/36\r\no!\r\n")).rule,
            (Rule{0b1100, 0b1001000}));
  const auto refused = [&](const std::string& text) {
    return test::refusal(ExitCode::files, [&] { cells(text); });
  };
  EXPECT_THAT(refused(""), HasSubstr("it has no header like x = 3, y = 3"));
  EXPECT_THAT(refused("x = 3\no!"), HasSubstr("has no x or no y"));
  EXPECT_THAT(refused("x = 3, y = -1\no!"), HasSubstr("a size of -1 is refused"));
  EXPECT_THAT(refused("x = 3, y = 3\n3o"), HasSubstr("it does not end with !"));
  EXPECT_THAT(refused("x = 3, y = 3\n4o!"), HasSubstr("it is larger than 3 x 3"));
  EXPECT_THAT(refused("x = 3, y = 3\nz!"), HasSubstr("it holds the character 'z'"));
  EXPECT_THAT(refused("x = 3, y = 3, rule = WireWorld\no!"), HasSubstr("its rule is WireWorld"));
}

TEST(LifeCase, PatternsOfAnotherRuleOrWithTwoNamesAreRefused) {
  const test::ScratchFolder folder;
  const auto file = folder.store("glider.rle", glider);
  const auto refused = [&](const std::vector<std::string>& more) {
    return test::refusal(ExitCode::usage, [&] { read_model(conway(file, more)); });
  };
  EXPECT_THAT(refused({"rule.birth=[3, 6]"}),
              HasSubstr("set rule.survive = [2, 3] and rule.birth = [3]"));
  EXPECT_THAT(refused({"pattern.0.name=plate"}), HasSubstr("neither a name nor a file, or both"));
  EXPECT_THAT(refused({"pattern.0.at=[10, 3, 0]"}), HasSubstr("glider.rle does not fit the grid"));
}

}  // namespace
}  // namespace life::life_case_test
}  // namespace goban
