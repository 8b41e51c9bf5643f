// Lists that are ordered in parts: their cells, what patches read of each other, equal bits.

#include "goban/grid/list_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "goban/grid/list_halos.hpp"
#include "goban/partition/scotch.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"
#include "tests/sparse/porous.hpp"

namespace goban::list_parts_test {
namespace {

constexpr Index3 box{192, 160, 64};

/// A vessel that forks: three arms of diameter 36 that meet, none along an axis.
bool is_in_fork(Index3 i) {
  constexpr std::array<std::array<double, 2>, 3> arms{{{-0.95, 0.3}, {0.8, 0.6}, {0.7, -0.7}}};
  const double x = static_cast<double>(i[0]) - 91.5, y = static_cast<double>(i[1]) - 77.5;
  const double z = static_cast<double>(i[2]) - 31.5;
  for (const auto& [along_x, along_y] : arms) {
    const double along = std::max(0.0, x * along_x + y * along_y);
    const double across = std::hypot(x - along * along_x, y - along * along_y, z);
    if (across < 18) return true;
  }
  return false;
}

TEST(ListParts, HoldTheSameCells) {
  const ActiveCells list(box, is_in_fork);
  const auto parts = in_parts(list, parts_of(list, 3, Partitioner::flooding).part_of);
  ASSERT_EQ(parts->size(), list.size());
  ASSERT_EQ(parts->parts().size(), 4u);
  EXPECT_EQ(list.parts(), (std::vector<Index>{0, list.size()}));
  EXPECT_NE(parts->hash(), list.hash());
  Index next = 0;
  parts->each_run(5, list.size() - 7, [&](Index along_curve, Index number, Index cells) {
    ASSERT_EQ(along_curve, 5 + next);
    for (Index n = 0; n < cells; ++n) ASSERT_EQ((*parts)[number + n], list[along_curve + n]);
    next += cells;
  });
  EXPECT_EQ(next, list.size() - 12);
  list.each([&](Index3 cell, Index number) {
    const Index there = parts->find(cell);
    ASSERT_GE(there, 0);
    ASSERT_EQ((*parts)[there], cell);
    const auto& tile = parts->tile_of(there);
    ASSERT_EQ(tile.along_curve + there - tile.first, number);
  });
  const auto mean = static_cast<double>(list.size()) / 3;
  for (std::size_t p = 0; p < 3; ++p) {
    const auto cells = static_cast<double>(parts->parts()[p + 1] - parts->parts()[p]);
    EXPECT_NEAR(cells / mean, 1, 0.04) << p;
  }
}

/// What the patches of a run find of each other, and how many of their cells need none of it.
struct Seen {
  Index ghosts = 0;      ///< that the patch with most has
  double inner = 1;      ///< share of a patch's cells that are computed before messages are there
  double imbalance = 0;  ///< of the largest patch
};
constexpr int by_itself = 0;
Seen seen(int parts, Index patches) {
  Settings settings;
  settings.parts = parts;
  settings.patches = {patches, 1, 1};
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = box, .boundary = mirror, .active = is_in_fork});
  const Field<float> u(grid, "u");
  Domain& domain = domain_of(*grid.state());
  Seen all{domain.list_ghosts(*grid.state(), 1)};
  const auto mean = static_cast<double>(grid.active()->size()) / static_cast<double>(patches);
  for (const auto& patch : domain.patches()) {
    const auto cells = static_cast<double>(patch.owned.extent(0));
    const auto inner = domain.patches().lists(0)->inner(patch.patch).volume();
    all.inner = std::min(all.inner, static_cast<double>(inner) / cells);
    all.imbalance = std::max(all.imbalance, cells / mean - 1);
  }
  return all;
}

