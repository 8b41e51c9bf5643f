// Functors compute with constants that have the type of values.

#include <gtest/gtest.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"

namespace goban::constants_test {
namespace {

struct SixTimes {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    using Value = decltype(u());
    const Value two(2.0f);
    const auto six = two * 3.0f;
    const auto root = sqrt(six - two);
    next = select(six > root, six, Value(0.0f)) * u();
  }
};
struct Sum {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    decltype(u()) sum(1.0f);
    for (int n = 0; n < 3; ++n) sum += 0.5f;
    next = sum + u();
  }
};

template <class F>
float result(const F& functor) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {16, 1, 1}});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(1.5f);
  Program program("constants");
  program.apply(functor, in(u), out(next));
  Engine engine(program);
  StepClock clock;
  engine.run(1, clock);
  return next.get({3, 0, 0});
}

TEST(Constants, ComputeAmongThemselves) {
  EXPECT_EQ(result(SixTimes{}), 9.0f);
  EXPECT_EQ(result(Sum{}), 4.0f);
}

}  // namespace
}  // namespace goban::constants_test
