// Numbers that a step computes several times, and those that it hands to the next step.

#include <gtest/gtest.h>

#include "tests/adjoint/transposed.hpp"

namespace goban::numbers_of_adjoint_test {
namespace {

using test::Fields;

struct Square {
  GOBAN_FUNCTION auto operator()(auto u, auto v) const { return 0.001 * u() * u() + 0.002 * v(); }
};
struct Scale {
  GOBAN_FUNCTION void operator()(auto u, auto by, auto next) const {
    next = u(1, 0, 0) * (1.0 + 0.1 * by()) + by() * by();
  }
};
struct Blend {
  GOBAN_FUNCTION void operator()(auto u, auto ratio, auto v) const {
    v = v() * (1.0 - 0.2 * ratio()) + ratio() * u(0, 1, 0);
  }
};
struct Misfit {
  GOBAN_FUNCTION auto operator()(auto u, auto v) const { return u() * u() + 0.5 * v() * u(); }
};

/// `size` gets a new value three times in a step, `ratio` depends on how often a step was made.
struct Steps {
  Runtime runtime{test::plain_schedule()};
  Grid grid{runtime, {.cells = {7, 6, 5}, .boundary = {mirror, wall_value(0.1), periodic}}};
  Fields f{grid};
  Parameter<double> size{"size"}, last{"last"}, ratio{"ratio"}, length{"length", 0.4},
      total{"total"};
  Program step{"step"}, objective{"objective"};

  Steps() {
    step.reduce(Square{}, in(f.u), in(f.v), sum, into(size));
    step.apply(Scale{}, in(f.u), param(size), out(f.next));
    step.compute([](auto k, auto& size) { size = size * k + 0.3 * k; }, in(f.k), inout(size));
    step.apply(Scale{}, in(f.next), param(size), out(f.u));
    step.reduce(Square{}, in(f.v), in(f.u), sum, into(size));
    step.apply(Scale{}, in(f.u), param(size), out(f.next));
    step.swap(f.u, f.next);
    step.compute(
        [](auto length, auto& last, auto& ratio) {
          ratio = select(last > 0, 0.5 * length / last, 1);
          last = last + length;
        },
        in(length), inout(last), out(ratio));
    step.apply(Blend{}, in(f.u), param(ratio), inout(f.v));
    objective.reduce(Misfit{}, in(f.u), in(f.v), sum, into(total));
  }
  std::vector<GradientOf> given() const { return {f.u, f.v, f.k}; }
};

TEST(NumbersOfAStep, HaveAdjointsThatAreTransposedTangents) {
  Steps p;
  test::expect_transposed(p.grid, p.f, p.step, p.given(), "numbers");
}

TEST(NumbersOfAStep, HaveGradientsThatLeaveARestOfSecondOrder) {
  Steps p;
  test::expect_rest_of_second_order(p.grid, p.step, p.objective, p.given(), 1e-3, 1e-11, "numbers");
}

/// Steps that are computed again find what the steps before handed to them.
TEST(NumbersOfAStep, AreRestoredWithStates) {
  Steps p;
  Adjoint adjoint(p.step, p.objective, p.given());
  EXPECT_TRUE(adjoint.needs_states());
  const double value = adjoint.evaluate(5, {6});
  const auto gradient = adjoint.gradient(p.f.u).copy_out();
  EXPECT_EQ(p.last.value(), 0);
  EXPECT_EQ(adjoint.evaluate(5, {1}), value);
  EXPECT_EQ(adjoint.gradient(p.f.u).copy_out(), gradient);
  EXPECT_EQ(adjoint.steps_computed(), 15);
}

}  // namespace
}  // namespace goban::numbers_of_adjoint_test
