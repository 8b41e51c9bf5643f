#include "goban/domain/decomposition/coarsen.hpp"

#include <gtest/gtest.h>

#include "tests/domain/decomposition/no_store.hpp"
#include "tests/error_text.hpp"

namespace goban::coarsen_test {
namespace {

using Cuts = std::vector<Index>;

Decomposition finer(const Cuts& along_x) {
  Decomposition d = cut_evenly({along_x.back(), 32, 8}, {1, 2, 1});
  d.cuts[0] = along_x;
  d.ranks = {1, 2, 1};
  return d;
}

struct Coarsened {
  test::NoStore context{Settings{}};
  GridState fine;
  GridState* coarse;
  Coarsened(Index cells, Index3 ratio, Index3 pieces = {}) {
    fine.context = &context;
    fine.cells = {cells, 32, 8};
    coarse = &fine.add_coarser(ratio, {.patches = pieces});
  }
};

TEST(CutCoarsened, CutsAreHalvedAndRanksStay) {
  const Decomposition fine = finer({0, 9, 18, 32});
  const Decomposition d = cut_coarsened(fine, *Coarsened(32, {2, 1, 2}).coarse, {0, 0});
  EXPECT_EQ(d.cuts[0], (Cuts{0, 4, 9, 16}));
  EXPECT_EQ(d.cuts[1], fine.cuts[1]);
  EXPECT_EQ(d.ranks, fine.ranks);
  EXPECT_TRUE(is_cut_alike(d, cut_as_finer(fine, *Coarsened(32, {2, 1, 2}).coarse)));
}

TEST(CutCoarsened, ThinPatchesBecomeOne) {
  const Decomposition fine = finer({0, 6, 12, 18, 24, 32});
  const Coarsened grids(32, {2, 1, 1});
  EXPECT_EQ(cut_coarsened(fine, *grids.coarse, {0, 0}).cuts[0], (Cuts{0, 6, 12, 16}));
  EXPECT_EQ(cut_as_finer(fine, *grids.coarse).cuts[0], (Cuts{0, 3, 6, 9, 12, 16}));
  // An axis that stays as it is keeps its cuts.
  const Coarsened across(32, {1, 2, 1});
  EXPECT_EQ(cut_coarsened(fine, *across.coarse, {0, 0}).cuts[0], fine.cuts[0]);
}

TEST(CutCoarsened, AProcessGridCanBeAskedFor) {
  const Decomposition fine = finer({0, 16, 32});
  const Decomposition d = cut_coarsened(fine, *Coarsened(32, {2, 2, 2}, {3, 1, 0}).coarse, {0, 0});
  EXPECT_EQ(d.cuts[0], (Cuts{0, 5, 10, 16}));
  EXPECT_EQ(d.cuts[1], (Cuts{0, 16}));
  EXPECT_EQ(product(d.ranks), 2);
}

TEST(CutCoarsened, ColumnsStayWhole) {
  const Decomposition fine = finer({0, 16, 32});
  const Coarsened grids(32, {2, 2, 2});
  grids.coarse->is_whole = {true, false, false};
  EXPECT_EQ(cut_coarsened(fine, *grids.coarse, {0, 0}).cuts[0], (Cuts{0, 16}));
}

TEST(CutAsFiner, PatchesOfOneCellAreRefused) {
  const Decomposition fine = finer({0, 1, 2, 32});
  EXPECT_EQ(test::error_of([&] {
              cut_as_finer(fine, *Coarsened(32, {2, 1, 1}).coarse);
            }),
            "a grid that is cut into patches of one cell cannot be coarsened (along x); use fewer "
            "patches");
}

}  // namespace
}  // namespace goban::coarsen_test
