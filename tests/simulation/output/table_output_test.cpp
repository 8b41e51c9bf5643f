#include "goban/simulation/output/table_output.hpp"

#include <gtest/gtest.h>

#include "goban/simulation/run/simulation.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::table_output_test {
namespace {

struct Add {
  float more;
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    u += more;
    v += 2 * more;
  }
};

/// The last values of two fields, whose sums are a column.
TEST(TableOutput, WritesWhatIsComputedOfWholeFields) {
  const test::ScratchFolder folder;
  Settings settings;
  settings.cuts = {"2,3", "", ""};
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {5, 3, 1}});
  Field<float> u(grid, "u");
  Field<double> v(grid, "v");
  u.fill([](Index3 at) { return static_cast<float>(at[0]); });
  v.fill(1);
  Program step("step");
  step.apply(Add{1}, inout(u), inout(v));
  Simulation simulation(grid, step, {.steps = 3, .name = "sums"});
  simulation.options().directory = folder.path().string();
  const auto last_and_sum = [](const AnyField&, const std::vector<double>& values,
                               TableColumns& table) {
    table[0].push_back(values.back());
    table[1].push_back(0);
    for (const double value : values) table[1].back() += value;
  };
  simulation.add(
      table_output("table", "sums", {u, v}, {{"last", "m"}, {"sum", "m"}}, last_and_sum, every(3)));
  simulation.run();
  const CsvTable table = read_csv(folder / "sums_table.0000003.csv");
  EXPECT_EQ(table.values.at(table.column("last")), (std::vector<double>{7, 7}));
  EXPECT_EQ(table.values.at(table.column("sum")), (std::vector<double>{3 * 10 + 45, 7 * 15}));
  EXPECT_TRUE(fs::exists(folder / "sums_table.0000000.csv"));
}

}  // namespace
}  // namespace goban::table_output_test
