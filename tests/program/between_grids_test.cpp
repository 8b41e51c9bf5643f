// How far stages read that work on two grids, and that nothing stale is read.

#include <gtest/gtest.h>

#include "goban/backend/emulated.hpp"
#include "goban/goban.hpp"
#include "goban/program/schedule.hpp"
#include "tests/domain/decomposition/no_store.hpp"

namespace goban::between_grids_test {
namespace {

struct Down {
  GOBAN_FUNCTION void operator()(auto fine, auto coarse) const {
    coarse = fine(-2, 0, 0) + fine(3, 1, 0);
  }
};
struct Up {
  GOBAN_FUNCTION void operator()(auto coarse, auto fine) const {
    fine = coarse(-1, 0, 0) + coarse(0, 1, 0);
  }
};

/// Grids without data.
class BetweenGrids : public testing::Test, public test::NoStore {
 protected:
  BetweenGrids()
      : NoStore(Settings{}),
        fine_(*this, {.cells = {24, 16, 8}}),
        coarse_(fine_.coarsened({2, 2, 1})),
        u_(fine_, "u"),
        c_(coarse_, "c") {
    slots_.add(u_.record(), fine_.state());
    slots_.add(c_.record(), coarse_.state());
  }
  /// Returns the halo of what is read, with the finer grid cut so.
  Extents need(const Program& program, const Decomposition& fine) {
    Decomposition coarse = fine;
    for (const std::size_t a : {0, 1}) {
      for (Index& cut : coarse.cuts[a]) cut /= 2;
    }
    const Cycle cycle =
        analyze(program.stages(), slots_, {1, false, {true, true}, {fine.cuts, coarse.cuts}});
    Patches patches(fine, *fine_.state(), 0);
    patches.add(coarse, *coarse_.state());
    for (const Overlap overlap : {Overlap::none, Overlap::one_kernel, Overlap::two_kernel}) {
      const Schedule schedule = make_schedule(cycle, slots_, patches, {overlap, {}});
      EXPECT_NO_THROW(check_schedule(schedule, slots_));
    }
    const Instance& stage = cycle.instances.front();
    EXPECT_TRUE(stage.spans_grids);
    return cycle.versions[static_cast<std::size_t>(stage.reads[0])].widest();
  }
  Decomposition cut(const std::array<std::string, 3>& extents) const {
    return cut_explicitly(fine_.cells(), extents);
  }

  Grid fine_, coarse_;
  Field<double> u_, c_;
  Slots slots_;
};

TEST_F(BetweenGrids, OfAFinerGrid_TheLastCellReadsFromTheFirstOfItsParts) {
  Program down("down");
  down.apply(Down{}, in(u_), out(c_));
  EXPECT_EQ(need(down, cut({"12,12", "8,8", ""})), (Extents{{2, 0, 0}, {2, 0, 0}}));
}

TEST_F(BetweenGrids, OfAFinerGrid_CutsWithinPairsCostACell) {
  Program down("down");
  down.apply(Down{}, in(u_), out(c_));
  EXPECT_EQ(need(down, cut({"13,11", "8,8", ""})), (Extents{{3, 0, 0}, {2, 0, 0}}));
  EXPECT_EQ(need(down, cut({"13,11", "7,9", ""})), (Extents{{3, 1, 0}, {2, 0, 0}}));
}

TEST_F(BetweenGrids, OfACoarserGrid) {
  Program up("up");
  up.apply(Up{}, in(c_), out(u_));
  EXPECT_EQ(need(up, cut({"12,12", "8,8", ""})), (Extents{{1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(need(up, cut({"13,11", "7,9", "5,3"})), (Extents{{1, 0, 0}, {1, 2, 0}}));
}

}  // namespace
}  // namespace goban::between_grids_test
