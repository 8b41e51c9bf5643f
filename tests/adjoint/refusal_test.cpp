// What has no derivative is refused, in one line.

#include <gmock/gmock.h>

#include "tests/adjoint/functors.hpp"
#include "tests/error_text.hpp"

namespace goban::refusal_of_adjoint_test {
namespace {

using test::error_of;
using test::Fields;
using testing::HasSubstr;

struct Square {
  GOBAN_FUNCTION auto operator()(auto u) const { return u() * u(); }
};
struct SquareTimes {
  GOBAN_FUNCTION auto operator()(auto u, auto k) const { return k() * u() * u(); }
};
struct Count {
  GOBAN_FUNCTION void operator()(auto n) const { n = n() + 1; }
};
struct Sums {
  GOBAN_FUNCTION void forward(auto u, auto next, auto s) const {
    s = u() + s.before();
    next = s();
  }
};
struct Half {
  GOBAN_FUNCTION void operator()(auto u) const { u = 0.5 * u(); }
};
struct Scaled {
  GOBAN_FUNCTION void operator()(auto u, auto k, auto next) const { next = k() * u(1, 0, 0); }
};

struct Refusals : testing::Test {
  Runtime runtime{test::plain_schedule()};
  Grid grid{runtime, {.cells = {6, 5, 4}, .boundary = mirror}};
  Fields fields{grid};
  Parameter<double> total{"total"};
  Program step{"step"}, objective{"objective"};

