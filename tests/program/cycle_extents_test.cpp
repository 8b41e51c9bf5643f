// How far beyond the owned cells stages compute, and which halos are fetched for them.

#include <gtest/gtest.h>

#include "tests/on_paper.hpp"
#include "tests/program/spread.hpp"

namespace goban::cycle_extents_test {
namespace {

using test::Add;
using test::Copy;
using test::Cross;
using test::Diagonal;
using test::Look;
using test::Paper;
using test::Spread;
using test::Value;

constexpr Extents layers(Index n) { return {{n, n, n}, {n, n, n}}; }
/// Two down and one up, along some axes.
constexpr Extents looks(Index x, Index y, Index z) { return {{2 * x, 2 * y, 2 * z}, {x, y, z}}; }

const Version& held(const Cycle& cycle, std::size_t slot) {
  return cycle.versions[static_cast<std::size_t>(cycle.held[slot])];
}
const Version& written(const Cycle& cycle, std::size_t instance) {
  const auto& writes = cycle.instances[instance].writes;
  return cycle.versions[static_cast<std::size_t>(writes.back())];
}

struct Pair {
  GOBAN_FUNCTION void operator()(auto w, auto to) const { to = w[0](-1, 0, 0) + w[1](0, 0, 2); }
};
struct Both {
  GOBAN_FUNCTION void operator()(auto from, auto first, auto second) const {
    first = from();
    second = from();
  }
};
struct Ahead {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(1, 0, 0); }
};
struct FaceSum {
  GOBAN_FUNCTION auto operator()(auto face, auto u) const { return face() + u(); }
};
/// On faces along x.
struct Difference {
  GOBAN_FUNCTION void operator()(auto u, auto face) const { face = u() - u(-1, 0, 0); }
};
struct Divergence {
  GOBAN_FUNCTION void operator()(auto face, auto u) const { u = face(1, 0, 0) - face(); }
};
struct Column {
  GOBAN_FUNCTION void forward(auto u, auto next, auto s) const {
    s[0] = u() + s[0].before();
    next = s[0]();
  }
};

TEST(CycleExtents, OneStepFetchesWhatStagesReach) {
  Paper paper({8, 8, 8});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.v));
  paper.step.apply(Look<1>{}, in(paper.v), out(paper.next));
  const Cycle cycle = paper.cycle();
  EXPECT_EQ(held(cycle, 0).widest(), looks(1, 0, 0));
  EXPECT_EQ(written(cycle, 0).widest(), looks(0, 1, 0));
  EXPECT_TRUE(cycle.instances[0].extent.none());
  EXPECT_FALSE(written(cycle, 1).any_need());
}

TEST(CycleExtents, WhatIsRecomputedIsComputedAsFarOutAsItIsRead) {
  Paper paper({8, 8, 8});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.v));
  paper.step.apply(Look<1>{}, in(paper.v), out(paper.next));
  const Cycle cycle = paper.cycle(1, true);
  EXPECT_EQ(cycle.instances[0].extent, looks(0, 1, 0));
  EXPECT_TRUE(cycle.instances[1].extent.none());
  EXPECT_EQ(held(cycle, 0).widest(), looks(1, 1, 0));
  EXPECT_TRUE(held(cycle, 0).corners) << "of cells beside the owned ones neighbours are read";
}

