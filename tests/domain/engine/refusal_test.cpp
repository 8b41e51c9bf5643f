// Wrong programs are refused with one line that says what, why and what to do.

#include <gmock/gmock.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"

namespace goban::refusal_test {
namespace {

using test::error_of;

struct Average {
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = 0.5f * (u(1, 0, 0) + u(-1, 0, 0)); }
};
struct Grow {
  GOBAN_FUNCTION void operator()(auto v) const { v += 1.0f; }
};
struct Clear {
  GOBAN_FUNCTION void operator()(auto m) const { m = 0; }
};
struct Up {
  GOBAN_FUNCTION void operator()(auto a, auto b) const { b = a(0, 0, 1); }
};
struct Far {
  GOBAN_FUNCTION void operator()(auto a, auto b) const { b = a(0, -3, 0); }
};
struct Where {
  GOBAN_FUNCTION auto operator()(auto site) const { return site.position(Axis::x); }
};

class RefusalTest : public testing::Test {
 protected:
  static Settings settings() {
    Settings s = test::plain_schedule();
    s.backend = Backend::cpu;
    return s;
  }
  std::string refusal(const Program& program) {
    return error_of([&] { Engine(program).prepare(); });
  }

  Runtime runtime_{settings()};
  Grid grid_{runtime_, {.cells = {8, 8, 8}, .boundary = {mirror, periodic, periodic}}};
  Field<float> u_{grid_, "u"}, v_{grid_, "v"};
  Program program_{"program"};
};

TEST_F(RefusalTest, AStageThatReadsTheFieldItWrites) {
  program_.apply(Average{}, in(u_), out(u_));
  EXPECT_EQ(refusal(program_),
            "stage 'Average' uses field 'u' twice (it is both written and passed again); use inout "
            "once, or a second field and swap");
}

TEST_F(RefusalTest, AStageThatReadsTheFieldItWritesInALoop) {
  Program body("body");
  body.apply(Average{}, in(u_), out(u_));
  body.call([] {}, std::tie(u_), std::tie());
  program_.repeat(2, body);
  EXPECT_NE(error_of([&] { Engine engine(program_); }), "");
}

TEST_F(RefusalTest, PeriodicFieldsOnWalledGrids) {
  u_.boundary(periodic);
  program_.apply(Average{}, in(u_), out(v_));
  EXPECT_EQ(
      refusal(program_),
      "boundary of field 'u' is refused (along x the grid is not periodic); periodic belongs to "
      "the grid, all other conditions to its fields");
}

TEST_F(RefusalTest, WallsOfFieldsOnPeriodicGrids) {
  v_.boundary(Axis::y, Side::high, mirror);
  program_.apply(Average{}, in(u_), out(v_));
  EXPECT_EQ(
      refusal(program_),
      "boundary of field 'v' is refused (along y the grid is periodic); periodic belongs to the "
      "grid, all other conditions to its fields");
}

TEST_F(RefusalTest, SwapsOfFieldsWithDifferentBoundaries) {
  u_.boundary(Axis::x, Side::low, constant(1));
  program_.apply(Average{}, in(u_), out(v_));
  program_.swap(u_, v_);
  EXPECT_EQ(refusal(program_),
            "swap of 'u' and 'v' is refused (their boundary conditions differ: low side of x); set "
            "the same conditions on both");
}

TEST_F(RefusalTest, SwapsOfFieldsWithRulesThatCannotBeCompared) {
  for (auto* field : {&u_, &v_}) {
    const std::vector<double> weights{1, 2};
    field->boundary(Axis::x, Side::high,
                    custom([weights](const GhostCell& g) { return weights[0] * g.inside(1); }));
  }
  program_.apply(Average{}, in(u_), out(v_));
  program_.swap(u_, v_);
  EXPECT_EQ(refusal(program_),
            "swap of 'u' and 'v' is refused (whether their rules are the same cannot be told: high "
            "side of x); make the rule once, rule = custom(...), and give it to both");
}

TEST_F(RefusalTest, SwapsOfVectorsWithDifferentBoundariesOfAComponent) {
  Field<float, 3> a(grid_, "a"), b(grid_, "b");
  a.boundary(Axis::x, Side::low, wall_value(0), 2);
  program_.swap(a, b);
  EXPECT_EQ(refusal(program_),
            "swap of 'a' and 'b' is refused (their boundary conditions differ: low side of x, "
            "component 2); set the same conditions on both");
}

TEST_F(RefusalTest, ConditionsOfComponentsThatAreNotThere) {
  Field<float, 3> a(grid_, "a");
  EXPECT_EQ(error_of([&] { a.boundary(mirror, 3); }),
            "component 3 is refused (field 'a' has 3, counted from 0)");
}

TEST_F(RefusalTest, SwapsOfFieldsWithDifferentLocations) {
  Field<float> face(grid_, "face", {Location::face_x});
  program_.swap(u_, face);
  EXPECT_EQ(refusal(program_),
            "swap of 'u' and 'face' is refused (their values have different locations)");
}

TEST_F(RefusalTest, SwapsAcrossGrids) {
  Grid other(runtime_, {.cells = {8, 8, 8}, .boundary = {mirror, periodic, periodic}});
  Field<float> w(other, "w");
  program_.swap(u_, w);
  EXPECT_EQ(refusal(program_), "swap of 'u' and 'w' is refused (they live on two grids)");
}

TEST_F(RefusalTest, StagesThatMixGrids) {
  Grid other(runtime_, {.cells = {8, 8, 8}});
  Field<float> w(other, "w");
  program_.apply(Average{}, in(u_), out(w));
  EXPECT_EQ(
      refusal(program_),
      "stage 'Average' mixes grids ('u' lives on one, what the stage works on is another); one "
      "stage works on one grid, or on one and another that is coarsened from it");
}

TEST_F(RefusalTest, MasksOfAnotherGridOrLayout) {
  Grid other(runtime_, {.cells = {8, 8, 8}});
  Field<std::uint8_t> far(other, "far");
  Program first("first");
  first.apply(Grow{}, inout(u_)).where(far);
  EXPECT_EQ(refusal(first), "mask of stage 'Grow' is refused ('far' lives on another grid)");
  Field<std::uint8_t, 1, kij> turned(grid_, "turned");
  Program second("second");
  second.apply(Grow{}, inout(u_)).where(turned);
  EXPECT_EQ(
      refusal(second),
      "mask of stage 'Grow' is refused ('turned' has another memory layout than 'u'); declare "
      "both with the same layout");
}

TEST_F(RefusalTest, AStageThatWritesItsMask) {
  Field<std::uint8_t> mask(grid_, "mask");
  program_.apply(Clear{}, out(mask)).where(mask);
  EXPECT_EQ(refusal(program_), "stage 'Clear' writes its own mask; use another field");
}

TEST_F(RefusalTest, ASweepWithoutFields) {
  Parameter<double> most("most");
  program_.reduce(Where{}, site, maximum, into(most));
  EXPECT_EQ(refusal(program_),
            "stage 'Where' has no fields (a field tells which cells it runs over); pass one");
}

TEST_F(RefusalTest, ProgramsWithoutSweepsHaveNoSchedule) {
  Engine engine(program_);
  EXPECT_EQ(error_of([&] { engine.schedule(); }), "program 'program' has no sweeps");
  StepClock clock;
  engine.run(3, clock);  // which is no reason not to run them
  EXPECT_EQ(clock.step, 3);
}

TEST(Refusal, MoreStepsPerExchangeThanThePatchesAllow) {
  Settings settings;
  settings.threads = 1;
  settings.cuts = {"", "", "3,5"};
  settings.steps_per_exchange = 4;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {8, 8, 8}});
  Field<float> u(grid, "u"), v(grid, "v");
  Program program("program");
  program.apply(Up{}, in(u), out(v));
  program.swap(u, v);
  EXPECT_EQ(
      error_of([&] { Engine(program).prepare(); }),
      "halo of field 'u' does not fit (it is 4 cells wide, the smallest patch has 3 along z); "
      "use fewer patches or fewer steps per exchange");
}

