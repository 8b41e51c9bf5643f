// Cases with air and ground from shipped files.

#include <filesystem>

#include "atmosphere/keys.hpp"
#include "goban/io/case/read.hpp"
#include "tests/apps/atmosphere_ways.hpp"
#include "tests/long.hpp"

namespace goban::atmosphere::atmosphere_storm_test {
namespace {

struct ShippedCase {
  Model model;
  GridOptions grid;
};

/// A shipped case on another grid.
ShippedCase case_on(const std::string& name, const std::string& cells, const std::string& spacing,
                    std::vector<std::string> more = {}) {
  CaseSchema schema;
  declare_keys(schema);
  const auto file = std::filesystem::path(GOBAN_SOURCE_DIR) / "cases/atmosphere" / (name + ".toml");
  more.insert(more.end(), {"grid.cells=" + cells, "grid.spacing=" + spacing});
  const Case values = read_case(schema, file, more);
  return {read_model(values), grid_options(values)};
}

/// Updrafts at this level: the largest w, where it is, and the largest in the two rows of the
/// middle.
struct Updraft {
  double largest = 0, in_the_middle = 0;
  Index row = 0;
  double asymmetry = 0;  ///< under reflection along y
};
template <class T>
Updraft updraft(const SmallAtmosphere<3, T>& air, Index level) {
  const Index3 cells = air.grid().cells();
  const auto w = air.step.velocity.copy_out({{0, 0, level}, {cells[0], cells[1], level + 1}});
  const auto at = [&](Index i, Index j) {
    return static_cast<double>(w[static_cast<std::size_t>(i + cells[0] * (j + cells[1] * 2))]);
  };
  Updraft found;
  for (Index j = 0; j < cells[1]; ++j) {
    for (Index i = 0; i < cells[0]; ++i) {
      if (at(i, j) > found.largest) {
        found.largest = at(i, j);
        found.row = j;
      }
      if (std::abs(2 * j + 1 - cells[1]) < 2)
        found.in_the_middle = std::max(found.in_the_middle, at(i, j));
      found.asymmetry = std::max(found.asymmetry, std::abs(at(i, j) - at(i, cells[1] - 1 - j)));
    }
  }
  return found;
}

/// Klemp, Skamarock, Park, J. Adv. Model. Earth Syst. 7 (2015) 1155, and DCMIP2016: the storm
/// splits into two mirror images that move apart; w reaches 25 to 50 m/s.
TEST(AtmosphereStorm, ASupercellSplitsIntoTwoMovers) {
  const bool is_long = test::is_long();
  const double end = is_long ? 7200 : 300;
  const auto [model, grid] = is_long ? case_on("supercell", "[42, 42, 20]", "[2000, 2000, 1000]")
                                     : case_on("supercell", "[14, 14, 10]", "[6000, 6000, 2000]");
  SmallAtmosphere<3, double> air(timed(model, grid, model.dt, end), grid);
  air.run_until(end);
  air.observe();
  const Updraft found = updraft(air, is_long ? 5 : 2);
  RecordProperty("asymmetry", std::to_string(found.asymmetry));
  RecordProperty("row", std::to_string(found.row));
  EXPECT_LE(found.asymmetry, (is_long ? 1e-2 : 1e-6) * found.largest);
  EXPECT_GT(found.largest, 0.1);
  if (!is_long) return;
  EXPECT_GE(air.step.largest_w.value(), 25);
  EXPECT_LE(air.step.largest_w.value(), 50);
  EXPECT_LE(found.in_the_middle, 0.3 * found.largest);
  EXPECT_GE(std::abs(2 * found.row - 41), 10);  // km from it
  EXPECT_GT(air.step.water->fallen.value(), 0);
}

TEST(AtmosphereStorm, TheTradeWindRisesOverTheIsland) {
  const auto [model, grid] = case_on("island", "[32, 24, 16]", "[2000, 2000, 750]");
  SmallAtmosphere<3, float> air(timed(model, grid, model.dt, 300), grid);
  air.run_until(300);
  air.observe();
  EXPECT_GT(model.terrain.height, 1000);
  EXPECT_GT(air.step.largest_w.value(), 0.5);
  EXPECT_LT(air.step.largest_w.value(), 10);
  EXPECT_GT(air.step.water->relative_humidity.maximum(), 0.6);
}

TEST(AtmosphereStorm, ATropicalCycloneIsTheSameEveryWay) {
  const auto [model, grid] = case_on("tropical_cyclone", "[10, 8, 6]", "[80000, 80000, 4000]");
  EXPECT_GT(model.vortex.drop, 1000);
  test::expect_same_bits(three_steps<3, float>(model, grid),
                         ways({{"", "", ""}, {"5,5", "", ""}}, {false}, 8));
}

TEST(AtmosphereStorm, TradeWindCumulusIsTheSameEveryWay) {
  const auto [model, grid] =
      case_on("bomex", "[10, 8, 10]", "[200, 200, 320]", {"initial.noise_theta=1"});
  test::expect_same_bits(three_steps<3, float>(model, grid),
                         ways({{"", "", ""}, {"5,5", "", ""}}, {false}, 8));
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_storm_test