TEST(CycleExtents, EachOfSeveralStepsComputesALayerLess) {
  Paper paper({8, 8, 8});
  paper.step.apply(Spread{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const Cycle cycle = paper.cycle(3);
  EXPECT_EQ(held(cycle, 0).widest(), layers(3));
  for (std::size_t step = 0; step < 3; ++step) {
    EXPECT_EQ(cycle.instances[step].extent, layers(2 - static_cast<Index>(step)));
    EXPECT_EQ(written(cycle, step).widest(), cycle.instances[step].extent);
  }
  EXPECT_FALSE(held(cycle, 1).any_need()) << "it is overwritten before it is read";
}

TEST(CycleExtents, WhatNobodyReadsBeyondIsComputedOnOwnedCells) {
  Paper paper({8, 8, 8});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  paper.step.apply(Add{}, in(paper.next), inout(paper.v));
  const Cycle cycle = paper.cycle(2);
  for (const Instance& instance : cycle.instances) EXPECT_TRUE(instance.extent.none());
  EXPECT_EQ(held(cycle, 0).widest(), looks(1, 0, 0));
}

TEST(CycleExtents, CornersAreFetchedForReadsAlongSeveralAxesAtOnce) {
  const auto has_corners = [](const auto& functor) {
    Paper paper({8, 8, 8});
    paper.step.apply(functor, in(paper.u), out(paper.next));
    return held(paper.cycle(), 0).corners;
  };
  EXPECT_FALSE(has_corners(Cross{}));
  EXPECT_TRUE(has_corners(Diagonal{}));
}

TEST(CycleExtents, EachComponentHasItsOwn) {
  Paper paper({8, 8, 8});
  const Field<float, 2> w(paper.grid, "w");
  paper.step.apply(Pair{}, in(w), out(paper.u));
  const std::vector<Extents> need{{{1, 0, 0}, {}}, {{}, {0, 0, 2}}};
  EXPECT_EQ(held(paper.cycle(), 3).need, need);
}

TEST(CycleExtents, WhatIsAddedToIsNeededAsFarOutAsTheSum) {
  Paper paper({8, 8, 8});
  paper.step.apply(Look<0>{}, in(paper.v), out(paper.next));
  paper.step.apply(Add{}, in(paper.next), inout(paper.v));
  const Cycle cycle = paper.cycle(2);
  EXPECT_EQ(cycle.instances[0].extent, looks(1, 0, 0));
  EXPECT_EQ(cycle.instances[1].extent, looks(1, 0, 0));
  EXPECT_EQ(held(cycle, 2).widest(), looks(2, 0, 0));
}

TEST(CycleExtents, AroundRegionsAndMasksOldValuesAreNeededToo) {
  const Box part{{0, 0, 0}, {4, 8, 8}};
  for (const bool has_mask : {false, true}) {
    Paper paper({8, 8, 8});
    const Field<std::uint8_t> mask(paper.grid, "mask");
    auto stage = paper.step.apply(Copy{}, in(paper.u), out(paper.v));
    has_mask ? stage.where(mask) : stage.over(part);
    paper.step.apply(Look<0>{}, in(paper.v), out(paper.next));
    const Cycle fetched = paper.cycle(), recomputed = paper.cycle(1, true);
    EXPECT_FALSE(held(fetched, 2).any_need()) << "cells of others come with what is written";
    EXPECT_EQ(held(recomputed, 2).widest(), looks(1, 0, 0));
    EXPECT_TRUE(held(recomputed, 2).corners);
    EXPECT_EQ(held(recomputed, 3).widest(), has_mask ? looks(1, 0, 0) : Extents{});
  }
}

TEST(CycleExtents, AroundRegionsOldValuesAreNeededWhereNewOnesAreRead) {
  Paper paper({8, 8, 8});
  const Field<float> beside(paper.grid, "beside");
  paper.step.apply(Both{}, in(paper.u), out(paper.v), out(beside)).over({{0, 0, 0}, {4, 8, 8}});
  paper.step.apply(Look<0>{}, in(paper.v), out(paper.next));
  const Cycle cycle = paper.cycle(1, true);
  EXPECT_EQ(cycle.instances[0].extent, looks(1, 0, 0));
  EXPECT_EQ(held(cycle, 2).widest(), looks(1, 0, 0));
  EXPECT_FALSE(held(cycle, 3).any_need()) << "nobody reads it beside owned cells";
}

TEST(CycleExtents, ReductionsAreOverOwnedValues) {
  Paper paper({8, 8, 8});
  Parameter<double> all("all"), ahead("ahead");
  paper.step.apply(Copy{}, in(paper.u), out(paper.v));
  paper.step.reduce(Value{}, in(paper.v), sum, into(all));
  EXPECT_TRUE(paper.cycle(2).instances[0].extent.none());
  paper.step.reduce(Ahead{}, in(paper.v), maximum, into(ahead));
  const Cycle cycle = paper.cycle(2);
  EXPECT_EQ(cycle.instances[0].extent, (Extents{{}, {1, 0, 0}}));
  EXPECT_TRUE(cycle.instances[1].extent.none());
  EXPECT_TRUE(cycle.instances[2].extent.none());
}

TEST(CycleExtents, FacesBehindTheLastCellReadItsGhost) {
  const auto need = [](const BoundarySet& boundary, Index last_face, bool reduces = false) {
    Paper paper({8, 8, 8}, boundary);
    const Field<float> face(paper.grid, "face", {.location = Location::face_x});
    Parameter<double> total("total");
    const auto stage = reduces
                           ? paper.step.reduce(FaceSum{}, in(face), in(paper.u), sum, into(total))
                           : paper.step.apply(Difference{}, in(paper.u), out(face));
    StageHandle(stage).over({{0, 0, 0}, {last_face + 1, 8, 8}});
    return held(paper.cycle(), 0).widest();
  };
  EXPECT_EQ(need(mirror, 8), (Extents{{1, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(need(mirror, 7), (Extents{{1, 0, 0}, {}})) << "its region ends before";
  EXPECT_EQ(need(periodic, 8), (Extents{{1, 0, 0}, {}})) << "there is none";
  EXPECT_EQ(need(mirror, 8, true), (Extents{{}, {1, 0, 0}}));
}

TEST(CycleExtents, OfARegionOfFacesBehindTheLastCellCellsAreReadToo) {
  Paper paper({8, 8, 8}, mirror);
  const Field<float> face(paper.grid, "face", {.location = Location::face_x});
  paper.step.apply(Difference{}, in(paper.u), out(face)).over({{8, 0, 0}, {9, 8, 8}});
  const CycleOptions cut{1, false, {}, {paper.cut("4,4").cuts}};
  EXPECT_EQ(held(paper.cycle(cut), 0).widest(), (Extents{{}, {1, 0, 0}}));
}

TEST(CycleExtents, FacesReadFacesAsCellsReadCells) {
  Paper paper({8, 8, 8}, mirror);
  const Field<float> face(paper.grid, "face", {.location = Location::face_x});
  const Field<float> other(paper.grid, "other", {.location = Location::face_x});
  paper.step.apply(Look<0>{}, in(face), out(other));
  EXPECT_EQ(held(paper.cycle(), 3).widest(), looks(1, 0, 0));
}

TEST(CycleExtents, CellsReadTheFaceBehindThem) {
  Paper paper({8, 8, 8}, mirror);
  const Field<float> face(paper.grid, "face", {.location = Location::face_x});
  paper.step.apply(Divergence{}, in(face), out(paper.u));
  EXPECT_EQ(held(paper.cycle(), 3).widest(), (Extents{{}, {1, 0, 0}}));
}

TEST(CycleExtents, ColumnsAreComputedBesideOwnedOnes) {
  Paper paper({8, 8, 8}, {periodic, periodic, mirror});
  paper.step.columns(Axis::z, Column{}, in(paper.u), out(paper.v), scratch<float, 1>);
  paper.step.apply(Look<1>{}, in(paper.v), out(paper.next));
  const Cycle cycle = paper.cycle(1, true);
  EXPECT_EQ(cycle.instances[0].slot, (std::vector<int>{0, 2, -1}));
  EXPECT_EQ(cycle.instances[0].extent, looks(0, 1, 0));
  EXPECT_EQ(held(cycle, 0).widest(), looks(0, 1, 0));
}

TEST(CycleExtents, StagesBetweenGridsUpdateTheCellsOfWhatTheyWrite) {
  Paper paper({8, 8, 8});
  Grid coarser = paper.grid.coarsened({2, 1, 1});
  const Field<float> c(coarser, "c");
  paper.step.apply(Copy{}, in(paper.u), out(c));
  paper.step.apply(Copy{}, in(c), out(paper.u));
  paper.step.apply(Copy{}, in(paper.u), out(paper.v));
  const auto all = paper.cycle().instances;
  EXPECT_EQ((std::array{all[0].grid, all[1].grid, all[2].grid}), (std::array{1, 0, 0}));
  EXPECT_TRUE(all[0].spans_grids && all[1].spans_grids && !all[2].spans_grids);
  EXPECT_EQ(all[0].maps, (std::vector<IndexMap>{{{2, 1, 1}, {}}, {}}));
  EXPECT_EQ(all[1].maps, (std::vector<IndexMap>{{{1, 1, 1}, {1, 0, 0}}, {}}));
}

TEST(CycleExtents, HalosHoldWhatIsReadAndAllThatIsComputed) {
  Paper paper({8, 8, 8});
  paper.step.apply(Both{}, in(paper.u), out(paper.next), out(paper.v));
  paper.step.apply(Look<0>{}, in(paper.v), out(paper.u));
  const auto widths = halo_widths(paper.cycle(1, true));
  EXPECT_EQ(widths, (std::vector<Extents>(3, looks(1, 0, 0)))) << "next is written with v";
  EXPECT_TRUE(halo_widths(paper.cycle())[1].none());
}

TEST(CycleExtents, HalosOfNamesThatSwapAreAlike) {
  Paper paper({8, 8, 8});
  const Field<float> w(paper.grid, "w");
  paper.step.apply(Look<0>{}, in(paper.next), out(paper.u));
  EXPECT_TRUE(halo_widths(paper.cycle())[2].none());
  paper.step.rotate(paper.u, w, paper.v, paper.next);
  EXPECT_EQ(halo_widths(paper.cycle()), (std::vector<Extents>(4, looks(1, 0, 0))));
}

}  // namespace
}  // namespace goban::cycle_extents_test
