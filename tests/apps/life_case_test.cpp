// What runs of the Game of Life write.

#include <gtest/gtest.h>

#include "goban/io/case/common.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/run/simulation.hpp"
#include "tests/scratch_folder.hpp"

namespace goban {

const Application& life_application();

namespace life::life_case_test {
namespace {

// gol3d_reference.csv: 32^3, periodic, seed 1, density 10.
TEST(LifeCase, SeriesHavePopulationAndHashOfEveryGeneration) {
  const test::ScratchFolder folder;
  CaseSchema schema;
  life_application().declare(schema);
  const Case values = parse_case(schema,
                                 "app = \"life\"\ngrid.cells = 32\ntime.steps = 3\nrun.seed = 1\n"
                                 "initial.soup = 10\noutput.series.every = 1\n"
                                 "output.series.hash = true\n",
                                 "soup.toml");
  Runtime runtime(run_settings(values));
  const auto setup = life_application().setup(values, runtime);
  setup->simulation().options().directory = folder.path().string();
  setup->simulation().options().measure_bandwidth = false;
  setup->simulation().run();
  const CsvTable table = read_csv(folder / "soup_series.csv");
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

}  // namespace
}  // namespace life::life_case_test
}  // namespace goban
