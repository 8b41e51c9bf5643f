// Steps of bodies in the memory of devices have the bits of those that hosts compute.

#include "goban/particle/body_part.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "goban/domain/data/domain.hpp"
#include "goban/particle/repulsion.hpp"
#include "tests/gpu.hpp"
#include "tests/particle/suspension.hpp"

namespace goban::body_part_test {
namespace {

using States = std::vector<device::BodyState>;

constexpr Index3 cells{31, 26, 37};

bool is_active(Index3 i) {
  const double y = static_cast<double>(i[1]) - 12.5, z = static_cast<double>(i[2]) - 18.2;
  return y * y + z * z < 144 || i[0] % 7 == 3;
}

/// Numbers from 0 to 1 that have no order.
double part_of(Index n, double k) { return std::fmod(0.11 + static_cast<double>(n) * k, 1.0); }

/// Some of them near each other, at the ends of the grid, in walls and fast.
States crowd(Index count) {
  States bodies;
  for (Index n = 0; n < count; ++n) {
    const auto number = static_cast<double>(n);
    Body body{.position = {31 * part_of(n, 0.618), 26 * part_of(n, 0.755), 37 * part_of(n, 0.569)},
              .quaternion = rotation_by({0.3 * number, 1 - 0.1 * number, 0.05 * number}),
              .velocity = {0.2 * part_of(n, 0.31) - 0.1, 0.1 * part_of(n, 0.83), -0.05},
              .rotation = {0.01, 0.2 * part_of(n, 0.41), -0.1},
              .shape = static_cast<int>(n % 2)};
    bodies.push_back(state_of(3 * n + n % 2, body));
  }
  for (std::size_t n = 5; n < bodies.size(); n += 10) bodies[n].velocity[1] = 40;  // too fast
  return bodies;
}

std::vector<BodyShape> shapes() {
  BodyShape flat;
  flat.semi_axes = {2.4, 2.2, 0.9};
  flat.density = 1.1;
  flat.friction = 3;
  flat.rotational_friction = 8;
  flat.strain_friction = 2;
  BodyShape small = flat;
  small.semi_axes = {1.3, 1.2, 1.1};
  return {flat, small};
}

struct Outcome {
  std::vector<Index> sums;
  States moved;
  std::vector<device::BodyPush> pushes;
  std::vector<device::BodyFault> faults;
  std::vector<double> force;
  bool has_failed = false;
};

device::BodyStep rules_for(const FluidNodes& nodes, double width) {
  device::BodyStep rules{};
  const Repulsion repulsion{.strength = 1e-3, .width = width};
  rules.grid = nodes.tables();
  rules.repulsion = numbers_of(repulsion, units_for(shapes()));
  rules.gravity[1] = 1e-3;
  rules.wall_strength = 0.3;
  rules.sees_missing = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    rules.near.count[a] = static_cast<Index>(nodes.extents()[a] / repulsion.cutoff(shapes()));
  }
  return rules;
}

/// Two steps of bodies in a fluid that stands still.
Outcome outcome_of(const Settings& settings, bool is_list, double width) {
  Runtime runtime(settings);
  GridOptions options{.cells = cells, .boundary = {periodic, mirror, periodic}};
  if (is_list) options.active = is_active;
  Grid grid(runtime, options);
  Field<double, 3> velocity(grid, "velocity"), force(grid, "force");
  velocity.fill([](Index3 i, int c) {
    return 0.05 * std::sin(0.3 * static_cast<double>(i[0] + 2 * i[1] - i[2] + c));
  });
  force.fill([](Index3, int) { return 0.0; });
  const auto nodes = std::make_shared<FluidNodes>(grid.state());
  NodeValues values(nodes, {velocity.record(), force.record(), nullptr});
  const CoupledNodes& there = values.parts().front();
  domain_of(*grid.state()).synchronize();
  values.open();
  std::vector<device::BodyNumbers> numbers;
  for (const BodyShape& shape : shapes()) numbers.push_back(shape.numbers());
  BodyPart part(there, nodes, rules_for(*nodes, width), numbers);
  const States bodies = crowd(150);
  const States own(bodies.begin(), bodies.begin() + 130),
      others(bodies.begin() + 130, bodies.end());
  part.put(own, others);
  part.bind(there, 0x1p-40);
  Outcome outcome;
  outcome.sums.resize(bodies.size() * device::body_sums);
  outcome.moved.resize(own.size());
  outcome.faults.resize(own.size());
  outcome.pushes.resize(own.size());
  for (int step = 0; step < 2; ++step) {
    for (const BodyWork work : {BodyWork::repel, BodyWork::sum, BodyWork::move}) part.run(work);
    outcome.has_failed = part.has_failed();
    part.take_sums(outcome.sums);
    part.take_moved(outcome.moved);
    part.take_faults(outcome.faults);
    part.take_pushes(outcome.pushes);
    std::vector<device::BodyPush> all = outcome.pushes;
    all.resize(bodies.size());
    part.put_pushes(all);
    part.run(BodyWork::push);
  }
  values.close();
  outcome.force = force.copy_out();
  return outcome;
}

template <class T>
void expect_same_bytes(const std::vector<T>& a, const std::vector<T>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t n = 0; n < a.size(); ++n) {
    EXPECT_EQ(std::memcmp(&a[n], &b[n], sizeof(T)), 0) << what << " of body " << n;
  }
}

