// Gradients of steps: beside tangents, differences, each other.

#include <gmock/gmock.h>

#include <bit>
#include <cmath>

#include "tests/adjoint/functors.hpp"
#include "tests/error_text.hpp"

namespace goban::gradient_test {
namespace {

using test::derived_steps;
using test::DerivedStep;
using test::Fields;

struct Weighted {  // linear: the adjoint begins with the weights
  GOBAN_FUNCTION auto operator()(auto u, auto v, auto q) const {
    return 0.7 * u() + 1.3 * v() + 0.2 * u(1, 0, 0) - 0.4 * q[0](0, 1, 0) + q[1]();
  }
};
struct Misfit {
  GOBAN_FUNCTION auto operator()(auto u, auto v, auto q) const {
    const auto a = u() - 0.1, b = v(0, 0, 1) - u();
    return a * a + 0.5 * b * b + q[0]() * q[1](0, -1, 0);
  }
};

/// Periodic, of all kinds of walls, and with constants.
std::vector<BoundarySet> boundaries() {
  BoundarySet mixed{mirror, wall_value(0.5), periodic};
  mixed.at(Axis::x, Side::high) = gradient(0.25);
  mixed.at(Axis::y, Side::low) = constant(0.3);
  return {periodic, mixed, mirror, wall_value(0.2)};
}

struct Problem {
  Runtime runtime;
  Grid grid;
  Fields fields;
  Parameter<double> misfit{"misfit"};
  Program step{"step"}, objective{"objective"};

