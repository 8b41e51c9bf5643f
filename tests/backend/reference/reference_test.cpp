// The definition itself, on programs small enough to be worked out by hand; everything faster is
// compared with it elsewhere.

#include "goban/backend/reference/reference.hpp"

#include <gmock/gmock.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/error_text.hpp"
#include "tests/ranks.hpp"

namespace goban::reference_test {
namespace {

using reference::PaddedField;
using testing::ElementsAre;
using testing::HasSubstr;

Settings definition() {
  Settings settings;
  settings.backend = Backend::reference;
  return settings;
}

struct Neighbors {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = u(-1) + 10 * u() + 100 * u(1); }
};
struct Add {
  double amount;
  GOBAN_FUNCTION void operator()(auto u) const { u += amount; }
};
struct Itself {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};

TEST(PaddedField, RefusesAGhostThatWasMadeForEarlierValues) {
  Runtime runtime(definition());
  Grid grid(runtime, {.cells = {3, 1, 1}, .boundary = {wall_value(5), mirror, mirror}});
  Field<double> u(grid, "u");
  PaddedField padded(grid.state(), u.record(), {{1, 0, 0}, {1, 0, 0}});
  for (Index x = 0; x < 3; ++x) padded.set(0, {x, 0, 0}, static_cast<double>(x + 1));
  padded.make_ghosts(0);
  EXPECT_EQ(padded.read("reader", 0, {-1, 0, 0}), 10 - 1);
  padded.set(0, {0, 0, 0}, 4);
  EXPECT_EQ(padded.read("reader", 0, {0, 0, 0}), 4);
  EXPECT_THAT(test::error_of([&] {
                padded.read("reader", 0, {-1, 0, 0});
              }),
              HasSubstr("stage 'reader' reads an old ghost cell of 'u'"));
  padded.make_ghosts(0);
  EXPECT_EQ(padded.read("reader", 0, {-1, 0, 0}), 10 - 4);
}

TEST(PaddedField, RefusesAGhostThatNobodyHasMade) {
  Runtime runtime(definition());
  Grid grid(runtime, {.cells = {3, 1, 1}, .boundary = periodic});
  Field<double> u(grid, "u");
  PaddedField padded(grid.state(), u.record(), {{1, 0, 0}, {1, 0, 0}});
  padded.make_ghosts(0);
  EXPECT_THAT(test::error_of([&] {
                padded.read("reader", 0, {-2, 0, 0});
              }),
              HasSubstr("reads an old ghost cell of 'u'"));
}

TEST(Reference, RunsStagesLoopsAndReductionsInTheirOrder) {
  Runtime runtime(definition());
  Grid grid(runtime, {.cells = {3, 1, 1}, .boundary = {constant(9), mirror, mirror}});
  Field<double> u(grid, "u"), next(grid, "next");
  u.copy_in({1, 2, 3});
  next.fill(0);
  Parameter<double> total("total");
  Program twice("twice");
  twice.apply(Add{1}, inout(u)).over({{1, 0, 0}, {3, 1, 1}});
  Program step("step");
  step.repeat(2, twice);  // 1 4 5
  step.apply(Neighbors{}, in(u), out(next));
  step.reduce(Itself{}, in(next), maximum, into(total));
  step.swap(u, next);
  StepClock clock;
  Engine(step).run(1, clock);
  EXPECT_THAT(u.copy_out(), ElementsAre(9 + 10 + 400, 1 + 40 + 500, 4 + 50 + 900));
  EXPECT_THAT(next.copy_out(), ElementsAre(1, 4, 5));
  EXPECT_EQ(total.value(), 954);
  EXPECT_EQ(clock.step, 1);
}

TEST(Reference, RoundsToWhatIsStored) {
  Runtime runtime(definition());
  Grid grid(runtime, {.cells = {1, 1, 1}});
  Field<half> u(grid, "u");
  Field<std::uint8_t> n(grid, "n");
  u.fill(2048);
  n.fill(250);
  Program step("step");
  step.apply(Add{1}, inout(u));
  step.apply([](auto v) { v += 10; }, inout(n));
  StepClock clock;
  Engine(step).run(1, clock);
  EXPECT_EQ(static_cast<float>(u.get({0, 0, 0})), 2048);
  EXPECT_EQ(n.get({0, 0, 0}), 4);
}

TEST(Reference, EveryRankComputesTheWholeGrid) {
  const auto sum_on = [](int ranks) {
    double sum = 0;
    test::run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
      Settings settings = definition();
      settings.communicator = communicator;
      Runtime runtime(settings);
      Grid grid(runtime, {.cells = {6, 2, 2}, .boundary = {constant(9), mirror, mirror}});
      Field<double> u(grid, "u"), next(grid, "next");
      u.fill([](Index3 p) { return static_cast<double>(p[0] - 2 * p[1]); });
      Program step("step");
      step.apply(Neighbors{}, in(u), out(next));
      step.swap(u, next);
      StepClock clock;
      Engine(step).run(3, clock);
      const double found = u.sum();
      if (communicator->rank() == 0) sum = found;
    });
    return sum;
  };
  EXPECT_EQ(sum_on(2), sum_on(1));
}

}  // namespace
}  // namespace goban::reference_test
