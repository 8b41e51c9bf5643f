// What a body sees of a fluid and does to it, over nodes that are listed by hand.

#include "goban/backend/kernels/body_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "goban/particle/body.hpp"

namespace goban::motion_test {
namespace {

using device::FlowAround;

struct OuterForce {
  Real3 force{}, torque{};
};

FlowAround flow_around(const std::vector<Index>& sums, const device::BodyKernel& kernel,
                       const device::BodyState& body) {
  const std::vector<device::int64> all(sums.begin(), sums.end());
  return device::flow_around(all.data(), kernel, body);
}

device::BodyPush advance(device::BodyState& body, const BodyShape& shape, const FlowAround& flow,
                         const OuterForce& outer, double unit) {
  const auto vector_of = [](const Real3& v) { return device::Vector{{v[0], v[1], v[2]}}; };
  return device::advance(body, shape.numbers(), flow,
                         {vector_of(outer.force), vector_of(outer.torque)}, unit);
}

constexpr Real3 place{10.3, 9.6, 11.1};
const Quaternion turned = rotation_by({0.4, -0.7, 0.3});

BodyShape flat() {
  BodyShape shape;
  shape.semi_axes = {3, 2, 1.5};
  shape.friction = 4;
  shape.rotational_friction = 9;
  shape.density = 1.2;
  return shape;
}

device::BodyState body() { return state_of(0, {.position = place, .quaternion = turned}); }

/// Calls visit(weight, offset from the nearest node, x) for all nodes that the body sees and
/// `is_there` has.
void visit_nodes(const std::function<bool(Index3)>& is_there,
                 const std::function<void(double, const double (&)[3], const Real3&)>& visit) {
  const device::BodyPlace around = device::place_of(body(), flat().kernel());
  device::Index i[3];
  for (i[2] = around.lower[2]; i[2] < around.upper[2]; ++i[2]) {
    for (i[1] = around.lower[1]; i[1] < around.upper[1]; ++i[1]) {
      for (i[0] = around.lower[0]; i[0] < around.upper[0]; ++i[0]) {
        double n[3];
        for (int a = 0; a < 3; ++a) n[a] = static_cast<double>(i[a] - around.base[a]);
        const double w = device::weight_of(around, n);
        if (w > 0 && is_there({i[0], i[1], i[2]})) {
          visit(w, n, {i[0] + 0.5, i[1] + 0.5, i[2] + 0.5});
        }
      }
    }
  }
}

FlowAround flow_in(const std::function<bool(Index3)>& is_there,
                   const std::function<Real3(const Real3&)>& velocity) {
  std::vector<Index> sums(device::body_sums, 0);
  const double per_unit = 1 / flat().kernel().sum_unit;
  visit_nodes(is_there, [&](double w, const double(&n)[3], const Real3& x) {
    const Real3 u = velocity(x);
    device::add_node(per_unit, w, n, {u[0], u[1], u[2]}, [&](int s, double value) {
      sums[static_cast<std::size_t>(s)] += static_cast<Index>(value);
    });
  });
  return flow_around(sums, flat().kernel(), body());
}

bool everywhere(Index3) { return true; }
/// A wall cuts off what lies below.
bool above(Index3 i) { return i[1] >= 9; }

Real3 linear(const Real3& x) {
  return {0.01 + 0.002 * x[0] - 0.003 * x[1] + 0.001 * x[2], -0.02 + 0.004 * x[0] + 0.001 * x[1],
          0.03 - 0.002 * x[1] + 0.005 * x[2]};
}

TEST(Motion, SeesLinearFlowsAsTheyAre) {
  const double rounding = 10 * flat().kernel().sum_unit;
  for (const auto& is_there : {everywhere, above}) {
    const FlowAround flow = flow_in(is_there, linear);
    const Real3 u = linear(place);
    const std::array<Real3, 3> gradient = {Real3{0.002, -0.003, 0.001}, Real3{0.004, 0.001, 0},
                                           Real3{0, -0.002, 0.005}};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(flow.velocity[i], u[i], rounding);
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(flow.gradient[i][j], gradient[i][j], rounding);
    }
  }
}

TEST(Motion, WavesThatChangeSignWithEveryStepAreNothing) {
  device::BodyState state = body();
  const FlowAround still = flow_in(everywhere, linear);
  for (int step = 0; step < 4; ++step) {
    const double sign = step % 2 == 0 ? 1 : -1;
    FlowAround flow = flow_in(everywhere, [&](const Real3& x) {
      Real3 u = linear(x);
      u[1] += sign * 0.02 * x[0];
      return u;
    });
    follow(flow, state);
    if (step == 0) continue;  // it has seen no other
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(flow.velocity[i], still.velocity[i], 1e-10);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(flow.gradient[i][j], still.gradient[i][j], 1e-10);
      }
    }
  }
}