  Refusals() { objective.reduce(Square{}, in(fields.u), sum, into(total)); }
  std::string refusal(const std::vector<GradientOf>& of) {
    return error_of([&] { Adjoint(step, objective, of); });
  }
  std::string refusal() { return refusal({fields.u}); }
};

TEST_F(Refusals, OfColumnsWithAMask) {
  step.columns(Axis::z, Sums{}, in(fields.u), out(fields.next), scratch<double>).where(fields.mask);
  EXPECT_EQ(refusal(),
            "no derivatives of stage 'Sums' (it sweeps columns, of which a mask leaves cells out); "
            "take the mask off");
}

TEST_F(Refusals, OfLoopsThatEndByThemselves) {
  Program body("body"), check("check");
  body.apply(Half{}, inout(fields.u));
  check.reduce(Square{}, in(fields.u), sum, into(total));
  step.until(total < 1e-3, 1, 100, body, check);
  EXPECT_EQ(refusal(),
            "no derivatives of stage 'body' (how often it repeats depends on values); repeat a "
            "fixed number of times");
}

TEST_F(Refusals, OfCallsThatWrite) {
  step.call([] {}, std::tie(), std::tie(fields.u));
  EXPECT_EQ(
      refusal(),
      "no derivatives of stage 'call' (it calls a function that writes 'u'); write a functor");
}

TEST_F(Refusals, OfNumbersOfTheStepWithoutDerivatives) {
  const auto scaled_by = [&] {
    step.apply(Scaled{}, in(fields.u), param(fields.k), out(fields.next));
    return refusal();
  };
  const std::string before = "no derivatives of stage 'Scaled' (it reads parameter 'k', ",
                    after = "); set it before the run, or have it follow the time";
  step.reduce(Square{}, in(fields.u), maximum, into(fields.k));
  EXPECT_EQ(scaled_by(), before + "the largest or smallest of some values" + after);
  step = Program("step");
  const Parameter<double> largest("largest");
  step.reduce(Square{}, in(fields.u), maximum, into(largest));
  step.compute([](auto most, auto& k) { k = 2 * most; }, in(largest), out(fields.k));
  EXPECT_EQ(scaled_by(),
            before + "which depends on 'largest', the largest or smallest of some values" + after);
  step = Program("step");
  step.reduce(Square{}, in(fields.u), sum, into(largest));
  step.compute([](double most, double& k) { k = most; }, in(largest), out(fields.k));
  EXPECT_EQ(scaled_by(), before + "which a function computes that takes no `auto`" + after);
  step = Program("step");
  scaled_by();
  step.reduce(Square{}, in(fields.u), sum, into(fields.k));
  EXPECT_EQ(refusal(), before + "which a step hands to the next" + after);
}

TEST_F(Refusals, OfFunctionsWithoutARecordWhoseNumbersAreComputedSeveralTimes) {
  step.compute([](double& k) { k = 2; }, out(fields.k));
  step.compute([](double& k) { k += 1; }, inout(fields.k));
  step.apply(Scaled{}, in(fields.u), param(fields.k), out(fields.next));
  EXPECT_EQ(refusal(),
            "no derivatives of stage 'compute' (its function takes no `auto`, and a step computes "
            "its numbers several times); write a function of `auto`");
}

TEST_F(Refusals, OfNumbersOfTheStepThatAreAskedFor) {
  step.reduce(Square{}, in(fields.u), sum, into(fields.k));
  EXPECT_EQ(refusal({fields.u, fields.k}),
            "no derivatives with respect to 'k' (the step computes it)");
  objective = Program("objective");
  objective.reduce(SquareTimes{}, in(fields.u), param(fields.k), sum, into(total));
  EXPECT_EQ(refusal(),
            "the gradient of 'objective' is refused (it reads parameter 'k', which the step "
            "computes); write what depends on it into a field of the step");
}

TEST_F(Refusals, OfRulesOfTheirOwnAtTheEnds) {
  fields.u.boundary(custom([](const GhostCell& ghost) { return ghost.inside(1); }));
  step.apply(Scaled{}, in(fields.u), param(fields.k), out(fields.next));
  step.apply(Half{}, inout(fields.next));
  objective = Program("objective");
  objective.reduce(Square{}, in(fields.next), sum, into(total));
  EXPECT_THAT(refusal(), HasSubstr("'u' has a boundary condition by a rule of its own"));
}

TEST_F(Refusals, OfBoundaryConditionsThatAreAskedFor) {
  fields.u.boundary(constant(fields.k));
  step.apply(Scaled{}, in(fields.u), param(fields.k), out(fields.next));
  EXPECT_EQ(refusal({fields.u, fields.k}),
            "no derivatives with respect to 'k' (it is a boundary condition of 'u'); derivatives "
            "are with respect to what functors read");
}

TEST_F(Refusals, OfWhatFollowsTheTime) {
  step.follow(fields.k, [](double time) { return time; });
  step.apply(Scaled{}, in(fields.u), param(fields.k), out(fields.next));
  EXPECT_EQ(refusal({fields.k}),
            "no derivatives with respect to 'k' (the step sets it to a function of the time)");
}

TEST_F(Refusals, OfWholeNumbers) {
  step.apply(Count{}, inout(fields.mask));
  EXPECT_EQ(refusal({fields.mask}),
            "no derivatives with respect to 'mask' (its values are whole numbers)");
}

TEST_F(Refusals, OfWhatIsOverwritten) {
  step.apply(Scaled{}, in(fields.u), param(fields.k), out(fields.next));
  EXPECT_THAT(refusal({fields.next}), HasSubstr("the step overwrites it before anything reads it"));
}

TEST_F(Refusals, OfWhatHasNoInfluence) {
  EXPECT_THAT(refusal({fields.v}), HasSubstr("it depends on nothing that the gradient is asked"));
  EXPECT_THAT(refusal({}), HasSubstr("a gradient of nothing is refused"));
}

TEST_F(Refusals, OfObjectivesThatAreNoSum) {
  objective.reduce(Square{}, in(fields.u), sum, into(total));
  EXPECT_THAT(refusal(), HasSubstr("it is not one sum over the cells"));
}

TEST_F(Refusals, OfRuns) {
  step.apply(Half{}, inout(fields.u));
  Adjoint adjoint(step, objective, {fields.u});
  EXPECT_THAT(error_of([&] { adjoint.evaluate(-1); }), HasSubstr("a gradient of -1 steps"));
  EXPECT_THAT(error_of([&] { adjoint.evaluate(1, {0}); }), HasSubstr("with 0 states is refused"));
  EXPECT_EQ(
      error_of([&] { adjoint.gradient(fields.v); }),
      "there is no gradient of 'v' (it was not asked for); name it where the adjoint is made");
}

}  // namespace
}  // namespace goban::refusal_of_adjoint_test
