// How wide halos of stages over a part of the grid are, and that nothing stale is read.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "goban/backend/emulated.hpp"
#include "goban/goban.hpp"
#include "goban/program/schedule.hpp"
#include "tests/domain/decomposition/no_store.hpp"
#include "tests/program/spread.hpp"

namespace goban::region_halos_test {
namespace {

using test::Spread;

/// Far along z, further up than down.
struct Look {
  GOBAN_FUNCTION void operator()(auto v, auto u) const { u += v(0, 0, 3) - v(0, 0, -1); }
};
/// On faces along z.
struct Press {
  GOBAN_FUNCTION void operator()(auto u, auto w) const { w += u() - u(0, 0, -1); }
};
struct Swell {
  GOBAN_FUNCTION void operator()(auto w, auto v) const { v += w(0, 0, 1) - w() + w(1, 0, 2); }
};

/// Beside a cell along x and y.
struct Cross {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0);
  }
};

using Cuts = std::array<std::vector<Index>, 3>;

/// A grid without data.
class RegionHalos : public testing::Test, public test::NoStore {
 protected:
  RegionHalos() : NoStore(Settings{}) {}

  struct Fields {
    Fields(GridContext& context, Index3 cells, const BoundarySet& boundary)
        : grid(context, {.cells = cells, .boundary = boundary}),
          u(grid, "u"),
          next(grid, "next"),
          v(grid, "v"),
          w(grid, "w", {.location = Location::face_z}) {}
    /// The slab of these planes.
    Box planes(Index first, Index last) const {
      return {{0, 0, first}, {grid.cells()[0], grid.cells()[1], last}};
    }
    Slots slots() const {
      Slots all;
      for (const auto& record : grid.state()->fields) all.add(record, grid.state());
      return all;
    }
    Grid grid;
    Field<float> u, next, v, w;
  };

  static Cycle cycle(const Fields& fields, const Program& step, int steps, const Cuts& cuts) {
    const Slots slots = fields.slots();
    const std::vector<bool> alive(static_cast<std::size_t>(slots.size()), true);
    return analyze(step.stages(), slots, {steps, false, alive, {cuts}});
  }
  /// Returns the halo of field v.
  static Extents halo(const Fields& fields, const Program& step, int steps, const Cuts& cuts) {
    return halo_widths(cycle(fields, step, steps, cuts))[2];
  }
};

TEST_F(RegionHalos, StagesNearAnEnd_NeedNothingOfPatchesBeyondTheirOwn) {
  const Fields fields(*this, {6, 6, 40}, mirror);
  Program step("step");
  step.apply(Look{}, in(fields.v), inout(fields.u)).over(fields.planes(0, 2));
  step.apply(Spread{}, in(fields.u), out(fields.next));
  step.swap(fields.u, fields.next);
  const auto along_z = [&](int steps, const std::vector<Index>& cuts) {
    const Extents width = halo(fields, step, steps, {{{0, 6}, {0, 6}, cuts}});
    return std::pair{width.low[2], width.high[2]};
  };
  using Widths = std::pair<Index, Index>;
  // Wherever it is cut: 3 up, 1 down, and as far as other steps of the cycle read.
  EXPECT_EQ(halo(fields, step, 1, {}).high[2], 3);
  EXPECT_EQ(halo(fields, step, 4, {}).high[2], 7);
  // At the end of the grid lies one ghost, and nobody reads up to the cut.
  EXPECT_EQ(along_z(1, {0, 20, 40}), (Widths{1, 0}));
  EXPECT_EQ(along_z(4, {0, 20, 40}), (Widths{1, 0}));
  EXPECT_EQ(along_z(4, {0, 6, 40}), (Widths{1, 0}));
  EXPECT_EQ(along_z(4, {0, 5, 40}), (Widths{5, 0}));  // the patch above computes plane 1, too
  EXPECT_EQ(along_z(4, {0, 4, 40}), (Widths{5, 1}));
  EXPECT_EQ(along_z(4, {0, 2, 40}), (Widths{3, 3}));
  EXPECT_EQ(along_z(4, {0, 40}), (Widths{1, 0}));
}

TEST_F(RegionHalos, StagesAcrossACut_NeedWhatTheyReadThere) {
  const Fields fields(*this, {6, 6, 40}, mirror);
  Program step("step");
  step.apply(Look{}, in(fields.v), inout(fields.u)).over(fields.planes(18, 22));
  step.apply(Spread{}, in(fields.u), out(fields.next));
  step.swap(fields.u, fields.next);
  const auto along_z = [&](const std::vector<Index>& cuts) {
    const Extents width = halo(fields, step, 4, {{{0, 6}, {0, 6}, cuts}});
    return std::pair{width.low[2], width.high[2]};
  };
  using Widths = std::pair<Index, Index>;
  EXPECT_EQ(along_z({0, 20, 40}), (Widths{3, 5}));      // 2 planes beyond the cut, either way
  EXPECT_EQ(along_z({0, 10, 30, 40}), (Widths{0, 0}));  // within the patch in the middle
  EXPECT_EQ(along_z({0, 15, 40}), (Widths{0, 7}));      // the patch below computes plane 18, too
}

TEST_F(RegionHalos, AxesThatAreNotCut_HaveGhostsAlone) {
  const Fields fields(*this, {30, 30, 30}, {mirror, periodic, mirror});
  Program step("step");
  step.apply(Spread{}, in(fields.u), out(fields.next));
  step.swap(fields.u, fields.next);
  const auto width = halo_widths(cycle(fields, step, 3, {{{0, 10, 30}, {0, 30}, {0, 30}}}))[0];
  EXPECT_EQ(width, (Extents{{3, 3, 1}, {3, 3, 1}}));
}

