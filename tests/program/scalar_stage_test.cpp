// Scalar stages on the host.

#include <gtest/gtest.h>

#include <limits>

#include "goban/program/program.hpp"

namespace goban::scalar_stage_test {
namespace {

TEST(ScalarStages, AreEvaluatedFromWhatWasRecorded) {
  Parameter<double> x("x", 0.1), y("y", 3), z("z");
  Parameter<float> third("third");
  Program step("step");
  step.compute(
      [](auto x, auto& y, auto& z, auto& third) {
        z = select(y > 2, x * y + 1, 0);
        y = exp(x);
        third = convert<float>(1 / (x + 2.9));
      },
      in(x), inout(y), out(z), out(third));
  const Stage& stage = *step.stages().front();
  ASSERT_TRUE(stage.as_sweep);
  stage.compute(0);
  const double product = 0.1 * 3.0;
  EXPECT_EQ(z.value(), product + 1);
  EXPECT_EQ(y.value(), goban::exp(0.1));
  EXPECT_EQ(third.value(), static_cast<float>(1 / (0.1 + 2.9)));
  EXPECT_EQ(x.value(), 0.1);
}

TEST(ScalarStages, HaveTheIntegersOfSweeps) {
  Parameter<int> most("most", std::numeric_limits<int>::max()), none("none");
  Parameter<int> wrapped("wrapped"), divided("divided");
  Program step("step");
  step.compute(
      [](auto most, auto none, auto& wrapped, auto& divided) {
        wrapped = most + 1;
        divided = most / none;
      },
      in(most), in(none), out(wrapped), out(divided));
  step.stages().front()->compute(0);
  EXPECT_EQ(wrapped.value(), std::numeric_limits<int>::min());
  EXPECT_EQ(divided.value(), most.value());
}

TEST(ScalarStages, BranchAsTheFunctorDoes) {
  Parameter<double> x("x"), y("y");
  Program step("step");
  step.compute(
      [](auto x, auto& y) {
        if (x > 1) {
          y = 2 * x;
        } else {
          y += 1;
        }
      },
      in(x), inout(y));
  const Stage& stage = *step.stages().front();
  stage.compute(0);
  stage.compute(0);
  EXPECT_EQ(y.value(), 2);
  x.set(4);
  stage.compute(0);
  EXPECT_EQ(y.value(), 8);
}

TEST(ScalarStages, ThatCannotBeRecordedAreCalled) {
  int calls = 0;
  Parameter<double> x("x", 1);
  Program step("step");
  step.compute([&calls](double& x) { x += ++calls; }, inout(x));
  step.verify([&calls](auto x) { calls += x > 1 ? 10 : 100; }, x);
  EXPECT_FALSE(step.stages()[0]->as_sweep || step.stages()[1]->as_sweep);
  for (const auto& stage : step.stages()) stage->compute(0);
  EXPECT_EQ(x.value(), 2);
  EXPECT_EQ(calls, 11);
}

}  // namespace
}  // namespace goban::scalar_stage_test
