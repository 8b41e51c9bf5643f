// Bodies between ranks of every kind: the bits of one rank, and none lost.

#include "goban/particle/bodies.hpp"

#include <cmath>

#include "goban/domain/engine/engine.hpp"
#include "goban/particle/packing.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/ranks/any_ranks.hpp"

namespace goban::bodies_test {
namespace {

using test::AnyRanks;

BodyShape red_cell() {
  BodyShape shape;
  shape.semi_axes = {2, 2, 1.2};
  shape.density = 1.3;
  return in_fluid(shape, 1.0 / 12);
}

/// Bodies that a given flow stirs, and the forces that it would get from them.
std::pair<std::vector<Body>, std::vector<double>> stirred(
    const std::shared_ptr<Communicator>& ranks) {
  Settings settings;
  settings.threads = 1;
  settings.communicator = ranks;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {16, 18, 40}, .boundary = periodic});
  Field<double, 3> velocity(grid, "velocity"), force(grid, "force");
  velocity.fill([](Index3 i, int c) {
    const auto b = static_cast<std::size_t>((c + 1) % 3);
    return 0.1 * std::sin(0.35 * (static_cast<double>(i[b]) + 0.5)) + 0.11;
  });
  Bodies bodies(grid, {.shapes = {red_cell()}, .repulsion = {.strength = 0.01, .width = 2}});
  bodies.place(packed(grid, red_cell(), {.hematocrit = 0.2}));
  Program step("stir");
  bodies.couple(step, velocity, force);
  Engine engine(step);
  StepClock clock;
  engine.run(60, clock);
  return {bodies.all(), force.copy_out()};
}

using Stirring = AnyRanks;
TEST_P(Stirring, GivesBodiesTheBitsOfOneRank) {
  const auto [bodies, forces] = stirred(self_communicator());
  ASSERT_GT(bodies.size(), 100);
  run([&](const std::shared_ptr<Communicator>& ranks) {
    const auto [others, same_forces] = stirred(ranks);
    ASSERT_EQ(others.size(), bodies.size());
    for (std::size_t n = 0; n < bodies.size(); ++n) {
      EXPECT_EQ(others[n].position, bodies[n].position) << n;
      EXPECT_EQ(others[n].quaternion, bodies[n].quaternion) << n;
    }
    EXPECT_EQ(same_forces, forces);
  });
}
INSTANTIATE_TEST_SUITE_P(On, Stirring, testing::ValuesIn(test::rank_counts()));

}  // namespace
}  // namespace goban::bodies_test
