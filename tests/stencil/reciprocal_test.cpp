#include "goban/stencil/reciprocal.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "goban/stencil/graph/trace.hpp"

namespace goban::reciprocal_test {
namespace {

template <class T>
class Reciprocal : public testing::Test {};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Reciprocal, FloatingTypes);

TYPED_TEST(Reciprocal, IsTheQuotient) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (const T x : {T(1), T(-1), T(3), T(-0.1), T(7.25), Limits::min(), T(1e30), Limits::max()}) {
    EXPECT_EQ(reciprocal(x), 1 / x) << x;
  }
  EXPECT_EQ(reciprocal(T(0)), Limits::infinity());
  EXPECT_EQ(reciprocal(T(-0.0)), -Limits::infinity());
}

struct Invert {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = reciprocal(u()) * u(); }
};

TEST(ReciprocalCount, IsOneOperation) {
  const auto footprint =
      trace<FieldParameter<Access::in, float>, FieldParameter<Access::out, float>>(Invert{});
  EXPECT_EQ(footprint.flops, 2);
}

}  // namespace
}  // namespace goban::reciprocal_test
