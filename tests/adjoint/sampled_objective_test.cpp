// Gradients of what a step samples at every time.

#include <gmock/gmock.h>

#include <bit>
#include <cmath>

#include "tests/adjoint/functors.hpp"
#include "tests/error_text.hpp"

namespace goban::sampled_objective_test {
namespace {

using test::Fields;
using testing::HasSubstr;

struct Seen {  // a field, at a cell of which nobody swaps names
  GOBAN_FUNCTION void operator()(auto u, auto q) const { q[1] = u() * u(0, 1, 0); }
};

/// Values of boxes of two fields, which overlap, between sweeps or before all.
struct Problem {
  Runtime runtime;
  Grid grid;
  Fields fields;
  std::shared_ptr<Samples> samples;
  Program step{"step"};

  explicit Problem(const Settings& settings = test::plain_schedule(), bool samples_first = false)
      : runtime(settings),
        grid(runtime, {.cells = {7, 6, 8}, .boundary = mirror}),
        fields(grid),
        samples(std::make_shared<Samples>(grid.state())) {
    samples->add(fields.u.record(), {{2, 3, 1}, {5, 5, 2}});
    samples->add(fields.q.record(), {{0, 0, 0}, {1, 2, 8}});
    samples->add(fields.u.record(), {{4, 4, 0}, {5, 5, 3}});
    if (samples_first) step.sample(samples);
    step.apply(test::Conduct{}, in(fields.u), in(fields.c), param(fields.k), out(fields.next));
    step.swap(fields.u, fields.next);
    step.apply(Seen{}, in(fields.u), inout(fields.q));
    if (!samples_first) step.sample(samples);
    step.apply(test::Spread{}, in(fields.u), out(fields.next));
    step.swap(fields.u, fields.next);
  }
  std::vector<GradientOf> all() const { return {fields.u, fields.c, fields.q, fields.k}; }
};

/// The sum of w v + v^2 / 2 of all values v with weights w.
double objective(const std::vector<Samples::Record>& records,
                 std::vector<std::vector<double>>& derivatives) {
  double sum = 0;
  for (std::size_t n = 0; n < records.size(); ++n) {
    const auto* values = reinterpret_cast<const double*>(records[n].values.data());
    for (std::size_t i = 0; i < derivatives[n].size(); ++i) {
      const double weight = 0.1 * static_cast<double>(n + 1) - 0.03 * static_cast<double>(i);
      sum += weight * values[i] + values[i] * values[i] / 2;
      derivatives[n][i] = weight + values[i];
    }
  }
  return sum;
}

constexpr Index steps = 4;

test::Results gradients(const Settings& settings, Index states) {
  Problem p(settings);
  Adjoint adjoint(p.step, p.samples, objective, p.all());
  test::Results results{{"value", std::bit_cast<std::uint64_t>(adjoint.evaluate(steps, {states}))}};
  results["u"] = adjoint.gradient(p.fields.u).checksum();
  results["c"] = adjoint.gradient(p.fields.c).checksum();
  results["q"] = adjoint.gradient(p.fields.q).checksum();
  results["k"] = std::bit_cast<std::uint64_t>(adjoint.gradient(p.fields.k));
  return results;
}

void expect_slopes(Problem& p) {
  Adjoint adjoint(p.step, p.samples, objective, p.all());
  adjoint.evaluate(steps, {2});
  const std::uint64_t u = p.fields.u.checksum();
  const auto expect_slope = [&](auto& field, Index3 cell, int component = 0) {
    adjoint.evaluate(steps, {2});
    const double slope = adjoint.gradient(field).get(cell, component);
    const double before = field.get(cell, component), h = 1e-4;
    std::array<double, 2> values{};
    for (const int side : {0, 1}) {
      field.set(cell, before + (side == 0 ? -h : h), component);
      values[static_cast<std::size_t>(side)] = adjoint.evaluate(steps, {2});
    }
    field.set(cell, before, component);
    EXPECT_NE(slope, 0);
    EXPECT_NEAR((values[1] - values[0]) / (2 * h), slope, 1e-6 * std::abs(slope) + 1e-8);
  };
  expect_slope(p.fields.u, {4, 4, 1});
  expect_slope(p.fields.u, {0, 2, 7});
  expect_slope(p.fields.c, {3, 3, 1});
  expect_slope(p.fields.q, {0, 1, 4}, 0);
  EXPECT_EQ(p.fields.u.checksum(), u) << "fields hold what they held";
  EXPECT_TRUE(p.samples->records().empty()) << "records of an adjoint are nobody's business";
}

TEST(SampledObjective, HasTheGradientOfDifferences) {
  for (const bool samples_first : {false, true}) {
    Problem p(test::plain_schedule(), samples_first);
    expect_slopes(p);
  }
}

TEST(SampledObjective, HasTheSameBitsOnAnyCut) {
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"4,3", "", "5,3"}};
  product.backends = {Backend::cpu, Backend::emulated};
  test::expect_same_bits([&](const Settings& settings) { return gradients(settings, 3); },
                         product.all());
}

TEST(SampledObjective, DoesNotDependOnStates) {
  const auto all = gradients(test::plain_schedule(), 16);
  EXPECT_EQ(gradients(test::plain_schedule(), 1), all);
}

/// Linear steps need no states, but go back one by one.
TEST(SampledObjective, OfALinearStepAddsUp) {
  Problem p;
  Program linear("linear");
  linear.apply(test::Spread{}, in(p.fields.u), out(p.fields.next));
  linear.swap(p.fields.u, p.fields.next).sample(p.samples);
  Adjoint adjoint(linear, p.samples, objective, {p.fields.u});
  adjoint.evaluate(3);
  EXPECT_FALSE(adjoint.needs_states());
  const double middle = adjoint.gradient(p.fields.u).get({3, 4, 1});
  const double before = p.fields.u.get({3, 4, 1});
  p.fields.u.set({3, 4, 1}, before + 1e-4);
  const double up = adjoint.evaluate(3);
  p.fields.u.set({3, 4, 1}, before - 1e-4);
  EXPECT_NEAR((up - adjoint.evaluate(3)) / 2e-4, middle, 1e-7);
}

TEST(SampledObjective, LeavesOtherRecordsAlone) {
  Problem p;
  Parameter<double> total("total");
  Program sum_of_u("sum");
  sum_of_u.reduce([](auto u) { return u(); }, in(p.fields.u), sum, into(total));
  p.samples->records().push_back({7, 0.5, {}});
  Adjoint(p.step, sum_of_u, {p.fields.c}).evaluate(3, {1});
  ASSERT_EQ(p.samples->records().size(), 1u);
  EXPECT_EQ(p.samples->records().front().step, 7);
}

TEST(SampledObjective, Refuses) {
  Problem p;
  const auto refusal = [&](const Program& step, const SampledObjective& of,
                           const std::vector<GradientOf>& asked) {
    return test::error_of([&] { Adjoint(step, p.samples, of, asked).evaluate(1); });
  };
  EXPECT_EQ(refusal(Program("none"), objective, {p.fields.u}),
            "the gradient of samples is refused (the step does not take them); append "
            "step.sample(samples)");
  EXPECT_THAT(refusal(p.step, objective, {p.fields.v}), HasSubstr("depends on nothing"));
  const auto forgets = [](const auto&, auto& derivatives) {
    derivatives.clear();
    return 0.0;
  };
  EXPECT_THAT(refusal(p.step, forgets, {p.fields.u}), HasSubstr("another number of derivatives"));
}

}  // namespace
}  // namespace goban::sampled_objective_test
