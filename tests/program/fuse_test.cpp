// What is known of fused stages before they run. tests/domain/engine/fuse_test.cpp has their
// values.

#include "goban/program/fuse.hpp"

#include <gtest/gtest.h>

#include "goban/program/program.hpp"
#include "tests/domain/decomposition/no_store.hpp"

namespace goban::fuse_test {
namespace {

struct Difference {
  GOBAN_FUNCTION void operator()(auto u, auto d) const {
    d[0] = 0.3f * (u() - u(-1, 0, 0));
    d[1] = 0.3f * (u() - u(0, -1, 0));
  }
};
struct Sum {
  GOBAN_FUNCTION void operator()(auto d, auto sum) const {
    sum = d[0](1, 0, 0) + d[0]() + d[1].shift(Axis::y, 1)();
  }
};
struct Twice {
  GOBAN_FUNCTION void operator()(auto d, auto twice) const {
    twice[0] = d[0](1, 0, 0) + d[0]();
    twice[1] = d[1]();
  }
};
struct Branch {
  GOBAN_FUNCTION void operator()(auto u, auto d) const {
    if (u() > 0.0f) {
      d[0] = u(3, 0, 0);
    } else {
      d[0] = u();
    }
    d[1] = u();
  }
};

class Fused : public testing::Test, public test::NoStore {
 protected:
  Fused() : NoStore(Settings{}) {}

  template <class First, class Handed>
  Footprint footprint_of(const Handed& handed) {
    Program step("fused");
    step.fuse(
        [](auto u, auto d, auto sum) {
          return stages(stage(First{}, in(u), out(d)), stage(Sum{}, in(d), out(sum)));
        },
        u_, handed, sum_);
    return step.stages().front()->footprint;
  }

  Grid grid_{*this, {.cells = {8, 6, 4}, .boundary = periodic}};
  Field<float> u_{grid_, "u"}, sum_{grid_, "sum"};
  Field<float, 2> stored_{grid_, "stored"};
  Intermediate<float, 2> d_{grid_, "d"}, e_{grid_, "e"};
};

TEST_F(Fused, ReadsWhatItsPartsReadAtAllPlaces) {
  const Footprint f = footprint_of<Difference>(d_);
  EXPECT_EQ(f.paths, 1);
  EXPECT_FALSE(f.branching);
  // Differences at 0, x + 1 and y + 1.
  EXPECT_EQ(f.reads.size(), 7u);
  EXPECT_EQ(f.outputs.size(), 1u);
  EXPECT_EQ(f.flops, 3 * 4 + 2) << "each place is counted once";
}

TEST_F(Fused, StoresWhatIsNotIntermediate) {
  const Footprint f = footprint_of<Difference>(stored_);
  EXPECT_EQ(f.reads.size(), 7u);
  EXPECT_EQ(f.outputs.size(), 3u);
}

TEST_F(Fused, PlacesAddUpFromPartToPart) {
  Program step("chained");
  step.fuse(
      [](auto u, auto d, auto e, auto sum) {
        return stages(stage(Difference{}, in(u), out(d)), stage(Twice{}, in(d), out(e)),
                      stage(Sum{}, in(e), out(sum)));
      },
      u_, d_, e_, sum_);
  const Footprint& f = step.stages().front()->footprint;
  EXPECT_EQ(f.reach(0, Axis::x, Side::low), 1);
  EXPECT_EQ(f.reach(0, Axis::x, Side::high), 2);
  EXPECT_EQ(f.reach(0, Axis::y, Side::low), 1);
  EXPECT_EQ(f.reach(0, Axis::y, Side::high), 1);
}

TEST_F(Fused, BranchesAreTakenAtEachPlace) {
  const Footprint f = footprint_of<Branch>(d_);
  EXPECT_EQ(f.paths, 8);
  EXPECT_TRUE(f.branching);
  EXPECT_EQ(f.reach(0, Axis::x, Side::high), 4);
}

}  // namespace
}  // namespace goban::fuse_test
