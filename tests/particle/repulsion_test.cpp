#include "goban/particle/repulsion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "goban/particle/cell_list.hpp"

namespace goban::repulsion_test {
namespace {

BodyShape ellipsoid(double a, double b, double c) {
  BodyShape shape;
  shape.semi_axes = {a, b, c};
  return shape;
}

const BodyShape first = ellipsoid(3, 2, 1), second = ellipsoid(2.5, 2.5, 1.2);
const Repulsion repulsion{.strength = 0.01, .width = 2};

device::BodyState at(Index id, const Real3& position, const Real3& turn) {
  return state_of(id, {.position = position, .quaternion = rotation_by(turn)});
}

double energy(const device::BodyState& a, const device::BodyState& b) {
  const double h = contact(a, first, b, second, between(a, b, {})).gap;
  if (h >= repulsion.range()) return 0;
  const double s = repulsion.width / (h + repulsion.width);
  return 4 * repulsion.strength * (std::pow(s, 12) - std::pow(s, 6)) + repulsion.strength;
}

const device::BodyState a = at(0, {10, 10, 10}, {0.3, 0.5, -0.2});
const device::BodyState b = at(1, {12.2, 11.9, 11.35}, {-0.4, 0.1, 0.9});
constexpr FixedUnits units{0x1p-45, 0x1p-45};

device::PairForce pair_force(const device::BodyState& one, const BodyShape& shape,
                             const device::BodyState& other, const BodyShape& shape_of_other,
                             const Real3& period) {
  const double periods[3] = {period[0], period[1], period[2]};
  return device::pair_force(numbers_of(repulsion, units), one, shape.numbers().semi_axes, other,
                            shape_of_other.numbers().semi_axes, periods);
}

TEST(Repulsion, ForcesAndTorquesAreSlopesOfTheEnergy) {
  const device::PairForce pair = pair_force(a, first, b, second, {});
  ASSERT_TRUE(pair.acts);
  constexpr double d = 1e-5;
  for (std::size_t i = 0; i < 3; ++i) {
    device::BodyState low = b, high = b;
    low.position[i] -= d;
    high.position[i] += d;
    EXPECT_NEAR(static_cast<double>(pair.force_on_b[i]) * units.force,
                -(energy(a, high) - energy(a, low)) / (2 * d), 1e-7);
    Real3 turn{};
    turn[i] = d;
    const auto turned = [&](const device::BodyState& body, double sign) {
      Body copy = body_of(body);
      copy.quaternion =
          product(rotation_by({sign * turn[0], sign * turn[1], sign * turn[2]}), copy.quaternion);
      return state_of(body.id, copy);
    };
    EXPECT_NEAR(static_cast<double>(pair.torque_on_b[i]) * units.torque,
                -(energy(a, turned(b, 1)) - energy(a, turned(b, -1))) / (2 * d), 1e-7);
    EXPECT_NEAR(static_cast<double>(pair.torque_on_a[i]) * units.torque,
                -(energy(turned(a, 1), b) - energy(turned(a, -1), b)) / (2 * d), 1e-7);
  }
}

TEST(Repulsion, SpheresAreAsFarApartAsTheirSurfaces) {
  const BodyShape sphere = ellipsoid(2, 2, 2);
  const auto c = at(0, {5, 5, 5}, {}), d = at(1, {5, 9.5, 5}, {1, 2, 3});
  EXPECT_NEAR(contact(c, sphere, d, sphere, between(c, d, {})).gap, 0.5, 1e-12);
  EXPECT_FALSE(pair_force(c, sphere, d, sphere, {}).acts);
}

TEST(Repulsion, ActsAroundPeriodicAxes) {
  device::BodyState far = b;
  far.position[0] -= 40;
  const device::PairForce near = pair_force(a, first, b, second, {});
  const device::PairForce around = pair_force(a, first, far, second, {40, 0, 0});
  ASSERT_TRUE(near.acts && around.acts);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(static_cast<double>(near.force_on_b[i]), static_cast<double>(around.force_on_b[i]),
                1e-9 / units.force);
  }
}

TEST(Repulsion, OfBodiesWithinEachOtherIsNotKnown) {
  const auto c = at(4, {5, 5, 5}, {}), d = at(7, {5.5, 5, 5}, {});
  const device::PairForce pair = pair_force(c, first, d, second, {});
  EXPECT_TRUE(pair.is_lost);
  EXPECT_FALSE(pair.acts);
  EXPECT_NEAR(pair.gap, -5.02, 0.01);
}

TEST(CellList, FindsEveryPairThatIsNearOnce) {
  const Real3 extents{20, 12, 9};
  std::vector<device::BodyState> bodies;
  for (Index n = 0; n < 60; ++n) {
    const auto part = [&](double k) { return std::fmod(static_cast<double>(n) * k, 1.0); };
    bodies.push_back(at(n, {20 * part(0.618), 12 * part(0.755), 9 * part(0.569)}, {}));
  }
  for (const Real3& period : {Real3{20, 12, 9}, Real3{20, 0, 0}, Real3{}}) {
    for (const double distance : {2.0, 3.1, 4.4}) {
      std::vector<std::pair<std::size_t, std::size_t>> found, near;
      CellList(bodies, distance, extents, period).visit_pairs([&](std::size_t i, std::size_t j) {
        const Real3 r = between(bodies[i], bodies[j], period);
        if (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] < distance * distance) found.emplace_back(i, j);
      });
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (std::size_t j = i + 1; j < bodies.size(); ++j) {
          const Real3 r = between(bodies[i], bodies[j], period);
          if (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] < distance * distance)
            near.emplace_back(i, j);
        }
      }
      std::sort(found.begin(), found.end());
      EXPECT_GT(near.size(), 5);
      EXPECT_EQ(found, near);
    }
  }
}

}  // namespace
}  // namespace goban::repulsion_test