TEST(ListParts, ReadLessOfEachOther_AndComputeMostWhileMessagesTravel) {
  for (const int parts : {2, 3, 4, 6}) {
    const Seen curve = seen(1, parts), flooded = seen(by_itself, parts);
    EXPECT_LE(flooded.ghosts, curve.ghosts) << parts;
    EXPECT_GT(flooded.inner, 5 * curve.inner) << parts;
    EXPECT_GT(flooded.inner, parts < 4 ? 0.7 : 0.25) << parts;
    EXPECT_LT(flooded.imbalance, 0.03) << parts;
  }
  EXPECT_LT(2 * seen(by_itself, 3).ghosts, seen(1, 3).ghosts);  // an arm each
}

TEST(ListParts, AreLeftOutWhereTheyWouldBeUneven) {
  Settings settings;
  settings.patches = {3, 1, 1};
  Runtime runtime(settings);
  const auto parts = [&](Index3 cells) {
    Grid grid(runtime, {.cells = cells, .active = [](Index3) { return true; }});
    const Field<float> u(grid, "u");
    const Decomposition& cut = decomposition_of(*grid.state());
    EXPECT_LE(cut.extent(0, 0), (product(cells) + 2) / 3);
    return std::ssize(grid.state()->list->parts()) - 1;
  };
  EXPECT_EQ(parts({48, 16, 16}), 3);
  EXPECT_EQ(parts({16, 16, 16}), 1);  // eight tiles
}

TEST(ListParts, ShowInNoBit) {
  const auto compute = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {40, 27, 20},
                        .boundary = {periodic, mirror, wall_value(1)},
                        .active = test::is_pore});
    Field<float> u(grid, "u"), next(grid, "next");
    Field<double, 2> v(grid, "v");
    u.fill(test::pattern);
    v.fill(0.5);
    Program step("step");
    step.apply(test::Diffusion<float>{0.1f}, in(u), out(next));
    step.apply([](auto u, auto v) { v[1] = v[1]() + u(0, 0, 1) * u(2, 0, 0); }, in(u), inout(v));
    step.swap(u, next);
    Parameter<double> total("total");
    step.reduce([](auto v) { return v[1](); }, in(v), sum, into(total));
    Engine engine(step);
    StepClock clock;
    engine.run(6, clock);
    return test::Results{
        {"u", u.checksum()}, {"v", v.checksum()}, {"total", test::bits(total.value())}};
  };
  Settings settings;
  settings.threads = 1;
  const test::Results expected = compute(settings);
  std::vector<std::pair<int, Partitioner>> ways{{3, Partitioner::flooding},
                                                {4, Partitioner::flooding}};
  if (have_scotch()) ways.emplace_back(4, Partitioner::scotch);
  for (const auto& [parts, partition] : ways) {
    settings.parts = parts;
    settings.partition = partition;
    settings.backend = Backend::reference;
    EXPECT_EQ(compute(settings), expected);
    settings.backend = Backend::cpu;
    settings.overlap = Overlap::one_kernel;
    for (const int ranks : {1, 2, 4}) {
      for (const test::Results& found : test::results_of_ranks(ranks, compute, settings)) {
        EXPECT_EQ(found, expected) << ranks << " ranks";
      }
    }
    settings.backend = Backend::emulated;
    settings.delay_microseconds = 5;
    settings.patches = {parts, 1, 1};
    EXPECT_EQ(compute(settings), expected);
    settings.patches = {};
    settings.overlap = Overlap::automatic;
  }
}

TEST(ListParts, AreRefusedInOneLine) {
  const auto error_of = [](int parts, const Active& active) {
    Settings settings;
    settings.parts = parts;
    Runtime runtime(settings);
    return test::error_of([&] {
      Grid grid(runtime, {.cells = {16, 8, 8}, .active = active});
      Field<float>(grid, "u").fill(1.0f);
    });
  };
  EXPECT_EQ(error_of(2, {}),
            "run.parts = 2 is refused (the grid has all cells of its box); leave it out");
  EXPECT_EQ(error_of(3, [](Index3) { return true; }),
            "run.parts = 3 is refused (the active cells lie in 2 tiles of 8^3); take fewer parts");
}

}  // namespace
}  // namespace goban::list_parts_test