TEST(Motion, GivesTheFluidWhatItTakesFromTheBody) {
  for (const auto& is_there : {everywhere, above}) {
    const FlowAround flow = flow_in(is_there, linear);
    device::BodyState moved = body();
    const BodyShape shape = flat();
    const Real3 outer{0.01, -0.02, 0.005}, outer_torque{0.02, 0.01, -0.03};
    constexpr double unit = 0x1p-50;
    const device::BodyPush push = advance(moved, shape, flow, {outer, outer_torque}, unit);
    Real3 force{}, torque{};
    visit_nodes(is_there, [&](double w, const double(&n)[3], const Real3& x) {
      Real3 g{};
      device::push_node(push, w, n, [&](int axis, Index value) {
        g[static_cast<std::size_t>(axis)] = static_cast<double>(value) * unit;
      });
      const Real3 r{x[0] - place[0], x[1] - place[1], x[2] - place[2]};
      for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
        force[a] += g[a];
        torque[a] += r[b] * g[c] - r[c] * g[b];
      }
    });
    double axes[3][3];
    device::body_axes(body().quaternion, axes);
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(force[a] + shape.mass() * moved.velocity[a], outer[a], 1e-12);
      double gained = 0;  // angular momentum, from rest
      for (std::size_t b = 0; b < 3; ++b) {
        double spin = 0;
        for (std::size_t i = 0; i < 3; ++i) spin += axes[b][i] * moved.rotation[i];
        gained += axes[b][a] * shape.inertia()[b] * spin;
      }
      EXPECT_NEAR(torque[a] + gained, outer_torque[a], 1e-11);
    }
  }
}

TEST(Motion, WeightsOfNodesAddUpToTheVolumeOfTheKernel) {
  double sum = 0;
  visit_nodes(everywhere, [&](double w, const double(&)[3], const Real3&) { sum += w; });
  EXPECT_NEAR(sum, 2.55 * 1.7 * 1.275, 0.02);
}

TEST(Motion, StrainIsResistedByAStresslet) {
  const FlowAround flow = flow_in(everywhere, linear);
  BodyShape shape = flat();
  device::BodyState with = body(), without = body();
  const device::BodyPush plain = advance(without, shape, flow, {}, 1);
  shape.strain_friction = 3;
  const device::BodyPush stiff = advance(with, shape, flow, {}, 1);
  double power = 0;
  visit_nodes(everywhere, [&](double w, const double(&p)[3], const Real3& x) {
    const Real3 u = linear(x);
    for (std::size_t i = 0; i < 3; ++i) {
      double g = stiff.force[i] - plain.force[i];
      for (std::size_t j = 0; j < 3; ++j) {
        g += (stiff.gradient[i][j] - plain.gradient[i][j]) * p[j];
      }
      power -= w * g * u[i];
    }
  });
  const double growth = flow.gradient[0][0] + flow.gradient[1][1] + flow.gradient[2][2];
  double strain = 0;  // squared, but for what changes volumes
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double rate = (flow.gradient[i][j] + flow.gradient[j][i]) / 2;
      strain += std::pow(i == j ? rate - growth / 3 : rate, 2);
    }
  }
  EXPECT_NEAR(power, -3 * strain, 1e-12);
}

TEST(Motion, BodiesWithoutTorqueKeepTheirAngularMomentum) {
  BodyShape shape = flat();
  shape.rotational_friction = 1e-300;
  FlowAround flow = flow_in(everywhere, [](const Real3&) { return Real3{}; });
  device::BodyState spun =
      state_of(0, {.position = place, .quaternion = turned, .rotation = {0.002, 0.001, -0.0015}});
  const auto angular_momentum = [&] {
    double axes[3][3];
    device::body_axes(spun.quaternion, axes);
    Real3 sum{};
    for (std::size_t b = 0; b < 3; ++b) {
      double spin = 0;
      for (std::size_t i = 0; i < 3; ++i) spin += axes[b][i] * spun.rotation[i];
      for (std::size_t a = 0; a < 3; ++a) sum[a] += axes[b][a] * shape.inertia()[b] * spin;
    }
    return sum;
  };
  const Real3 before = angular_momentum();
  for (int step = 0; step < 500; ++step) advance(spun, shape, flow, {}, 1);
  const Real3 after = angular_momentum();
  for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(after[a], before[a], 0.01 * std::abs(before[0]));
}

}  // namespace
}  // namespace goban::motion_test