TEST(Refusal, ReachesLongerThanTheGrid) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {8, 2, 8}, .boundary = mirror});
  Field<float> u(grid, "u"), v(grid, "v");
  Program program("program");
  program.apply(Far{}, in(u), out(v));
  EXPECT_EQ(
      error_of([&] { Engine(program).prepare(); }),
      "boundary of field 'u' does not fit (it needs 3 cells, the patch has 2 along y); take 3 "
      "cells or more along y, or a stencil that reaches less far");
  Grid flat(runtime, {.cells = {8, 1, 8}});
  Field<float> s(flat, "s"), t(flat, "t");
  Program on_flat("program");
  on_flat.apply(Far{}, in(s), out(t));
  EXPECT_EQ(
      error_of([&] { Engine(on_flat).prepare(); }),
      "halo of field 's' does not fit (it is 3 cells wide, the smallest patch has 1 along y); "
      "take 3 cells or more along y, or a stencil that reaches less far");
}

TEST(Refusal, FieldsNeedNamesOfTheirOwn) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {4, 4, 4}});
  Field<float> u(grid, "u");
  EXPECT_EQ(error_of([&] { Field<double> again(grid, "u"); }),
            "field 'u' is declared twice (names identify fields in output and checkpoints); choose "
            "another name");
  EXPECT_EQ(error_of([&] { Field<double> nameless(grid, ""); }),
            "a field has no name (names identify fields in output and reports)");
}

TEST(Refusal, LoopsNeedSensibleCounts) {
  Program program("program"), body("body");
  Parameter<double> p("p");
  EXPECT_EQ(error_of([&] { program.repeat(-1, body); }),
            "repeat(-1) is refused (a count cannot be negative)");
  EXPECT_EQ(error_of([&] { program.until(p < 1, 0, 5, body, body); }),
            "until in program 'program' is refused (check_every and limit must be positive)");
}

TEST(Refusal, FieldsLargerThanMemoryNameTheGridThatFits) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {1 << 14, 1 << 14, 1 << 14}});
  Field<double> u(grid, "u"), v(grid, "v");
  try {
    u.set({0, 0, 0}, 1.0);
    FAIL() << "32 TiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::resources);
    EXPECT_THAT(error.what(),
                testing::ContainsRegex("the fields do not fit into memory .64[.0-9]* TiB needed"));
    EXPECT_THAT(error.what(),
                testing::ContainsRegex("of this shape [0-9]+ x [0-9]+ x [0-9]+ fits"));
  }
}

}  // namespace
}  // namespace goban::refusal_test
