// Two of cells, spacing and size of a grid say the third.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "goban/io/case/print.hpp"
#include "goban/io/case/read.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "tests/error_text.hpp"

namespace goban::grid_test {
namespace {

using ::testing::HasSubstr;

/// Layers: one below x and two above z.
Case grid_case(const std::string& keys, const std::vector<std::string>& more = {},
               bool has_layers = false) {
  CaseSchema schema;
  CommonChoices choices;
  if (has_layers) {
    choices.layers = [](const Case&) { return GridLayers{{{1, 0}, {0, 0}, {0, 2}}}; };
  }
  declare_common(schema, choices);
  return parse_case(schema, "app = \"x\"\n[grid]\n" + keys, "grid.toml", more);
}
GridOptions grid_of(const std::string& keys, const std::vector<std::string>& more = {},
                    bool has_layers = false) {
  return grid_options(grid_case(keys, more, has_layers));
}
std::string error_of_grid(const std::string& keys, const std::vector<std::string>& more = {}) {
  return test::error_of([&] { grid_case(keys, more); });
}

TEST(CaseGrid, TwoOfThreeSayTheThird) {
  const GridOptions by_spacing = grid_of("size = [1, 0.5, \"25 cm\"]\nspacing = 0.01\n");
  EXPECT_EQ(by_spacing.cells, (Index3{100, 50, 25}));
  const GridOptions by_cells = grid_of("size = [1, 0.5, 0.25]\ncells = [10, 10, 10]\n");
  EXPECT_EQ(by_cells.spacing.value, (Real3{0.1, 0.05, 0.025}));
  const GridOptions by_both = grid_of("cells = [10, 20, 30]\nspacing = 0.1\n");
  EXPECT_EQ(by_both.cells, (Index3{10, 20, 30}));
  EXPECT_EQ(grid_of("size = 1\ncells = 96\n").spacing.value[2], 1.0 / 96);
}

TEST(CaseGrid, RefiningIsOneKey) {
  const std::string coarse = "size = [0.3, 0.2, 0.1]\nspacing = 0.1\n";
  EXPECT_EQ(grid_of(coarse).cells, (Index3{3, 2, 1}));
  EXPECT_EQ(grid_of(coarse, {"grid.spacing=0.05"}).cells, (Index3{6, 4, 2}));
  const GridOptions finer = grid_of(coarse, {"grid.cells=12,8,4"});
  EXPECT_EQ(finer.cells, (Index3{12, 8, 4}));
  EXPECT_NEAR(finer.spacing.value[0], 0.025, 1e-15);
  EXPECT_EQ(finer.spacing.value[0], finer.spacing.value[2]) << "cubes are cubes";
}

TEST(CaseGrid, ALengthOfZeroIsOneCellAsThickAsOthersAreWide) {
  const std::string plane = "size = [2, 1, 0]\n";
  EXPECT_EQ(grid_of(plane + "spacing = 0.1\n").cells, (Index3{20, 10, 1}));
  const GridOptions by_cells = grid_of(plane + "cells = [20, 10, 1]\n");
  EXPECT_EQ(by_cells.spacing.value, (Real3{0.1, 0.1, 0.1}));
}

TEST(CaseGrid, TheCommandLineHasTheLastWord) {
  const std::string all = "size = 1\nspacing = 0.1\ncells = 10\n";
  EXPECT_EQ(grid_of(all).cells, (Index3{10, 10, 10}));
  EXPECT_EQ(grid_of(all, {"grid.spacing=0.05"}).cells, (Index3{20, 20, 20}));
  EXPECT_EQ(grid_of(all, {"grid.size=2"}).cells, (Index3{20, 20, 20}));
  EXPECT_EQ(grid_of(all, {"grid.cells=5"}).spacing.value[1], 0.2);
  const GridOptions both = grid_of(all, {"grid.cells=5", "grid.spacing=3"});
  EXPECT_EQ(both.cells, (Index3{5, 5, 5}));
  EXPECT_EQ(both.spacing.value[0], 3);
  EXPECT_THAT(error_of_grid(all, {"grid.size=2", "grid.spacing=0.1", "grid.cells=10"}),
              HasSubstr("contradict each other"));
}

TEST(CaseGrid, LayersLieBesideTheSizeAndTheOriginIsItsCorner) {
  const GridOptions grid =
      grid_of("size = [1, 1, 1]\nspacing = 0.25\norigin = [10, 0, 0]\n", {}, true);
  EXPECT_EQ(grid.cells, (Index3{5, 4, 6}));
  EXPECT_EQ(grid.origin, (Real3{9.75, 0, 0}));
  const GridOptions by_cells = grid_of("size = [1, 1, 1]\ncells = [5, 4, 6]\n", {}, true);
  EXPECT_EQ(by_cells.spacing.value, (Real3{0.25, 0.25, 0.25}));
  EXPECT_EQ(grid_of("cells = [5, 4, 6]\n", {}, true).origin, (Real3{0, 0, 0}));
}

TEST(CaseGrid, WhatIsPrintedIsTheSameGridAgain) {
  for (const char* keys : {"size = [1, 1, 1]\nspacing = 0.25\norigin = [10, 0, 0]\n",
                           "size = [1, 1, 1]\ncells = [5, 8, 6]\n"}) {
    const Case first = grid_case(keys, {}, true);
    const std::string text = resolved_toml(first);
    EXPECT_THAT(text, HasSubstr("# follows from other keys"));
    CaseSchema schema = first.schema();
    const Case again = parse_case(schema, text, "run.toml");
    EXPECT_EQ(grid_options(again).cells, grid_options(first).cells);
    EXPECT_EQ(grid_options(again).spacing.value, grid_options(first).spacing.value);
    EXPECT_EQ(grid_options(again).origin, grid_options(first).origin);
    EXPECT_EQ(resolved_toml(again), text);
  }
}

TEST(CaseGrid, WhatDoesNotFitIsSaid) {
  EXPECT_THAT(error_of_grid("size = 1\nspacing = 0.3\n"),
              HasSubstr("grid.toml:3:8: grid.size is no whole number of cells "
                        "(3.33333 of 0.3 along x)"));
  EXPECT_THAT(error_of_grid("size = 1\n"), HasSubstr("the grid has no cells"));
  EXPECT_THAT(error_of_grid("size = 0\ncells = 1\n"), HasSubstr("grid.size is 0"));
  EXPECT_THAT(error_of_grid("size = [1, 1, 0]\ncells = [4, 4, 4]\n"),
              HasSubstr("4 cells for a length of 0 along z"));
  EXPECT_THAT(error_of_grid("size = 1\ncells = 3\nspacing = 0.5\n"),
              HasSubstr("spacing and size make 2 x 2 x 2 cells"));
  EXPECT_THAT(error_of_grid("spacing = 1\n"), HasSubstr("missing key grid.cells"));
}

}  // namespace
}  // namespace goban::grid_test
