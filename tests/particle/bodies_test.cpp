// What a user says wrongly, and crowds that stay complete.

#include "goban/particle/bodies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "goban/particle/packing.hpp"
#include "tests/error_text.hpp"
#include "tests/gpu.hpp"
#include "tests/long.hpp"
#include "tests/particle/suspension.hpp"
#include "tests/ranks.hpp"

namespace goban::bodies_test {
namespace {

using test::error_of;

BodyShape ball(double radius) { return test::sphere(radius, 1.0 / 6); }

TEST(Bodies, WhatCannotBePlacedIsRefusedInOneLine) {
  Runtime runtime(test::one_thread());
  Grid grid(runtime, {.cells = {20, 20, 20}, .boundary = periodic});
  const auto place = [&](const BodyOptions& options, const std::vector<Body>& bodies) {
    return error_of([&] { Bodies(grid, options).place(bodies); });
  };
  EXPECT_EQ(place({.shapes = {ball(2)}},
                  {{.position = {5, 5, 5}}, {.position = {15, 5, 5}}, {.position = {18.5, 5, 5}}}),
            "bodies 1 and 2 overlap (their surfaces are 0.5 nodes within each other); move them "
            "apart");
  EXPECT_EQ(place({.shapes = {ball(2)}}, {{.position = {1, 5, 5}}, {.position = {19, 5, 5}}}),
            "bodies 0 and 1 overlap (their surfaces are 2 nodes within each other); move them "
            "apart");
  EXPECT_EQ(place({.shapes = {ball(11)}}, {{.position = {5, 5, 5}}}),
            "bodies 22 nodes long are refused (the part of a rank is 20 nodes long along x); take "
            "fewer ranks or a larger grid");
  EXPECT_EQ(place({.shapes = {ball(8)}}, {{.position = {5, 5, 5}}}),
            "bodies 16 nodes long are refused (they would see themselves around the grid, 20 nodes "
            "long along x); take a larger grid or a narrower kernel");
  EXPECT_EQ(place({.shapes = {ball(2)}}, {{.position = {5, 5, 5}, .shape = 1}}),
            "body 0 is refused (there is no shape 1)");
  BodyShape narrow = ball(2);
  narrow.kernel_widths = {1, 0.3, 1};
  EXPECT_EQ(place({.shapes = {narrow}}, {}),
            "a shape of bodies is refused (its kernel is 0.3 nodes wide, between which it would "
            "not be seen); take 0.5 or more");
  EXPECT_EQ(error_of([&] { in_fluid(narrow, 1.0 / 6); }),
            "a kernel 0.669 wide is refused (no friction makes it a sphere of radius 2); take one "
            "wider than 1.51");
  Grid open(runtime, {.cells = {20, 20, 20}, .boundary = mirror});
  EXPECT_EQ(error_of([&] {
              Bodies(open, {.shapes = {ball(2)}}).place({{.position = {5, 21, 5}}});
            }),
            "body 0 is refused ((5, 21, 5) lies outside of the grid)");
}

TEST(Bodies, ThatAreLargerThanThePartOfARankAreRefused) {
  test::run_ranks(4, [](const std::shared_ptr<Communicator>& ranks) {
    Settings settings = test::one_thread();
    settings.communicator = ranks;
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {12, 12, 40}, .boundary = mirror});
    Bodies bodies(grid, {.shapes = {ball(6)}});
    EXPECT_EQ(
        error_of([&] {
          bodies.place({{.position = {5, 5, 5}}});
        }),
        "bodies 12 nodes long are refused (the part of a rank is 10 nodes long along z); take "
        "fewer ranks or a larger grid");
  });
}

