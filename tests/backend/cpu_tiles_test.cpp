// How threads share the tiles of a sweep.

#include "goban/backend/cpu/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "goban/backend/cpu/tile_choice.hpp"

namespace goban::cpu {
namespace {

SweepTask task_over(const Box& box, bool walks_groups) {
  const auto stage = std::make_shared<Stage>();
  stage->kernels.walks_groups = walks_groups;
  stage->kernels.planes = walks_groups ? 4 : 1;
  SweepTask task;
  task.stage = stage;
  task.box = box;
  task.order = {0, 1, 2};
  return task;
}

/// Whether threads that take tiles in turn are given each cell of the box once; `takes` says of
/// each whether it takes any, `nodes` which memory lies near it.
bool all_are_taken_once(const Box& box, bool walks_groups, const std::vector<bool>& takes,
                        const std::vector<int>& nodes) {
  const SweepTask task = task_over(box, walks_groups);
  constexpr Index rows = 20;
  SharedTiles tiles(task, nodes, rows);
  std::vector<int> times(static_cast<std::size_t>(box.volume()), 0);
  for (bool is_any_left = true; is_any_left;) {
    is_any_left = false;
    for (std::size_t thread = 0; thread < takes.size(); ++thread) {
      SweepCall call;
      if (!takes[thread] || !tiles.take(static_cast<int>(thread), call)) continue;
      is_any_left = true;
      EXPECT_EQ(intersection(call.box, call.tile), call.box);
      EXPECT_LE(call.box.extent(1), rows);
      for (Index z = call.box.lower[2]; z < call.box.upper[2]; ++z) {
        for (Index y = call.box.lower[1]; y < call.box.upper[1]; ++y) {
          for (Index x = call.box.lower[0]; x < call.box.upper[0]; ++x) {
            const Index3 i = Index3{x, y, z} - box.lower;
            ++times[static_cast<std::size_t>(i[0] + box.extent(0) * (i[1] + box.extent(1) * i[2]))];
          }
        }
      }
    }
  }
  return std::ranges::all_of(times, [](int n) { return n == 1; });
}

TEST(SharedTiles, GiveEveryCellToOneThread) {
  for (const bool walks_groups : {false, true}) {
    for (const Box& box : {Box{{0, 0, 0}, {256, 131, 67}}, Box{{-3, 2, 5}, {700, 300, 6}},
                           Box{{0, 0, 0}, {900, 700, 1}}, Box{{1, 1, 1}, {4, 3, 2}}}) {
      for (const std::size_t threads : {1, 2, 5, 16}) {
        std::vector<int> near(threads, 0), far(threads, 1);
        std::fill_n(far.begin(), threads / 2, 0);
        for (const auto& nodes : {near, far}) {
          EXPECT_TRUE(
              all_are_taken_once(box, walks_groups, std::vector<bool>(threads, true), nodes));
        }
      }
    }
  }
}

TEST(SharedTiles, OfAThreadThatIsHeldUpGoToOthers) {
  EXPECT_TRUE(
      all_are_taken_once({{0, 0, 0}, {256, 131, 67}}, false, {false, true, false}, {0, 0, 0}));
  EXPECT_TRUE(
      all_are_taken_once({{0, 0, 0}, {256, 131, 67}}, false, {false, true, false}, {0, 0, 3}));
}

TEST(SharedTiles, AreLongAtFirstAndShortAtTheEnd) {
  const SweepTask task = task_over({{0, 0, 0}, {512, 512, 512}}, false);
  SharedTiles tiles(task, std::vector<int>(16, 0), 64);
  std::vector<Index> planes;
  for (SweepCall call; tiles.take(0, call);) planes.push_back(call.box.extent(2));
  EXPECT_GE(planes.front(), 64);
  EXPECT_LE(planes.back(), 16);
  EXPECT_LT(planes.size(), 160u);
}

TEST(SharedTiles, BeginNearTheMemoryOfTheirThread) {
  const SweepTask task = task_over({{0, 0, 0}, {256, 256, 256}}, false);
  SharedTiles tiles(task, {0, 0, 1, 1}, 64);
  for (const int thread : {0, 1, 2, 3}) {
    SweepCall call;
    ASSERT_TRUE(tiles.take(thread, call));
    EXPECT_EQ(call.box.lower[2] >= 128, thread >= 2);
  }
}

/// Which tiles are chosen where those of so many rows take so long.
Index chosen_rows(TileChoice choice, double (*seconds)(Index rows)) {
  for (int n = 0; n < 100 && choice.is_open(); ++n) choice.add(seconds(choice.rows()));
  EXPECT_FALSE(choice.is_open());
  return choice.rows();
}

TEST(TileChoice, IsTheFastestOrTheRuleOfThumb) {
  EXPECT_EQ(chosen_rows({32, 256}, [](Index rows) { return 100.0 / static_cast<double>(rows); }),
            64);
  EXPECT_EQ(chosen_rows({32, 256}, [](Index rows) { return static_cast<double>(rows); }), 16);
  EXPECT_EQ(chosen_rows({32, 256}, [](Index rows) { return rows == 32 ? 1 : 0.99; }), 32);
  EXPECT_EQ(chosen_rows({32, 40}, [](Index rows) { return 1.0 / static_cast<double>(rows); }), 40);
  EXPECT_EQ(TileChoice(300, 256).rows(), 256);  // all rows: nothing to try
}

TEST(TileChoice, SaysWhatItHasSeen) {
  TileChoice choice(32, 256);
  EXPECT_EQ(choice.describe(), "32 rows a tile");
  choice.add(0.002);
  choice.add(0.001);
  EXPECT_EQ(choice.describe(), "32 rows a tile (32: 2 ms, 64: 1 ms)");
}

}  // namespace
}  // namespace goban::cpu
