// Programs over several grids: what they compute, under all settings.

#include <gmock/gmock.h>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"

namespace goban::several_grids_test {
namespace {

using test::bits;
using test::pattern;
using test::Results;
using test::SettingsProduct;
using testing::HasSubstr;

/// Mean of the eight cells that a cell consists of.
struct Restrict {
  GOBAN_FUNCTION void operator()(auto fine, auto coarse) const {
    coarse = 0.125 * (((fine(0, 0, 0) + fine(1, 0, 0)) + (fine(0, 1, 0) + fine(1, 1, 0))) +
                      ((fine(0, 0, 1) + fine(1, 0, 1)) + (fine(0, 1, 1) + fine(1, 1, 1))));
  }
};

/// The cell itself and where it lies, so that a test can tell what was read.
struct Inject {
  GOBAN_FUNCTION void operator()(auto site, auto coarse, auto fine) const {
    fine = coarse() + 1000 * convert<double>(site.index(Axis::x) & 1);
  }
};

/// Linear between the centres of coarse cells, along each axis 3/4 of the cell itself and 1/4 of
/// the one on the near side.
struct Interpolate {
  GOBAN_FUNCTION void operator()(auto site, auto coarse, auto fine) const {
    const auto along_x = [&](int j, int k) {
      const auto near = select((site.index(Axis::x) & 1) == 1, coarse(1, j, k), coarse(-1, j, k));
      return 0.75 * coarse(0, j, k) + 0.25 * near;
    };
    const auto along_y = [&](int k) {
      const auto near = select((site.index(Axis::y) & 1) == 1, along_x(1, k), along_x(-1, k));
      return 0.75 * along_x(0, k) + 0.25 * near;
    };
    const auto near = select((site.index(Axis::z) & 1) == 1, along_y(1), along_y(-1));
    fine += 0.75 * along_y(0) + 0.25 * near;
  }
};

/// Far from the cells themselves, of two grids, several components.
struct Wide {
  GOBAN_FUNCTION void operator()(auto fine, auto own, auto coarse) const {
    coarse[0] = fine[1](3, -2, 0) - fine[0](-3, 0, 2) + own(0, -1, 1);
    coarse[1] = fine[0](0, 1, 0) + 0.5 * fine[1](1, 3, -1) - own(1, 0, 0);
  }
};

/// From faces and nodes to cells and the other way.
struct AcrossLocations {
  GOBAN_FUNCTION void operator()(auto face, auto node, auto cell) const {
    cell = convert<float>(0.25 * (face(0, 0, 0) + face(2, 0, 0)) + node(1, 1, 1) - node(2, 0, 2));
  }
};
struct ToFaces {
  GOBAN_FUNCTION void operator()(auto node, auto cell, auto face) const {
    face = convert<double>(cell(-1, 0, 0)) + node(0, 1, 0) - 0.5 * node(0, 0, -1);
  }
};
struct ToNodes {
  GOBAN_FUNCTION void operator()(auto fine, auto coarse) const {
    coarse = 0.5 * fine() + 0.25 * (fine(-1, 0, 0) + fine(0, 1, 0));
  }
};

struct UpAndDown {
  GOBAN_FUNCTION void operator()(auto fine, auto coarse, auto next) const {
    next = fine() + coarse();
  }
};

struct Difference {
  GOBAN_FUNCTION auto operator()(auto fine, auto coarse) const {
    const auto d = fine() - coarse(0, 0, 1);
    return d * d;
  }
};

/// Three grids, the last coarsened along two axes alone.
struct Levels {
  Runtime runtime;
  Grid fine, middle, coarse;
  Field<double> u, next, b, e, f;
  Field<double, 2> pair;
  Field<half, 2> wide;
  Field<float> cell;
  Field<double> face, node, coarse_face, coarse_node;
  Field<std::uint8_t> mask;
  Parameter<double> difference, largest;
  Program step{"levels"};

