#include "goban/stencil/fused.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "goban/stencil/graph/footprint.hpp"

namespace goban::fused_test {
namespace {

constexpr Access in = Access::in, out = Access::out;

struct Difference {
  float k = 1;
  GOBAN_FUNCTION void operator()(auto u, auto d) const {
    d[0] = k * (u() - u(-1, 0, 0));
    d[1] = k * (u() - u(0, -1, 0));
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
struct Whereabouts {
  GOBAN_FUNCTION void operator()(auto site, auto x) const {
    x = site.template position<float>(Axis::x);
  }
};
struct Right {
  GOBAN_FUNCTION void operator()(auto x, auto next) const { next = x(2, 0, 0); }
};

/// Difference of parameter 0 goes to parameter 1, stored as Handed; the sum to parameter 2.
template <class Handed>
using DifferenceAndSum =
    Fused<std::tuple<FieldParameter<in, float>, Handed, FieldParameter<out, float>>,
          FusedPart<Difference, Use<in, 0>, Use<out, 1>>, FusedPart<Sum, Use<in, 1>, Use<out, 2>>>;

TEST(Fused, ReadsWhatItsPartsReadAtAllPlaces) {
  using F = DifferenceAndSum<IntermediateParameter<float, 2>>;
  static_assert(has_constant_footprint<F, FieldParameter<in, float>, FieldParameter<out, float>>);
  constexpr auto& f = constant_footprint<F, FieldParameter<in, float>, FieldParameter<out, float>>;
  static_assert(f.error == TraceError::none && f.paths == 1 && !f.branching);
  // Differences at 0, x + 1 and y + 1.
  static_assert(f.read_count == 7 && f.output_count == 1);
  static_assert(f.flops == 3 * 4 + 2, "each place is counted once");
}

TEST(Fused, StoresWhatIsNotIntermediate) {
  using F = DifferenceAndSum<FieldParameter<out, float, 2>>;
  constexpr auto& f = constant_footprint<F, FieldParameter<in, float>,
                                         FieldParameter<out, float, 2>, FieldParameter<out, float>>;
  static_assert(f.error == TraceError::none && f.read_count == 7 && f.output_count == 3);
}

TEST(Fused, PlacesAddUpFromPartToPart) {
  using Chained =
      Fused<std::tuple<FieldParameter<in, float>, IntermediateParameter<float, 2>,
                       IntermediateParameter<float, 2>, FieldParameter<out, float>>,
            FusedPart<Difference, Use<in, 0>, Use<out, 1>>,
            FusedPart<Twice, Use<in, 1>, Use<out, 2>>, FusedPart<Sum, Use<in, 2>, Use<out, 3>>>;
  const Footprint f(trace<FieldParameter<in, float>, FieldParameter<out, float>>(Chained{}));
  EXPECT_EQ(f.reach(0, Axis::x, Side::low), 1);
  EXPECT_EQ(f.reach(0, Axis::x, Side::high), 2);
  EXPECT_EQ(f.reach(0, Axis::y, Side::low), 1);
  EXPECT_EQ(f.reach(0, Axis::y, Side::high), 1);
}

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
struct Declared {
  static constexpr bool branches = true;
  GOBAN_FUNCTION void operator()(auto u, auto d) const {
    d[0] = u();
    d[1] = u();
  }
};

TEST(Fused, BranchesAreTakenAtEachPlace) {
  using F =
      Fused<std::tuple<FieldParameter<in, float>, IntermediateParameter<float, 2>,
                       FieldParameter<out, float>>,
            FusedPart<Branch, Use<in, 0>, Use<out, 1>>, FusedPart<Sum, Use<in, 1>, Use<out, 2>>>;
  const Footprint f(trace<FieldParameter<in, float>, FieldParameter<out, float>>(F{}));
  EXPECT_EQ(f.paths, 8);
  EXPECT_TRUE(f.branching);
  EXPECT_EQ(f.reach(0, Axis::x, Side::high), 4);
  EXPECT_FALSE(F::branches);
  EXPECT_TRUE((Fused<std::tuple<FieldParameter<in, float>, FieldParameter<out, float, 2>>,
                     FusedPart<Declared, Use<in, 0>, Use<out, 1>>>::branches));
}

/// 32 x 4 cells; u = 0.1 (i + 32 j)^2.
class FusedValues : public testing::Test {
 protected:
  FusedValues() {
    for (std::size_t n = 0; n < u_.size(); ++n) u_[n] = 0.1f * static_cast<float>(n * n);
  }
  float u(Index i, Index j) const { return u_[static_cast<std::size_t>(i + 32 * j)]; }
  template <class F>
  std::vector<float> evaluate(const F& functor, Index i, Index j) {
    Pack<float, 8> next;
    functor(Reader<float, 1, 8>(u_.data() + i + 32 * j, {1, 32, 128}, 128),
            Writer<float, 1, 8>(&next));
    std::vector<float> lanes;
    for (int lane = 0; lane < 8; ++lane) lanes.push_back(next.lane(lane));
    return lanes;
  }

  std::vector<float> u_ = std::vector<float>(128);
};

TEST_F(FusedValues, AreThoseOfThePartsOneByOne) {
  using F = DifferenceAndSum<IntermediateParameter<float, 2>>;
  const F f{detail::chain_of(FusedPart<Difference, Use<in, 0>, Use<out, 1>>{{0.3f}},
                             FusedPart<Sum, Use<in, 1>, Use<out, 2>>{})};
  const auto found = evaluate(f, 8, 1);
  for (int lane = 0; lane < 8; ++lane) {
    const Index i = 8 + lane;
    const float right = 0.3f * (u(i + 1, 1) - u(i, 1)), here = 0.3f * (u(i, 1) - u(i - 1, 1));
    const float above = 0.3f * (u(i, 2) - u(i, 1));
    EXPECT_EQ(found[static_cast<std::size_t>(lane)], right + here + above);
  }
}

TEST_F(FusedValues, AreRoundedToTheirStorageInBetween) {
  const auto rounded = [](float x) { return static_cast<float>(half(x)); };
  const auto found = evaluate(DifferenceAndSum<IntermediateParameter<half, 2>>{}, 8, 1);
  for (int lane = 0; lane < 8; ++lane) {
    const Index i = 8 + lane;
    const float right = rounded(u(i + 1, 1) - u(i, 1)), here = rounded(u(i, 1) - u(i - 1, 1));
    const float above = rounded(u(i, 2) - u(i, 1));
    EXPECT_EQ(found[static_cast<std::size_t>(lane)], right + here + above);
  }
}

TEST(FusedSite, IsThatOfTheCellAndThePlaceOfTheOutput) {
  using Part = FusedPart<Whereabouts, Use<in, 2>, Use<out, 0>>;
  using F =
      Fused<std::tuple<IntermediateParameter<float>, FieldParameter<out, float>, SiteParameter>,
            Part, FusedPart<Right, Use<in, 0>, Use<out, 1>>>;
  const F f{detail::chain_of(Part{{}, {0, 0.5, 0.5}},
                             FusedPart<Right, Use<in, 0>, Use<out, 1>>{{}, {0.5, 0.5, 0.5}})};
  const SiteInfo info{.index = {4, 0, 0},
                      .extents = {10, 1, 1},
                      .periodic = {true, true, true},
                      .origin = {-1, 0, 0},
                      .spacing = {0.5, 1, 1},
                      .offset = {0.5, 0.5, 0.5},
                      .step = 0,
                      .time = 0,
                      .seed = 0};
  Pack<float, 4> next;
  f(Writer<float, 1, 4>(&next), SiteAccessor<4>(info));
  EXPECT_EQ(next.lane(0), -1 + 0.5f * 6);
  EXPECT_EQ(next.lane(3), -1 + 0.5f * 9);
}

}  // namespace
}  // namespace goban::fused_test