  template <class F>
  Problem(const DerivedStep& derived, const BoundarySet& boundary, F functor,
          const Settings& settings = test::plain_schedule())
      : runtime(settings), grid(runtime, {.cells = {7, 6, 8}, .boundary = boundary}), fields(grid) {
    if (derived.name == "fused") {
      BoundarySet walls = boundary;
      for (int a = 0; a < 3; ++a) {
        if (!grid.state()->is_periodic(a)) walls.sides[a] = {constant(0.1), constant(0.1)};
      }
      fields.c.boundary(walls);
    }
    derived.append(step, fields);
    objective.reduce(functor, in(fields.u), in(fields.v), in(fields.q), sum, into(misfit));
  }
  std::vector<GradientOf> all() const { return {fields.u, fields.v, fields.c, fields.q, fields.k}; }
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
  return sum;
}

constexpr Index steps = 3;

/// Values of `change` are random.
template <class T, int C>
void disturb(Field<T, C> change, int seed) {
  if constexpr (C == 1) {
    change.fill([=](Index3 i) { return Fields::value(i, seed) - 0.3; });
  } else {
    change.fill([=](Index3 i, int c) { return Fields::value(i, seed + c) - 0.3; });
  }
}

class Steps : public testing::TestWithParam<int> {
 protected:
  DerivedStep derived() const { return derived_steps()[static_cast<std::size_t>(GetParam())]; }
  /// What the step does not overwrite before it reads it.
  std::vector<GradientOf> read_first(const Problem& p) const {
    std::vector<GradientOf> all;
    for (const GradientOf& one : p.all()) {
      const bool is_written_first =
          one.field && detail::record_of(p.step).overwritten_first().count(one.field) > 0;
      if (!is_written_first) all.push_back(one);
    }
    return all;
  }
};

/// <A p, q> = <p, A* q>, A the derivative of three steps.
TEST_P(Steps, AdjointsAreTransposedTangents) {
  for (const BoundarySet& boundary : boundaries()) {
    if (derived().name == "fused" && boundary == BoundarySet(mirror)) continue;
    Problem p(derived(), boundary, Weighted{});
    const auto of = read_first(p);
    Adjoint adjoint(p.step, p.objective, of);
    adjoint.evaluate(steps, {2});
    Tangent tangent(p.step, of);
    double by_adjoint = 0, size = 0;
    int seed = 20;
    const auto begin = [&](const auto& field) {
      const auto is_such = [&](const GradientOf& one) { return one.field == field.record(); };
      if (std::none_of(of.begin(), of.end(), is_such)) return;
      auto change = tangent.change(field);
      disturb(change, seed += 2);
      const auto a = change.copy_out(), b = adjoint.gradient(field).copy_out();
      by_adjoint += dot(a, b);
      size += std::sqrt(dot(a, a) * dot(b, b));
    };
    begin(p.fields.u);
    begin(p.fields.v);
    begin(p.fields.c);
    begin(p.fields.q);
    tangent.change(p.fields.k).set(0.37);
    by_adjoint += 0.37 * adjoint.gradient(p.fields.k);
    StepClock clock;
    Engine engine(tangent.step());
    engine.run(steps, clock);
    engine.synchronize();
    // The derivative of the objective is linear: it is that of the changes.
    Parameter<double> change("change");
    Program sum_of_changes("sum");
    const auto u = tangent.change(p.fields.u), v = tangent.change(p.fields.v);
    const auto q = tangent.change(p.fields.q);
    sum_of_changes.reduce(Weighted{}, in(u), in(v), in(q), sum, into(change));
    Engine(sum_of_changes).run(1, clock);
    EXPECT_NEAR(change.value(), by_adjoint, 1e-13 * std::max(1.0, size)) << derived().name;
    EXPECT_NE(by_adjoint, 0);
  }
}

/// f(x + h p) = f(x) + h <gradient, p> + O(h^2): ten times closer, a hundred times better.
TEST_P(Steps, GradientsLeaveARestOfSecondOrder) {
  Problem p(derived(), boundaries()[1], Misfit{});
  const auto of = read_first(p);
  Adjoint adjoint(p.step, p.objective, of);
  const double value = adjoint.evaluate(steps, {2});
  Fields& f = p.fields;
  const auto each_field = [&](const auto& what) {
    const auto visit = [&](auto& field, int seed) {
      const auto is_such = [&](const GradientOf& one) { return one.field == field.record(); };
      if (std::any_of(of.begin(), of.end(), is_such)) what(field, seed);
    };
    visit(f.u, 30);
    visit(f.v, 32);
    visit(f.c, 34);
    visit(f.q, 36);
  };
  std::vector<std::vector<double>> at, changes;
  double slope = 0.3 * adjoint.gradient(f.k);
  each_field([&](auto& field, int seed) {
    at.push_back(field.copy_out());
    const auto gradient = adjoint.gradient(field).copy_out();
    disturb(field, seed);
    changes.push_back(field.copy_out());
    slope += dot(gradient, changes.back());
    field.copy_in(at.back());
  });
  EXPECT_NE(slope, 0);
  const double k = f.k.value();
  std::vector<double> rests;
  for (const double h : {1e-3, 1e-4, 1e-5}) {
    std::size_t n = 0;
    each_field([&](auto& field, int) {
      std::vector<double> values = at[n];
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += h * changes[n][i];
      field.copy_in(values);
      ++n;
    });
    f.k.set(k + 0.3 * h);
    StepClock clock;
    Engine engine(p.step);
    engine.run(steps, clock);
    Engine(p.objective).run(1, clock);
    engine.synchronize();
    rests.push_back(std::abs(p.misfit.value() - value - h * slope));
    f.k.set(k);
  }
  EXPECT_LT(rests[1], 0.02 * rests[0]) << derived().name << " " << testing::PrintToString(rests);
  EXPECT_LT(rests[2], 0.02 * rests[1] + 1e-11) << derived().name;
}

test::Results gradients(const DerivedStep& derived, const Settings& settings, Index states) {
  Problem p(derived, boundaries()[1], Misfit{}, settings);
  std::vector<GradientOf> of{p.fields.u, p.fields.v, p.fields.q, p.fields.k};
  Adjoint adjoint(p.step, p.objective, of);
  const auto overwritten = detail::record_of(p.step).overwritten_first();
  const auto held = [&] {
    test::Results all{{"u", p.fields.u.checksum()}, {"q", p.fields.q.checksum()}};
    const bool is_read_first = overwritten.count(p.fields.v.record()) == 0;
    if (is_read_first) all["v"] = p.fields.v.checksum();
    return all;
  };
  const test::Results before = held();
  test::Results results{{"value", std::bit_cast<std::uint64_t>(adjoint.evaluate(5, {states}))}};
  EXPECT_EQ(held(), before) << "fields hold what they held";
  results["u"] = adjoint.gradient(p.fields.u).checksum();
  results["v"] = adjoint.gradient(p.fields.v).checksum();
  results["q"] = adjoint.gradient(p.fields.q).checksum();
  results["k"] = std::bit_cast<std::uint64_t>(adjoint.gradient(p.fields.k));
  return results;
}

TEST_P(Steps, HaveTheSameBitsOnAnyCut) {
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"4,3", "", "5,3"}};
  product.backends = {Backend::cpu, Backend::emulated};
  if (derived().is_linear) product.temporal_blocking = {0, 2};  // the way back is one run
  test::expect_same_bits(
      [&](const Settings& settings) { return gradients(derived(), settings, 3); }, product.all());
}

INSTANTIATE_TEST_SUITE_P(All, Steps, testing::Range(0, static_cast<int>(derived_steps().size())));

DerivedStep step_named(const std::string& name) {
  for (const DerivedStep& one : derived_steps()) {
    if (one.name == name) return one;
  }
  throw std::out_of_range(name);
}

