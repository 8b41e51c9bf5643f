#include "goban/particle/motion.hpp"

#include <algorithm>
#include <cmath>

namespace goban {
namespace {

using Matrix = std::array<Real3, 3>;

Real3 times(const Matrix& m, const Real3& v) {
  Real3 r{};
  for (std::size_t i = 0; i < 3; ++i) r[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return r;
}

/// Into the frame whose axes these are.
Real3 into(const double (&axes)[3][3], const Real3& v) {
  Real3 r{};
  for (std::size_t a = 0; a < 3; ++a)
    r[a] = axes[a][0] * v[0] + axes[a][1] * v[1] + axes[a][2] * v[2];
  return r;
}
Real3 out_of(const double (&axes)[3][3], const Real3& v) {
  Real3 r{};
  for (std::size_t i = 0; i < 3; ++i)
    r[i] = axes[0][i] * v[0] + axes[1][i] * v[1] + axes[2][i] * v[2];
  return r;
}

/// The inverse of a symmetric matrix; zeros where it is singular beside its trace.
Matrix inverse_of(const Matrix& m) {
  constexpr double least = 1e-7;
  const double c00 = m[1][1] * m[2][2] - m[1][2] * m[1][2];
  const double c01 = m[0][2] * m[1][2] - m[0][1] * m[2][2];
  const double c02 = m[0][1] * m[1][2] - m[0][2] * m[1][1];
  const double det = m[0][0] * c00 + m[0][1] * c01 + m[0][2] * c02;
  const double mean = (m[0][0] + m[1][1] + m[2][2]) / 3;
  if (!(det > least * mean * mean * mean)) return {};
  const double c11 = m[0][0] * m[2][2] - m[0][2] * m[0][2];
  const double c12 = m[0][1] * m[0][2] - m[0][0] * m[1][2];
  const double c22 = m[0][0] * m[1][1] - m[0][1] * m[0][1];
  return {Real3{c00 / det, c01 / det, c02 / det}, Real3{c01 / det, c11 / det, c12 / det},
          Real3{c02 / det, c12 / det, c22 / det}};
}

double power_of_two_above(double x) { return std::ldexp(1, std::ilogb(x) + 1); }

/// Jeffery's, in the frame of the grid.
Real3 free_rotation(const FlowAround& flow, const double (&axes)[3][3], const BodyShape& shape) {
  const Matrix& g = flow.gradient;
  const Real3 omega =
      into(axes, {(g[2][1] - g[1][2]) / 2, (g[0][2] - g[2][0]) / 2, (g[1][0] - g[0][1]) / 2});
  Real3 free{};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
    const double bb = shape.semi_axes[b] * shape.semi_axes[b];
    const double cc = shape.semi_axes[c] * shape.semi_axes[c];
    double strain = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        strain = strain + axes[b][i] * axes[c][j] * ((g[i][j] + g[j][i]) / 2);
      }
    }
    free[a] = omega[a] + (bb - cc) / (bb + cc) * strain;
  }
  return free;  // in the frame of the body
}

/// `answer`: sum of w^2 over the square of that of w. Far from walls it is 0.375 / width along each
/// axis, and nodes have the variance 0.563 width^2. Near walls stresslets are unstable even where
/// they change the strain in their own step by less than themselves, hence the third power.
void set_answers(FlowAround& flow, double answer, const device::BodyKernel& kernel) {
  double usual = 1, usual_inverse = 0, inverse = 0, shift = 0;
  const Real3 moved = times(flow.inverse, flow.center);
  for (std::size_t a = 0; a < 3; ++a) {
    usual = usual * (0.375 / kernel.width[a]);
    usual_inverse = usual_inverse + 1 / (0.563 * kernel.width[a] * kernel.width[a]);
    inverse = inverse + flow.inverse[a][a];
    shift = shift + moved[a] * flow.center[a];
  }
  // The largest that lattices make of these numbers far from walls is 1.02 and 1.11.
  const double of_velocity = answer / usual * (1 + shift) / 1.05;
  const double of_gradient = answer / usual * (inverse / usual_inverse) / 1.15;
  flow.answer = std::max(1.0, of_velocity);
  flow.answer_of_gradient = std::max(1.0, of_gradient * of_gradient * of_gradient);
}

/// The force density that has this force, torque and stresslet about the body's position.
device::BodyPush push_of(const FlowAround& flow, const Real3& force, const Real3& torque,
                         const Matrix& stresslet, double unit) {
  // G = -w (g + Q n), Q W = force (-N c)^T + ([torque]x / 2 + stresslet) N, g = force / W - Q m
  device::BodyPush push{};
  const Real3 shift = times(flow.inverse, flow.center);
  const Matrix turn = {Real3{0, -torque[2] / 2, torque[1] / 2},
                       Real3{torque[2] / 2, 0, -torque[0] / 2},
                       Real3{-torque[1] / 2, torque[0] / 2, 0}};
  for (std::size_t i = 0; i < 3; ++i) {
    double moved = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      double couple = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        couple = couple + (turn[i][k] + stresslet[i][k]) * flow.inverse[k][j];
      }
      push.gradient[i][j] = (couple - force[i] * shift[j]) / flow.weight;
      moved = moved + push.gradient[i][j] * flow.mean[j];
    }
    push.force[i] = force[i] / flow.weight - moved;
  }
  push.per_unit = 1 / unit;
  return push;
}

}  // namespace

