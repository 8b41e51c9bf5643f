// What hosts compute in packs, and devices, is what one loop makes of node after node.

#include "goban/particle/nodes/node_values.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "goban/domain/data/domain.hpp"
#include "goban/particle/body_part.hpp"
#include "tests/gpu.hpp"
#include "tests/particle/suspension.hpp"

namespace goban::node_values_test {
namespace {

constexpr Index3 cells{14, 13, 15};

/// Bodies of all orientations, some around the ends of the grid.
std::vector<device::BodyState> crowd() {
  std::vector<device::BodyState> bodies;
  for (Index n = 0; n < 12; ++n) {
    const auto x = static_cast<double>(n);
    Body body{
        .position = {std::fmod(3.7 * x, 14.0), std::fmod(5.3 * x, 13.0), std::fmod(4.1 * x, 15.0)},
        .quaternion = rotation_by({0.3 * x, 0.9 - 0.1 * x, 0.05 * x * x})};
    bodies.push_back(state_of(n, body));
  }
  bodies[0].quaternion[0] = 1;  // along the axes of the grid
  bodies[0].quaternion[1] = bodies[0].quaternion[2] = bodies[0].quaternion[3] = 0;
  return bodies;
}

std::vector<Settings> all_settings() {
  Settings settings = test::one_thread();
  settings.cuts = {"6,8", "", "7,8"};
  std::vector<Settings> all{settings};
  settings.threads = 4;
  all.push_back(settings);
  Settings emulated = settings;
  emulated.backend = Backend::emulated;
  all.push_back(emulated);
  if (test::has_gpu()) {
    settings.backend = Backend::cuda;
    settings.devices = {0};
    all.push_back(settings);
  }
  return all;
}

template <class T>
void compare(const Settings& settings, bool has_solid) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = {periodic, mirror, periodic}});
  Field<T, 3> velocity(grid, "velocity"), force(grid, "force");
  Field<std::uint8_t> solid(grid, "solid");
  velocity.fill([](Index3 i, int c) {
    return 0.1 * std::sin(static_cast<double>(i[0] + 2 * i[1] + 3 * i[2] + c));
  });
  solid.fill([](Index3 i) { return i[1] < 3 || i[2] == 7 ? 1 : 0; });
  force.set({0, 0, 0}, {});
  BodyShape shape;
  shape.semi_axes = {2.2, 1.5, 1.1};
  const std::vector kernels{shape.kernel()};
  const auto bodies = crowd();
  const auto nodes = std::make_shared<FluidNodes>(grid.state());
  NodeValues values(nodes,
                    {velocity.record(), force.record(), has_solid ? solid.record() : nullptr});
  values.parts();
  domain_of(*grid.state()).synchronize();
  values.open();
  device::BodyStep rules{};
  rules.grid = nodes->tables();
  std::vector<std::unique_ptr<BodyPart>> parts;
  std::vector<Index> sums(bodies.size() * device::body_sums, 0);
  for (const CoupledNodes& part : values.parts()) {
    parts.push_back(std::make_unique<BodyPart>(part, nodes, rules, std::vector{shape.numbers()}));
    parts.back()->put(bodies, {});
    parts.back()->bind(part, 0x1p-40);
    parts.back()->run(BodyWork::sum);
    std::vector<Index> some(sums.size());
    parts.back()->take_sums(some);
    for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += some[s];
  }
  std::vector<device::BodyPush> pushes;
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    device::BodyPush push{};
    for (int a = 0; a < 3; ++a) {
      push.force[a] = 0.1 * static_cast<double>(n) - a;
      for (int b = 0; b < 3; ++b) push.gradient[a][b] = 0.2 * a - 0.3 * b;
    }
    push.per_unit = 0x1p40;
    pushes.push_back(push);
  }
  for (const auto& part : parts) {
    part->put_pushes(pushes);
    part->run(BodyWork::push);
  }
  values.close();

  // The same over the whole grid as one patch.
  const std::vector<T> u = velocity.copy_out();
  const std::vector<std::uint8_t> is_solid = solid.copy_out();
  device::NodesOfPatch all{};
  all.count = product(cells);
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    all.cells[a] = a == 1 ? 0 : cells[axis];
    all.upper[a] = all.extents[a] = cells[axis];
    all.stride[a] = all.solid_stride[a] = a == 0 ? 1 : a == 1 ? cells[0] : cells[0] * cells[1];
    all.velocity[a] = u.data() + a * all.count;
  }
  if (has_solid) all.solid = is_solid.data();
  std::vector<device::uint64> forces(static_cast<std::size_t>(3 * all.count), 0);
  all.sums = forces.data();
  std::vector<Index> expected(sums.size(), 0);
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    const device::BodyPlace place = device::place_of(bodies[n], kernels[0]);
    device::Index at[3];
    for (at[2] = place.lower[2]; at[2] < place.upper[2]; ++at[2]) {
      for (at[1] = place.lower[1]; at[1] < place.upper[1]; ++at[1]) {
        for (at[0] = place.lower[0]; at[0] < place.upper[0]; ++at[0]) {
          device::Index local[3];
          if (!all.find(at, local)) continue;
          device::add_node_at<T>(all, place, at, local, [&](int s, double value) {
            expected[n * device::body_sums + static_cast<std::size_t>(s)] +=
                static_cast<Index>(value);
          });
          device::push_node_at(all, place, pushes[n], at, [](device::uint64* sum, Index value) {
            *sum += static_cast<device::uint64>(value);
          });
        }
      }
    }
    EXPECT_TRUE(has_solid || expected[n * device::body_sums] > 0);
  }
  EXPECT_EQ(sums, expected);
  const std::vector<T> stored = force.copy_out();
  for (std::size_t i = 0; i < forces.size(); ++i) {
    EXPECT_EQ(stored[i],
              static_cast<T>(static_cast<double>(static_cast<Index>(forces[i])) * 0x1p-40));
  }
}

TEST(NodeValues, AreSummedAndPushedAsNodeByNode) {
  for (const Settings& settings : all_settings()) {
    for (const bool has_solid : {false, true}) {
      compare<double>(settings, has_solid);
      compare<float>(settings, has_solid);
    }
  }
}

}  // namespace
}  // namespace goban::node_values_test
