// What runs of the Game of Life write.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "goban/io/case/common.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/run/simulation.hpp"
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

}  // namespace
}  // namespace life::life_case_test
}  // namespace goban
