// Bodies and profiles go on through the periodic sides of a grid.

#include <gtest/gtest.h>

#include "flow/keys.hpp"
#include "goban/cases/profile_rows.hpp"
#include "goban/goban.hpp"
#include "goban/grid/each_cell.hpp"
#include "goban/io/case/read.hpp"
#include "heat/keys.hpp"
#include "lbm/keys.hpp"

namespace goban::periodic_bodies_test {
namespace {

constexpr Index n = 10;

/// Cells in which a value is not 0, after a shift through the periodic sides.
using Cells = std::vector<double>;
Cells shifted(const Cells& cells, Index3 by) {
  Cells moved(cells.size());
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        const Index to = (((k + by[2]) % n) * n + (j + by[1]) % n) * n + (i + by[0]) % n;
        moved[static_cast<std::size_t>(to)] = cells[static_cast<std::size_t>((k * n + j) * n + i)];
      }
    }
  }
  return moved;
}

template <class Keys, class Read>
auto model_of(const Keys& declare, const Read& read, const std::string& more) {
  CaseSchema schema;
  declare(schema);
  return read(parse_case(schema,
                         "app = \"x\"\n[grid]\ncells = 10\nspacing = 1\n[time]\nsteps = 1\n" + more,
                         "case.toml", {}));
}

Cells covered(const Solids& solids) {
  Runtime runtime;
  const Grid made(runtime, {.cells = {n, n, n}});
  const GridState& grid = *made.state();
  SolidCells solid(solids);
  Cells cells;
  each_cell({{0, 0, 0}, {n, n, n}}, [&](Index3 cell) {
    cells.push_back(solid.covers(cell, grid.position(cell, Location::cell)) ? 1 : 0);
  });
  return cells;
}

const char* const inside =
    "[[obstacle]]\nshape=\"sphere\"\ncenter=[5, 5, 5]\nradius=3.3\n"
    "[[obstacle]]\nshape=\"cylinder\"\ncenter=[5, 5, 0]\nlower=[0, 0, 3]\nupper=[9, 9, 6]\n"
    "radius=4\n[[obstacle]]\nshape=\"box\"\nlower=[2, 4, 1]\nupper=[8, 5, 9]\n";
/// The same, 7, -3 and 4 further.
const char* const across =
    "[[obstacle]]\nshape=\"sphere\"\ncenter=[12, 2, 9]\nradius=3.3\n"
    "[[obstacle]]\nshape=\"cylinder\"\ncenter=[2, 2, 0]\nlower=[0, 0, 7]\nupper=[9, 9, 10]\n"
    "radius=4\n[[obstacle]]\nshape=\"box\"\nlower=[9, 1, 5]\nupper=[15, 2, 13]\n";

TEST(PeriodicBodies, OfFlowsGoOnThroughPeriodicSides) {
  const auto flow = [](const std::string& more) {
    return covered(
        model_of(flow::declare_keys, flow::read_model, "[flow]\nviscosity = 1\n" + more).solids);
  };
  const auto lbm = [](const std::string& more) {
    return covered(model_of(lbm::declare_keys, lbm::read_model,
                            "dt = 0.1\n[flow]\nviscosity = 1\nspeed = 0.1\n" + more)
                       .solids);
  };
  EXPECT_EQ(flow(across), shifted(flow(inside), {7, 7, 4}));
  EXPECT_EQ(lbm(across), flow(across));
  const std::string closed = "[boundary]\nx = \"wall\"\n";
  EXPECT_NE(flow(closed + across), flow(across));
  EXPECT_EQ(flow(closed + inside), flow(inside));
}

TEST(PeriodicBodies, ProfilesGoOnThroughPeriodicSides) {
  const auto sum = [](const std::vector<Profile>& profiles, bool paints) {
    Runtime runtime;
    Grid grid(runtime, {.cells = {n, n, n}});
    Field<double> field(grid, "field");
    const ProfileRows rows(profiles, 0);
    field.fill([&](const CellRow& row, double* values) {
      std::fill_n(values, row.count, 0.0);
      paints ? rows.paint(row, values) : rows.sum(row, values);
    });
    return field.copy_out();
  };
  const auto profiles = [](const std::string& table, const std::string& place, bool is_bodies) {
    std::string more = "[boundary]\nx = \"periodic\"\n";
    for (const char* shape : {"sphere", "gaussian"}) {
      if (is_bodies && shape[0] == 'g') continue;
      more += "[[" + table + "]]\nshape = \"" + shape + "\"\nradius = 2.2\ncenter = " + place +
              (is_bodies ? "\nconductivity = 2\n" : "\nvalue = 2\n");
    }
    const auto model = model_of(heat::declare_keys, heat::read_model, more);
    return is_bodies ? model.medium.inclusions : model.initial;
  };
  for (const bool paints : {false, true}) {
    const char* const table = paints ? "inclusion" : "initial";
    const Cells middle = sum(profiles(table, "[5, 5, 5]", paints), paints);
    const Cells corner = sum(profiles(table, "[0, 10, 1]", paints), paints);
    const Cells expected = shifted(middle, {5, 5, 6});
    for (std::size_t i = 0; i < corner.size(); ++i) EXPECT_NEAR(corner[i], expected[i], 1e-15);
  }
}

}  // namespace
}  // namespace goban::periodic_bodies_test