TEST(Bodies, ThatOverlapAcrossRanksAreRefusedByAll) {
  test::run_ranks(2, [](const std::shared_ptr<Communicator>& ranks) {
    Settings settings = test::one_thread();
    settings.communicator = ranks;
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {16, 16, 32}, .boundary = periodic});
    Bodies bodies(grid, {.shapes = {ball(2)}});
    EXPECT_EQ(error_of([&] {
                bodies.place({{.position = {5, 5, 15}}, {.position = {5, 5, 18}}});
              }),
              "bodies 0 and 1 overlap (their surfaces are 1 nodes within each other); move them "
              "apart");
  });
}

/// A wall that nothing keeps bodies from; the error is the same on all ranks.
TEST(Bodies, ThatLeaveTheFluidAreNamed) {
  test::run_ranks(2, [](const std::shared_ptr<Communicator>& ranks) {
    Settings settings = test::one_thread();
    settings.communicator = ranks;
    Runtime runtime(settings);
    BodyShape heavy = ball(1.5);
    heavy.density = 3;
    heavy.friction = 5;
    test::Suspension s(runtime, {.cells = {12, 12, 24}, .has_walls = true},
                       {.shapes = {heavy}, .gravity = {0, -0.001, 0}});
    s.bodies.place({{.position = {5, 8, 8}}, {.position = {5, 2.5, 15}}});
    EXPECT_EQ(error_of([&] { s.run(1000); }),
              "body 1 has left the fluid (the node nearest to it is solid); let walls push it back "
              "(wall_strength)");
  });
}

/// Two that drive at each other, faster than they repel each other; whoever computes them.
TEST(Bodies, ThatMeetAreNamed) {
  std::vector<Settings> all{test::one_thread(), test::one_thread()};
  all[1].backend = Backend::emulated;
  if (test::has_gpu()) {
    all.push_back(test::one_thread());
    all.back().backend = Backend::cuda;
    all.back().devices = {0};
  }
  std::vector<std::string> errors;
  for (const Settings& settings : all) {
    Runtime runtime(settings);
    BodyShape heavy = ball(1.5);
    heavy.density = 1000;
    test::Suspension s(runtime, {.cells = {20, 20, 20}},
                       {.shapes = {heavy}, .repulsion = {.strength = 1e-9, .width = 0.5}});
    s.bodies.place({{.position = {5, 5, 15}},
                    {.position = {8, 8, 8}, .velocity = {0.3, 0, 0}},
                    {.position = {13, 8, 8}, .velocity = {-0.3, 0, 0}}});
    errors.push_back(error_of([&] { s.run(20); }));
    EXPECT_EQ(errors.back(), errors.front());
    EXPECT_EQ(s.bodies.all().size(), 3u);
  }
  EXPECT_THAT(errors.front(), ::testing::MatchesRegex(
                                  "bodies 1 and 2 have met .their surfaces are 0.[0-9]+ nodes "
                                  "within each other.; make the repulsion stronger or wider, or "
                                  "the flow slower"));
}

TEST(Bodies, AreHeldByWalls) {
  Runtime runtime(test::one_thread());
  BodyShape heavy = ball(1.5);
  heavy.density = 2;
  test::Suspension s(runtime, {.cells = {12, 12, 12}, .has_walls = true},
                     {.shapes = {heavy}, .gravity = {0, -5e-3, 0}, .wall_strength = 2});
  s.bodies.place({{.position = {5, 6, 8}}});
  s.run(2500);
  const Body body = s.bodies.all()[0];
  EXPECT_GT(body.position[1], 1.2);
  EXPECT_LT(body.position[1], 4);
  EXPECT_NEAR(body.velocity[1], 0, 1e-4);
}