TEST_F(RegionHalos, OfWhatChangesOnlyCellsThatAreReadAreCopied) {
  const Fields fields(*this, {6, 6, 40}, {mirror, mirror, periodic});
  const auto copied = [&](const Program& step) {
    const Cuts cuts{{{0, 6}, {0, 6}, {0, 40}}};
    Decomposition decomposition;
    decomposition.cuts = cuts;
    const Patches patches(decomposition, *fields.grid.state(), 0);
    const Schedule schedule =
        make_schedule(cycle(fields, step, 1, cuts), fields.slots(), patches, {Overlap::none, {}});
    check_schedule(schedule, fields.slots());
    Index cells = 0;
    for (const Operation& op : schedule.operations) {
      for (const Piece& piece : op.pieces) cells += piece.target.volume();
    }
    return cells;
  };
  Program part("part"), constant_part("part of what stays"), all("all");
  const Box column{{2, 0, 0}, {3, 6, 40}};
  part.apply(Look{}, in(fields.v), inout(fields.u)).over(column);
  constant_part.apply(Look{}, in(fields.v), inout(fields.u)).over(column);
  part.apply(Swell{}, in(fields.w), inout(fields.v)).over({{0, 0, 0}, {1, 1, 1}});
  all.apply(Look{}, in(fields.v), inout(fields.u));
  all.apply(Swell{}, in(fields.w), inout(fields.v)).over({{0, 0, 0}, {1, 1, 1}});
  const Index of_swell = copied(all) - 36 * 4;
  EXPECT_EQ(copied(part) - of_swell, 6 * 4) << "3 planes above and one below";
  EXPECT_EQ(copied(constant_part), 36 * 4) << "they are copied once";
}

/// In the second step ghosts beyond x are made anew of what the first one has left around its
/// region.
TEST_F(RegionHalos, AroundRegionsOfFieldsThatSwapAllIsCopied) {
  BoundarySet boundary{mirror, periodic, mirror};
  boundary.at(Axis::x, Side::high) = wall_value([](double time) { return time; });
  const Fields fields(*this, {7, 12, 15}, boundary);
  Program step("step");
  step.apply(Cross{}, in(fields.u), out(fields.next)).over({{3, 1, 0}, {8, 12, 5}});
  step.swap(fields.u, fields.next);
  Decomposition decomposition;
  decomposition.cuts = Cuts{{{0, 7}, {0, 12}, {0, 15}}};
  const Patches patches(decomposition, *fields.grid.state(), 0);
  const Schedule schedule = make_schedule(cycle(fields, step, 2, decomposition.cuts),
                                          fields.slots(), patches, {Overlap::none, {}});
  EXPECT_NO_THROW(check_schedule(schedule, fields.slots()));
}

/// Random regions, cuts, steps: every value read is of the version it should be.
TEST_F(RegionHalos, RandomProgramsReadNothingStale) {
  std::mt19937 random(7);
  const auto between = [&](Index low, Index high) {
    return low + static_cast<Index>(random() % static_cast<unsigned int>(high - low + 1));
  };
  const Index3 cells{5, 4, 48};
  int checked = 0, narrower = 0;
  for (int n = 0; n < 150; ++n) {
    const BoundarySet boundary =
        n % 3 == 0 ? BoundarySet{mirror, mirror, periodic} : BoundarySet{periodic, mirror, mirror};
    const Fields fields(*this, cells, boundary);
    Program step("step");
    const auto limit = [&](StageHandle stage) {
      if (between(0, 3) == 0) return;
      Box box = fields.planes(0, 0);
      box.lower[2] = between(0, 2) == 0 ? 0 : between(0, 46);
      box.upper[2] = between(0, 2) == 0 ? 49 : between(box.lower[2] + 1, 49);
      if (between(0, 3) == 0) box.lower[0] = 2;
      stage.over(box);
    };
    for (Index stages = between(2, 4); stages > 0; --stages) {
      switch (between(0, 3)) {
        case 0: limit(step.apply(Look{}, in(fields.v), inout(fields.u))); break;
        case 1: limit(step.apply(Press{}, in(fields.u), inout(fields.w))); break;
        case 2: limit(step.apply(Swell{}, in(fields.w), inout(fields.v))); break;
        default:
          limit(step.apply(Spread{}, in(fields.u), out(fields.next)));
          step.swap(fields.u, fields.next);
      }
    }
    Cuts cuts{{{0, 5}, {0, 4}, {0}}};
    while (cuts[2].back() < 48) {
      const Index last = cuts[2].back() + between(8, 30);
      cuts[2].push_back(last > 40 ? 48 : last);
    }
    const int steps = static_cast<int>(between(1, 3));
    const Cycle made = cycle(fields, step, steps, cuts);
    const auto widths = halo_widths(made), most = halo_widths(cycle(fields, step, steps, {}));
    for (std::size_t slot = 0; slot < widths.size(); ++slot) {
      EXPECT_TRUE(most[slot].covers(widths[slot]));
      if (widths[slot] != most[slot]) ++narrower;
    }
    Decomposition decomposition;
    decomposition.cuts = cuts;
    const Patches patches(decomposition, *fields.grid.state(), 0);
    for (const Overlap overlap : {Overlap::none, Overlap::one_kernel, Overlap::two_kernel}) {
      try {
        const Schedule schedule = make_schedule(made, fields.slots(), patches, {overlap, {}});
        ++checked;
        EXPECT_NO_THROW(check_schedule(schedule, fields.slots()));
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("does not fit"), std::string::npos)
            << error.what();
      }
    }
  }
  EXPECT_GT(checked, 300);
  EXPECT_GT(narrower, 100);
}

}  // namespace
}  // namespace goban::region_halos_test
