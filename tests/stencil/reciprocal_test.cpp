#include "goban/stencil/reciprocal.hpp"

#include "goban/stencil/graph/trace.hpp"
#include "tests/stencil/lanes.hpp"

namespace goban::reciprocal_test {
namespace {

template <class T>
class Reciprocal : public testing::Test {};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Reciprocal, FloatingTypes);

TYPED_TEST(Reciprocal, IsTheQuotientInEveryLane) {
  using T = TypeParam;
  const auto in = test::planted<T>(1);
  test::expect_lanes_independent(
      "reciprocal", [](const auto& x) { return reciprocal(x); }, in);
  for (const T x : in) EXPECT_TRUE(test::same_bits(reciprocal(x), 1 / x)) << x;
}

struct Invert {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = reciprocal(u()) * u(); }
};

TEST(ReciprocalCount, IsOneOperation) {
  constexpr auto footprint =
      trace<FieldParameter<Access::in, float>, FieldParameter<Access::out, float>>(Invert{});
  EXPECT_EQ(footprint.flops, 2);
}

}  // namespace
}  // namespace goban::reciprocal_test