/// Bodies that are stirred between 8 ranks; every step counts them.
TEST(Bodies, AreNeverLost) {
  const int steps = test::is_long() ? 100000 : 200;
  const auto stirred = [steps](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {20, 20, 20}, .boundary = periodic});
    Field<double, 3> velocity(grid, "velocity"), force(grid, "force");
    velocity.fill([](Index3 i, int c) {
      const auto b = static_cast<std::size_t>((c + 1) % 3);
      return 0.1 * std::sin(0.314159265 * (static_cast<double>(i[b]) + 0.5)) + 0.07;
    });
    Bodies bodies(grid, {.shapes = {ball(2)}, .repulsion = {.strength = 0.01, .width = 2}});
    bodies.place(packed(grid, ball(2), {.hematocrit = 0.2}));
    Program step("stir");
    bodies.couple(step, velocity, force);
    Engine engine(step);
    StepClock clock;
    engine.run(steps, clock);
    return bodies.all();
  };
  const std::vector<Body> alone = stirred(test::one_thread());
  ASSERT_GT(alone.size(), 40);
  test::run_ranks(8, [&](const std::shared_ptr<Communicator>& ranks) {
    Settings settings = test::one_thread();
    settings.communicator = ranks;
    const auto bodies = stirred(settings);
    ASSERT_EQ(bodies.size(), alone.size());
    for (std::size_t n = 0; n < alone.size(); ++n) {
      EXPECT_EQ(bodies[n].position, alone[n].position) << n;
    }
  });
}

TEST(Bodies, HematocritIsThatOfRegions) {
  Runtime runtime(test::one_thread());
  Grid grid(runtime, {.cells = {20, 20, 20}, .boundary = periodic});
  Bodies bodies(grid, {.shapes = {ball(4)}});
  bodies.place({{.position = {0, 10, 10}}});  // half of it at the other end
  const double volume = ball(4).volume();
  EXPECT_NEAR(bodies.hematocrit() * 8000, volume, 0.05 * volume);
  EXPECT_NEAR(bodies.hematocrit({{0, 0, 0}, {10, 20, 20}}) * 4000, volume / 2, 0.05 * volume);
  EXPECT_EQ(bodies.hematocrit({{5, 0, 0}, {15, 20, 20}}), 0);
}

TEST(Bodies, InAPlaneAreEllipses) {
  Runtime runtime(test::one_thread());
  Grid grid(runtime,
            {.cells = {16, 16, 16}, .spacing = 0.5, .origin = {1, 2, 3}, .boundary = periodic});
  BodyShape shape;
  shape.semi_axes = {3, 2, 1};
  Bodies bodies(grid, {.shapes = {shape}});
  bodies.place({{.position = {8, 8, 8}}, {.position = {1, 3, 3}}});
  const auto whole = bodies.outlines(Axis::z, 3 + 0.5 * 8);
  ASSERT_EQ(whole.size(), 1u);
  for (const Point& p : whole[0]) {
    EXPECT_NEAR(std::hypot((p.x - 5) / 1.5, (p.y - 6) / 1.0), 1, 1e-12);
  }
  // Beside the middle, at both ends of the grid.
  const auto parts = bodies.outlines(Axis::z, 3 + 0.5 * 3.6);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_NEAR(parts[1][0].x - parts[0][0].x, 8, 1e-12);
  for (const Point& p : parts[0]) {
    EXPECT_NEAR(std::hypot((p.x - 1.5) / 1.5, (p.y - 3.5) / 1.0), 0.8, 1e-12);
  }
  EXPECT_TRUE(bodies.outlines(Axis::z, 3 + 0.5 * 12).empty());
}

TEST(Bodies, TransportTheirVolume) {
  Runtime runtime(test::one_thread());
  Grid grid(runtime, {.cells = {16, 16, 16}, .boundary = periodic});
  Bodies bodies(grid, {.shapes = {ball(1.5)}});
  bodies.place({{.position = {4, 4, 4}, .velocity = {0.1, 0.2, 0}},
                {.position = {12, 12, 12}, .velocity = {0.3, 0, 0}}});
  const double volume = ball(1.5).volume();
  EXPECT_NEAR(bodies.transport({{0, 0, 0}, {16, 16, 16}})[0], 0.4 * volume, 1e-15);
  EXPECT_NEAR(bodies.transport({{0, 0, 0}, {8, 16, 16}})[1], 0.2 * volume, 1e-15);
}

}  // namespace
}  // namespace goban::bodies_test