TEST(States, ChangeNoBits) {
  for (const std::string name : {"rotated", "in place", "regions and masks", "repeated"}) {
    const auto all = gradients(step_named(name), test::plain_schedule(), 16);
    for (const Index states : {1, 2, 3, 4}) {
      EXPECT_EQ(gradients(step_named(name), test::plain_schedule(), states), all)
          << name << " " << states;
    }
  }
}

/// Steps computed forwards: at most those to the end, and what binomial checkpointing computes.
TEST(States, AreUsedWell) {
  Problem p(step_named("conduct"), periodic, Misfit{});
  Adjoint adjoint(p.step, p.objective, {p.fields.c});
  EXPECT_TRUE(adjoint.needs_states());
  const auto computed = [&](Index steps, Index states) {
    adjoint.evaluate(steps, {states});
    return adjoint.steps_computed();
  };
  EXPECT_EQ(computed(0, 1), 0);
  EXPECT_EQ(computed(1, 1), 1);
  EXPECT_EQ(computed(10, 10), 10);      // every state is there
  EXPECT_EQ(computed(10, 1), 10 + 45);  // from the start each time
  EXPECT_LE(computed(10, 3), 10 + 16);  // C(3 + 2, 3) = 10: none more than twice
  EXPECT_LE(computed(35, 4), 35 * 4);   // C(4 + 3, 4) = 35, and once as they are kept
}

/// What the adjoint reads of a step is kept where it is: others are written in its place.
TEST(States, AreNotCopiedWhereNamesCanBeExchanged) {
  const auto sweeps_of_recorded = [](const std::string& name) {
    Problem p(step_named(name), periodic, Misfit{});
    const detail::StepRecord record = detail::record_of(p.step);
    detail::AdjointFields fields(p.grid.state(), detail::DerivativeKind::adjoint);
    detail::KeptValues kept(record);
    for (std::size_t n = record.sweeps.size(); n-- > 0;) {
      kept.serve(n, {std::make_shared<Stage>(*record.sweeps[n].stage)}, fields);
    }
    EXPECT_TRUE(kept.place(fields).empty());
    EXPECT_TRUE(kept.reads_changed()) << name;
    const Program recording = kept.recording(4, fields);
    const auto sweeps = std::count_if(recording.stages().begin(), recording.stages().end(),
                                      [](const auto& stage) { return stage->is_sweep(); });
    return sweeps - static_cast<std::ptrdiff_t>(record.sweeps.size());
  };
  EXPECT_EQ(sweeps_of_recorded("conduct"), 0);
  EXPECT_EQ(sweeps_of_recorded("rotated"), 0);
  EXPECT_GT(sweeps_of_recorded("regions and masks"), 0);
}

TEST(LinearSteps, NeedNoStatesAndOneSweep) {
  Problem p(step_named("spread"), periodic, Misfit{});
  Adjoint adjoint(p.step, p.objective, {p.fields.u});
  EXPECT_FALSE(adjoint.needs_states());
  adjoint.evaluate(5, {1});
  EXPECT_EQ(adjoint.steps_computed(), 5);
  const auto& stages = adjoint.step_back().stages();
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0]->kind, Stage::Kind::permute);
  const Footprint& forward = p.step.stages()[0]->footprint;
  EXPECT_EQ(stages[1]->footprint.reads.size(), forward.reads.size());
  EXPECT_LE(stages[1]->footprint.flops, forward.flops);
  EXPECT_EQ(stages[1]->footprint.bytes_per_update(), forward.bytes_per_update());
}

struct Carried {
  GOBAN_FUNCTION void operator()(auto u, auto flow, auto speed, auto next) const {
    next = u() - speed() * (flow(1, 0, 0) * u(1, 0, 0) - flow() * u(-1, 0, 0));
  }
};
struct Sum {
  GOBAN_FUNCTION auto operator()(auto u, auto weight) const { return weight() * u(); }
};

/// float32, half, another layout, fields on faces, a number that follows the time.
struct Flux {
  GOBAN_FUNCTION void operator()(auto u, auto c, auto next) const {
    const auto here = u(), k = c();
    next =
        here +
        0.05 * ((k + c(1, 0, 0)) * (u(1, 0, 0) - here) + (k + c(-1, 0, 0)) * (u(-1, 0, 0) - here) +
                (k + c(0, 1, 0)) * (u(0, 1, 0) - here) + (k + c(0, -1, 0)) * (u(0, -1, 0) - here));
  }
};

