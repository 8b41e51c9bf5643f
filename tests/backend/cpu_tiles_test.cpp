// How threads share the tiles of a sweep.

#include "goban/backend/cpu/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace goban::cpu::cpu_tiles_test {
namespace {

/// Whether threads that take tiles in turn are given each cell of the box once; `takes` says of
/// each whether it takes any.
bool all_are_taken_once(const Box& box, bool walks_groups, const std::vector<bool>& takes) {
  KernelShape shape;
  shape.walks_groups = walks_groups;
  SweepTask task;
  task.box = box;
  task.order = {0, 1, 2};
  constexpr Index rows = 20;
  SharedTiles tiles(task, shape, static_cast<int>(takes.size()), rows);
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
        EXPECT_TRUE(all_are_taken_once(box, walks_groups, std::vector<bool>(threads, true)));
      }
    }
  }
}

TEST(SharedTiles, OfAThreadThatIsHeldUpGoToOthers) {
  EXPECT_TRUE(all_are_taken_once({{0, 0, 0}, {256, 131, 67}}, false, {false, true, false}));
}

}  // namespace
}  // namespace goban::cpu::cpu_tiles_test