int count_of(const std::vector<device::BodyFault>& faults, device::BodyTrouble trouble) {
  return static_cast<int>(std::count_if(faults.begin(), faults.end(),
                                        [&](const auto& f) { return f.trouble == trouble; }));
}

std::vector<Settings> other_settings() {
  Settings threads;
  threads.threads = 4;
  Settings emulated = test::one_thread();
  emulated.backend = Backend::emulated;
  std::vector<Settings> all{threads, emulated};
  if (test::has_gpu()) {
    Settings gpu = test::one_thread();
    gpu.backend = Backend::cuda;
    gpu.devices = {0};
    all.push_back(gpu);
  }
  return all;
}

TEST(BodyPart, HasTheSameBitsOnAllExecutors) {
  for (const bool is_list : {false, true}) {
    for (const double width : {0.5, 20.0}) {
      const Outcome plain = outcome_of(test::one_thread(), is_list, width);
      EXPECT_TRUE(plain.has_failed);
      EXPECT_GT(count_of(plain.faults, device::BodyTrouble::too_fast), 0);
      EXPECT_EQ(count_of(plain.faults, device::BodyTrouble::left_fluid) > 0, is_list);
      EXPECT_GT(count_of(plain.faults, device::BodyTrouble::met), width < 1 ? 5 : -1);
      EXPECT_GT(count_of(plain.faults, device::BodyTrouble::none), 20);
      for (const Settings& settings : other_settings()) {
        const Outcome other = outcome_of(settings, is_list, width);
        EXPECT_EQ(other.sums, plain.sums);
        EXPECT_EQ(other.force, plain.force);
        EXPECT_EQ(other.has_failed, plain.has_failed);
        expect_same_bytes(other.moved, plain.moved, "state");
        expect_same_bytes(other.pushes, plain.pushes, "push");
        for (std::size_t n = 0; n < plain.faults.size(); ++n) {
          EXPECT_EQ(other.faults[n].trouble, plain.faults[n].trouble) << n;
          EXPECT_EQ(other.faults[n].other, plain.faults[n].other) << n;
          for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(other.faults[n].numbers[i], plain.faults[n].numbers[i]) << n;
          }
        }
      }
    }
  }
}

/// As many as there are, once each, around periodic ends, too; few cells along some axes.
TEST(BodyPart, BodiesNearEachOtherAreFoundOnce) {
  const States bodies = crowd(80);
  for (const Index across : {1, 2, 3, 6}) {
    device::BodyStep step{};
    std::vector<device::int32> first(128, -1);
    std::vector<device::BodyLink> links(bodies.size());
    for (std::size_t a = 0; a < 3; ++a) {
      step.grid.extents[a] = static_cast<double>(cells[a]);
      step.grid.period[a] = a == 1 ? 0 : step.grid.extents[a];
      step.near.count[a] = a == 0 ? 3 : across;
    }
    step.near.mask = first.size() - 1;
    step.near.first = first.data();
    step.links = links.data();
    States copies = bodies;
    step.bodies = copies.data();
    for (std::size_t n = 0; n < bodies.size(); ++n) {
      device::link_body(step, static_cast<Index>(n));
    }
    for (std::size_t n = 0; n < bodies.size(); ++n) {
      std::vector<int> met(bodies.size());
      device::visit_near(step, static_cast<Index>(n),
                         [&](Index m) { ++met[static_cast<std::size_t>(m)]; });
      for (std::size_t m = 0; m < bodies.size(); ++m) {
        const device::Vector r = device::from_to(bodies[n], bodies[m], step.grid.period);
        bool is_near = true;
        for (int a = 0; a < 3; ++a) {
          const double side = step.grid.extents[a] / static_cast<double>(step.near.count[a]);
          is_near = is_near && std::abs(r[a]) < side;
        }
        EXPECT_LE(met[m], m == n ? 0 : 1);
        if (is_near && m != n) {
          EXPECT_EQ(met[m], 1) << n << ", " << m;
        }
      }
    }
  }
}

}  // namespace
}  // namespace goban::body_part_test