  Levels(const Settings& settings, Index3 cells, const BoundarySet& boundary,
         const CoarseningOptions& cut)
      : runtime(settings),
        fine(runtime, {.cells = cells, .boundary = boundary}),
        middle(fine.coarsened({2, 2, 2}, cut)),
        coarse(middle.coarsened({2, 1, 2})),
        u(fine, "u"),
        next(fine, "next"),
        b(middle, "b"),
        e(middle, "e"),
        f(coarse, "f"),
        pair(fine, "pair"),
        wide(middle, "wide"),
        cell(middle, "cell"),
        face(fine, "face", {Location::face_x}),
        node(fine, "node", {Location::node}),
        coarse_face(coarse, "coarse face", {Location::face_x}),
        coarse_node(middle, "coarse node", {Location::node}),
        mask(middle, "mask"),
        difference("difference"),
        largest("largest") {
    u.fill([](Index3 p) { return pattern(p); });
    e.fill([](Index3 p) { return pattern({p[2], p[0], p[1]}) - 0.5; });
    b.fill(0.25);
    f.fill([](Index3 p) { return pattern({p[1], p[0], p[2]}); });
    pair.fill([](Index3 p, int c) { return pattern(p) + c; });
    wide.fill(1);
    face.fill([](Index3 p) { return pattern({p[1], p[2], p[0]}); });
    node.fill([](Index3 p) { return pattern({p[2], p[1], p[0]}); });
    mask.fill([](Index3 p) { return (p[0] + 2 * p[1] + p[2]) % 3 != 1; });
    step.apply(test::Diffusion<double>{0.125}, in(u), out(next));
    step.swap(u, next);
    step.apply(Restrict{}, in(u), out(b));
    step.apply(test::Diffusion<double>{0.0625}, in(b), out(e));
    step.swap(b, e);
    step.apply(ToNodes{}, in(b), out(f));
    step.apply(test::Diffusion<double>{0.1}, in(b), out(e)).over({{1, 0, 0}, {4, 60, 60}});
    step.apply(Interpolate{}, site, in(f), inout(e));
    step.apply(Interpolate{}, site, in(e), inout(u)).over({{3, 1, 0}, {19, 60, 60}});
    step.apply(Wide{}, in(pair), in(b), out(wide)).where(mask);
    step.apply(AcrossLocations{}, in(face), in(node), out(cell));
    step.apply(ToNodes{}, in(node), out(coarse_node));
    step.apply(ToFaces{}, in(coarse_node), in(cell), out(coarse_face));
    step.apply(ToFaces{}, in(coarse_node), in(cell), out(face));
    step.reduce(Difference{}, in(u), in(e), sum, into(difference));
    step.reduce(Difference{}, in(b), in(u), maximum, into(largest));
  }
  Results run(Index steps) {
    StepClock clock;
    Engine(step).run(steps, clock);
    return {{"u", u.checksum()},
            {"next", next.checksum()},
            {"b", b.checksum()},
            {"e", e.checksum()},
            {"f", f.checksum()},
            {"wide", wide.checksum()},
            {"cell", cell.checksum()},
            {"face", face.checksum()},
            {"coarse face", coarse_face.checksum()},
            {"coarse node", coarse_node.checksum()},
            {"difference", bits(difference.value())},
            {"largest", bits(largest.value())}};
  }
};

SettingsProduct several() {
  SettingsProduct product;
  product.cuts = {{"", "", ""}, {"", "8,8", "12,8"}, {"13,11", "9,7", ""}, {"", "6,5,5", "11,9"}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  return product;
}

void expect_same_bits(const BoundarySet& boundary, const CoarseningOptions& cut) {
  const auto run = [&](const Settings& settings) {
    return Levels(settings, {24, 16, 20}, boundary, cut).run(3);
  };
  test::expect_same_bits(run, several().all());
}

TEST(SeveralGrids, CutAlike_HaveTheSameBits) { expect_same_bits(periodic, {}); }
TEST(SeveralGrids, WithWalls_HaveTheSameBits) {
  expect_same_bits({mirror, wall_value(0.25), gradient(0.5)}, {});
}
TEST(SeveralGrids, OnFewerPatches_HaveTheSameBits) {
  expect_same_bits({mirror, periodic, constant(0.5)}, {.patches = {1, 1, 1}});
}
TEST(SeveralGrids, CutInAnotherWay_HaveTheSameBits) {
  expect_same_bits({periodic, wall_value(0.25), periodic}, {.patches = {3, 1, 2}});
}

TEST(SeveralGrids, CellsStandForThoseTheyConsistOf) {
  for (const Settings& settings : {test::plainest(), test::plain_schedule()}) {
    Runtime runtime(settings);
    Grid fine(runtime, {.cells = {8, 4, 6}, .spacing = 0.5, .boundary = mirror});
    Grid coarse = fine.coarsened({2, 1, 2});
    EXPECT_EQ(coarse.cells(), (Index3{4, 4, 3}));
    EXPECT_EQ(coarse.spacing(), (Real3{1, 0.5, 1}));
    EXPECT_EQ(coarse.origin(), fine.origin());
    Field<double> u(fine, "u"), c(coarse, "c"), back(fine, "back");
    u.fill([](Index3 p) { return static_cast<double>(p[0] + 10 * p[1] + 100 * p[2]); });
    Program step("step");
    step.apply(ToNodes{}, in(u), out(c));
    step.apply(Inject{}, site, in(c), out(back));
    StepClock clock;
    Engine(step).run(1, clock);
    // 0.5 u(i) + 0.25 u(i-1) + 0.25 u(j+1) at i = 2, j = 1, k = 4
    EXPECT_EQ(c.get({1, 1, 2}), 0.5 * 412 + 0.25 * (411 + 422));
    EXPECT_EQ(back.get({2, 1, 4}), c.get({1, 1, 2}));
    EXPECT_EQ(back.get({3, 1, 5}), c.get({1, 1, 2}) + 1000);
  }
}

TEST(SeveralGrids, CutsAreHalvedUnlessPatchesWouldBeThin) {
  Settings settings = test::plain_schedule();
  settings.cuts = {"16,17,15", "7,5", ""};
  Runtime runtime(settings);
  Grid fine(runtime, {.cells = {48, 12, 8}, .boundary = periodic});
  Field<double> u(fine, "u");
  u.fill(1);  // cut before there are others
  Grid middle = fine.coarsened({2, 2, 1});
  Grid coarse = middle.coarsened({2, 1, 2});
  Grid one = middle.coarsened({2, 2, 2}, {.patches = {1, 1, 1}});
  const auto cuts = [](const Grid& grid, int axis) {
    return decomposition_of(*grid.state()).cuts[static_cast<std::size_t>(axis)];
  };
  using Cuts = std::vector<Index>;
  EXPECT_EQ(cuts(middle, 0), (Cuts{0, 8, 16, 24}));
  EXPECT_EQ(cuts(middle, 1), (Cuts{0, 6}));
  EXPECT_EQ(cuts(coarse, 0), (Cuts{0, 4, 8, 12}));
  EXPECT_EQ(cuts(one, 0), (Cuts{0, 12}));
  Field<double> v(one, "v"), w(middle, "w");
  v.fill([](Index3 p) { return static_cast<double>(p[0]); });
  EXPECT_EQ(v.sum(), 3 * 4 * 66);
  Program step("step");
  step.apply(Inject{}, site, in(v), out(w));
  StepClock clock;
  Engine engine(step);
  engine.run(1, clock);
  EXPECT_EQ(w.get({23, 5, 7}), 1011);
  EXPECT_EQ(engine.fields().size(), 2u);
  domain_of(*fine.state()).redistribute(cut_evenly({48, 12, 8}, {1, 1, 1}));
  EXPECT_EQ(cuts(middle, 0), (Cuts{0, 24}));
  EXPECT_EQ(w.get({23, 5, 7}), 1011);
}

TEST(SeveralGrids, OneStageCanBeRepeatedOnACoarserOne) {
  for (const int steps_per_exchange : {1, 3}) {
    Settings settings = test::plain_schedule();
    settings.cuts = {"16,16", "", ""};
    settings.steps_per_exchange = steps_per_exchange;
    Runtime runtime(settings);
    Grid fine(runtime, {.cells = {32, 16, 16}, .boundary = periodic});
    Grid coarse = fine.coarsened({2, 2, 2});
    Field<double> u(coarse, "u"), next(coarse, "next");
    u.fill([](Index3 p) { return pattern(p); });
    Program step("smooth");
    step.apply(test::Diffusion<double>{0.125}, in(u), out(next));
    step.swap(u, next);
    StepClock clock;
    Engine(step).run(7, clock);
    static std::uint64_t first = u.checksum();
    EXPECT_EQ(u.checksum(), first);
  }
}

TEST(SeveralGrids, WhatCannotBeDoneIsRefused) {
  Settings settings = test::plain_schedule();
  settings.steps_per_exchange = 2;
  Runtime runtime(settings);
  Grid fine(runtime, {.cells = {16, 8, 12}, .boundary = periodic});
  EXPECT_THAT(test::error_of([&] { fine.coarsened({3, 1, 1}); }), HasSubstr("it may be 1 or 2"));
  EXPECT_THAT(test::error_of([&] {
                fine.coarsened({1, 1, 1});
              }),
              HasSubstr("the ratio is 1 along every axis"));
  EXPECT_THAT(test::error_of([&] {
                fine.coarsened({2, 1, 1}, {.patches = {9, 0, 0}});
              }),
              HasSubstr("9 patches of 8 cells"));
  Grid middle = fine.coarsened({2, 2, 2}), coarse = middle.coarsened({2, 2, 2});
  EXPECT_THAT(test::error_of([&] {
                coarse.coarsened({1, 1, 2});
              }),
              HasSubstr("its 3 cells cannot be put together in twos"));
  Field<double> u(fine, "u"), v(fine, "v"), b(middle, "b"), c(coarse, "c");
  EXPECT_THAT(test::error_of([&] { Field<double> again(coarse, "u"); }),
              HasSubstr("declared twice"));
  const auto refused = [&](const auto& add) {
    Program step("step");
    add(step);
    StepClock clock;
    return test::error_of([&] { Engine(step).run(1, clock); });
  };
  EXPECT_THAT(refused([&](Program& step) { step.apply(Restrict{}, in(u), out(c)); }),
              HasSubstr("'u' lives on one, what the stage works on is another"));
  EXPECT_THAT(refused([&](Program& step) { step.apply(UpAndDown{}, in(u), in(c), out(b)); }),
              HasSubstr("it reads a finer and a coarser one than it writes"));
  EXPECT_THAT(refused([&](Program& step) { step.apply(Restrict{}, in(u), out(b)); }),
              HasSubstr("several steps per exchange are refused"));
  EXPECT_THAT(refused([&](Program& step) {
                step.fuse(
                    [](auto fine_field, auto between, auto coarse_field) {
                      return stages(stage(test::Diffusion<double>{}, in(fine_field), out(between)),
                                    stage(Restrict{}, in(between), out(coarse_field)));
                    },
                    u, v, b);
              }),
              HasSubstr("mixes grids"));
}

}  // namespace
}  // namespace goban::several_grids_test