/// Cheap ones at least, that read no farther than the step itself.
TEST(Products, AreComputedWhereTheyAreRead) {
  const DerivedStep flux{"flux", [](Program& step, Fields& f) {
                           step.apply(Flux{}, in(f.u), in(f.c), out(f.next));
                           step.swap(f.u, f.next);
                         }};
  Problem p(flux, mirror, Misfit{});
  Adjoint adjoint(p.step, p.objective, {p.fields.u, p.fields.c});
  const auto& stages = adjoint.step_back().stages();
  std::size_t whole = 0;
  for (const auto& stage : stages) {
    if (!stage->is_sweep()) continue;
    whole += stage->region ? 0 : 1;
    for (const Axis axis : all_axes) {
      EXPECT_LE(stage->footprint.reach(axis, Side::low), 1);
      EXPECT_LE(stage->footprint.reach(axis, Side::high), 1);
    }
  }
  EXPECT_EQ(whole, 1u);
  EXPECT_LE(stages[1]->footprint.flops, 4 * p.step.stages()[0]->footprint.flops);
}

TEST(Gradients, OfObjectivesOverAPart) {
  Problem p(step_named("spread"), periodic, Misfit{});
  Program part("part");
  part.reduce(Sum{}, in(p.fields.u), in(p.fields.v), sum, into(p.misfit))
      .over({{1, 2, 3}, {3, 4, 5}});
  Adjoint adjoint(p.step, part, {p.fields.u});
  adjoint.evaluate(0);
  const Field<double> gradient = adjoint.gradient(p.fields.u);
  EXPECT_EQ(gradient.get({2, 3, 4}), p.fields.v.get({2, 3, 4}));
  EXPECT_EQ(gradient.get({3, 3, 4}), 0);
  adjoint.evaluate(1);
  EXPECT_NE(gradient.get({3, 3, 4}), 0);
  EXPECT_EQ(gradient.get({4, 3, 4}), 0);
}

TEST(Gradients, OfFieldsOfOtherKinds) {
  Runtime runtime(test::plain_schedule());
  Grid grid(runtime, {.cells = {6, 5, 7}});
  Field<float, 1, kij> u(grid, "u"), next(grid, "next"), weight(grid, "weight");
  Field<half, 1, kij> flow(grid, "flow", {.location = Location::face_x});
  for (auto* one : {&u, &weight}) {
    one->fill([&](Index3 i) { return static_cast<float>(Fields::value(i, one == &u ? 1 : 2)); });
  }
  flow.fill([](Index3 i) { return half(static_cast<float>(Fields::value(i, 3))); });
  next.fill(0.0f);
  Parameter<float> speed("speed");
  Parameter<double> total("total");
  Program step("step"), objective("objective");
  step.follow(speed, [](double time) { return 0.3 + 0.1 * time; });
  step.apply(Carried{}, in(u), in(flow), param(speed), out(next));
  step.swap(u, next);
  objective.reduce(Sum{}, in(u), in(weight), sum, into(total));
  Adjoint adjoint(step, objective, {u, flow});
  const double value = adjoint.evaluate(4, {2});
  // The sum is linear in u, so that its gradient gives it back.
  const auto gradient = adjoint.gradient(u).copy_out(), at = u.copy_out();
  double by_gradient = 0;
  for (std::size_t n = 0; n < at.size(); ++n) {
    by_gradient += static_cast<double>(gradient[n]) * static_cast<double>(at[n]);
  }
  EXPECT_NEAR(by_gradient, value, 1e-5);
  const Field<float, 1, kij> of_flow(grid.state(), adjoint.gradient_of(flow.record()));
  const Index3 cell{2, 3, 1};
  const double slope = of_flow.get(cell), before = static_cast<float>(flow.get(cell));
  EXPECT_NE(slope, 0);
  flow.set(cell, half(static_cast<float>(before + 0.125)));
  const double moved = static_cast<float>(flow.get(cell)) - before;
  const double other = adjoint.evaluate(4, {2}), slope_there = of_flow.get(cell);
  EXPECT_NEAR(other - value, 0.5 * moved * (slope + slope_there), 1e-4);
}

TEST(Gradients, OfTheObjectiveAlone) {
  Problem p(step_named("conduct"), periodic, Misfit{});
  Adjoint adjoint(p.step, p.objective, {p.fields.q, p.fields.k});
  adjoint.evaluate(0);
  EXPECT_EQ(adjoint.gradient(p.fields.k), 0);
  // Of q0 at a cell: q1 at the cell before along y.
  const Field<double, 2> gradient = adjoint.gradient(p.fields.q);
  EXPECT_EQ(gradient.get({2, 3, 4}, 0), p.fields.q.get({2, 2, 4}, 1));
  EXPECT_EQ(gradient.get({2, 3, 4}, 1), p.fields.q.get({2, 4, 4}, 0));
}

}  // namespace
}  // namespace goban::gradient_test