FixedUnits units_for(const std::vector<BodyShape>& shapes) {
  double force = 0, torque = 0;
  for (const BodyShape& shape : shapes) {
    const Real3 inertia = shape.inertia();
    force = std::max(force, shape.mass() + shape.friction);
    torque = std::max(
        torque, *std::max_element(inertia.begin(), inertia.end()) + shape.rotational_friction);
  }
  return {std::ldexp(power_of_two_above(force), -52), std::ldexp(power_of_two_above(torque), -52)};
}

Real3 to_nearest_node(const device::BodyState& body) {
  Real3 offset{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double x = body.position[a];
    offset[a] = static_cast<double>(device::floor_of(x)) + 0.5 - x;
  }
  return offset;
}

FlowAround flow_around(std::span<const Index> sums, const device::BodyKernel& kernel,
                       const device::BodyState& body) {
  using namespace device;
  const auto sum = [&](int n) {
    return static_cast<double>(sums[static_cast<std::size_t>(n)]) * kernel.sum_unit;
  };
  FlowAround flow;
  flow.weight = sum(sum_w);
  flow.is_there = flow.weight > 0;
  if (!flow.is_there) return flow;
  const Real3 offset = to_nearest_node(body);
  Real3 mean{};
  Matrix covariance{};
  constexpr int number[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (std::size_t i = 0; i < 3; ++i) {
    flow.mean[i] = sum(sum_wn + static_cast<int>(i)) / flow.weight;
    flow.center[i] = flow.mean[i] + offset[i];
    mean[i] = sum(sum_wu + static_cast<int>(i)) / flow.weight;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      covariance[i][j] = sum(sum_wnn + number[i][j]) / flow.weight - flow.mean[i] * flow.mean[j];
    }
  }
  flow.inverse = inverse_of(covariance);
  set_answers(flow, sum(sum_ww) / (flow.weight * flow.weight), kernel);
  for (std::size_t i = 0; i < 3; ++i) {
    Real3 mixed{};  // covariance of u_i and n
    for (std::size_t j = 0; j < 3; ++j) {
      mixed[j] = sum(sum_wun + static_cast<int>(3 * i + j)) / flow.weight - mean[i] * flow.mean[j];
    }
    const Real3 slope = times(flow.inverse, mixed);
    flow.velocity[i] = mean[i];
    for (std::size_t j = 0; j < 3; ++j) {
      flow.velocity[i] = flow.velocity[i] - slope[j] * flow.center[j];
      flow.gradient[i][j] = slope[j];
    }
  }
  return flow;
}

void follow(FlowAround& flow, device::BodyState& body) {
  const bool has_seen = !std::isnan(body.seen_velocity[0]);
  const auto mean = [&](double& now, double& seen) {
    const double before = has_seen ? seen : now;
    seen = now;
    now = (now + before) / 2;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    mean(flow.velocity[i], body.seen_velocity[i]);
    for (std::size_t j = 0; j < 3; ++j) mean(flow.gradient[i][j], body.seen_gradient[i + 3 * j]);
  }
}

device::BodyPush advance(device::BodyState& body, const BodyShape& shape, const FlowAround& flow,
                         const OuterForce& outer, double force_unit) {
  double axes[3][3];
  device::body_axes(body.quaternion, axes);
  const double mass = shape.mass(), friction = shape.friction / flow.answer;
  Real3 force{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double v = (mass * body.velocity[i] + outer.force[i] + friction * flow.velocity[i]) /
                     (mass + friction);
    force[i] = friction * (flow.velocity[i] - v);
    body.velocity[i] = v;
    body.position[i] = body.position[i] + v;
  }

  const Real3 free = free_rotation(flow, axes, shape), inertia = shape.inertia();
  const Real3 spin = into(axes, {body.rotation[0], body.rotation[1], body.rotation[2]});
  const Real3 outer_torque = into(axes, outer.torque);
  const double turning = shape.rotational_friction / flow.answer_of_gradient;
  Real3 next{}, torque{};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
    const double gyration = (inertia[b] - inertia[c]) * (spin[b] * spin[c]);
    next[a] = (inertia[a] * spin[a] + gyration + outer_torque[a] + turning * free[a]) /
              (inertia[a] + turning);
    torque[a] = turning * (free[a] - next[a]);
  }
  const Real3 rotation = out_of(axes, next);
  std::copy(rotation.begin(), rotation.end(), body.rotation);
  const Quaternion before{body.quaternion[0], body.quaternion[1], body.quaternion[2],
                          body.quaternion[3]};
  Quaternion q = product(rotation_by(rotation), before);
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (std::size_t i = 0; i < 4; ++i) body.quaternion[i] = q[i] / norm;

  const double straining = shape.strain_friction / flow.answer_of_gradient;
  const double growth = flow.gradient[0][0] + flow.gradient[1][1] + flow.gradient[2][2];
  Matrix stresslet{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double strain = (flow.gradient[i][j] + flow.gradient[j][i]) / 2;
      stresslet[i][j] = straining * (i == j ? strain - growth / 3 : strain);
    }
  }
  return push_of(flow, force, out_of(axes, torque), stresslet, force_unit);
}

}  // namespace goban
