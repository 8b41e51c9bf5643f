#pragma once
// How one body moves in the fluid around it. Text of kernels for all targets.
//
// A body sees the fluid by the linear function u + A (x - R) that fits the velocities of nodes
// best, weighed with its kernel: exact in linear flows, whichever nodes there are. What it does to
// the fluid is the adjoint of that fit: of whatever nodes there are, the fluid gets exactly the
// force, torque and stresslet that the body gives, about the body's position. Drag and torque are
// those of MUPHY (Melchionna, Macromol. Theory Simul. 20 (2011) 548),
//   F = -friction (V - u),  T = -rotational_friction (Omega - target),
// with Jeffery's target (Proc. R. Soc. A 102 (1922) 161), the rotation of an ellipsoid without
// torque: omega_1 + (b^2 - c^2) / (b^2 + c^2) E_23 around its first axis, and so on, omega = curl u
// / 2, E the rate of strain. Both are implicit in the velocities of the body.

#include "goban/backend/kernels/bodies.hpp"
#include "goban/backend/kernels/body_vectors.hpp"
#include "goban/stencil/mathematics/functions.hpp"

namespace goban::device {

/// What steps need to know of a shape.
struct BodyNumbers {
  BodyKernel kernel;
  double semi_axes[3];
  double mass, excess;  ///< excess: over that of the fluid in its place
  double inertia[3];
  double friction, rotational_friction, strain_friction;
};

/// What acts on a body beside the fluid.
struct OuterForce {
  Vector force, torque;
};

/// The fluid around a body.
struct FlowAround {
  bool is_there;    ///< false: the body touches no node of fluid
  Vector velocity;  ///< at the body's position
  Matrix gradient;  ///< [i][j]: d u_i / d x_j
  double weight;    ///< sum of w
  Vector mean;      ///< mean offset of the nodes from the nearest one
  Vector center;    ///< their mean offset from the body's position
  Matrix inverse;   ///< inverse of their covariance; 0: all in a plane or worse
  /// How many times more than far from walls a force changes the velocity in the step that it acts,
  /// a torque or stresslet the gradient; 1 or more. Frictions are smaller by that, where walls
  /// leave few nodes: they would overshoot.
  double answer, answer_of_gradient;
};

struct Rotation {
  double q[4];  ///< a quaternion, real part first
};
/// The rotation by |v| around v.
GOBAN_DEVICE Rotation rotation_by(const Vector& v) {
  const double angle = root(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const double half = angle / 2;
  const double factor = angle > 1e-8 ? mathematics::sin(half) / angle : 0.5;
  return {{mathematics::cos(half), factor * v[0], factor * v[1], factor * v[2]}};
}
/// First b, then a.
GOBAN_DEVICE Rotation product(const double (&a)[4], const double (&b)[4]) {
  return {{a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
           a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
           a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
           a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]}};
}

/// From a body's position to the node nearest to it.
GOBAN_DEVICE Vector to_nearest_node(const BodyState& body) {
  Vector offset{};
  for (int a = 0; a < 3; ++a) {
    const double x = body.position[a];
    offset[a] = static_cast<double>(floor_of(x)) + 0.5 - x;
  }
  return offset;
}

/// `answer`: sum of w^2 over the square of that of w. Far from walls it is 0.375 / width along each
/// axis, and nodes have the variance 0.563 width^2. Near walls stresslets are unstable even where
/// they change the strain in their own step by less than themselves, hence the third power.
GOBAN_DEVICE void set_answers(FlowAround& flow, double answer, const BodyKernel& kernel) {
  double usual = 1, usual_inverse = 0, inverse = 0, shift = 0;
  const Vector moved = times(flow.inverse, flow.center);
  for (int a = 0; a < 3; ++a) {
    usual = usual * (0.375 / kernel.width[a]);
    usual_inverse = usual_inverse + 1 / (0.563 * kernel.width[a] * kernel.width[a]);
    inverse = inverse + flow.inverse[a][a];
    shift = shift + moved[a] * flow.center[a];
  }
  // The largest that lattices make of these numbers far from walls is 1.02 and 1.11.
  const double of_velocity = answer / usual * (1 + shift) / 1.05;
  const double of_gradient = answer / usual * (inverse / usual_inverse) / 1.15;
  const double cube = of_gradient * of_gradient * of_gradient;
  flow.answer = 1.0 < of_velocity ? of_velocity : 1.0;
  flow.answer_of_gradient = 1.0 < cube ? cube : 1.0;
}

GOBAN_DEVICE FlowAround flow_around(const int64* sums, const BodyKernel& kernel,
                                    const BodyState& body) {
  const auto sum = [&](int n) { return static_cast<double>(sums[n]) * kernel.sum_unit; };
  FlowAround flow{};
  flow.answer = flow.answer_of_gradient = 1;
  flow.weight = sum(sum_w);
  flow.is_there = flow.weight > 0;
  if (!flow.is_there) return flow;
  const Vector offset = to_nearest_node(body);
  Vector mean{};
  Matrix covariance{};
  for (int i = 0; i < 3; ++i) {
    flow.mean[i] = sum(sum_wn + i) / flow.weight;
    flow.center[i] = flow.mean[i] + offset[i];
    mean[i] = sum(sum_wu + i) / flow.weight;
  }
  constexpr int number[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      covariance[i][j] = sum(sum_wnn + number[i][j]) / flow.weight - flow.mean[i] * flow.mean[j];
    }
  }
  flow.inverse = inverse_of(covariance);
  set_answers(flow, sum(sum_ww) / (flow.weight * flow.weight), kernel);
  for (int i = 0; i < 3; ++i) {
    Vector mixed{};  // covariance of u_i and n
    for (int j = 0; j < 3; ++j) {
      mixed[j] = sum(sum_wun + 3 * i + j) / flow.weight - mean[i] * flow.mean[j];
    }
    const Vector slope = times(flow.inverse, mixed);
    flow.velocity[i] = mean[i];
    for (int j = 0; j < 3; ++j) {
      flow.velocity[i] = flow.velocity[i] - slope[j] * flow.center[j];
      flow.gradient[i][j] = slope[j];
    }
  }
  return flow;
}

/// The mean of what a body sees and saw a step ago, which it then has seen. Waves from one node to
/// the next that change sign with every step, which lattices do not damp, are nothing to it: an
/// answer to them, which comes a step later, would make them grow.
GOBAN_DEVICE void follow(FlowAround& flow, BodyState& body) {
  const bool has_seen = body.seen_velocity[0] == body.seen_velocity[0];
  const auto mean = [&](double& now, double& seen) {
    const double before = has_seen ? seen : now;
    seen = now;
    now = (now + before) / 2;
  };
  for (int i = 0; i < 3; ++i) {
    mean(flow.velocity[i], body.seen_velocity[i]);
    for (int j = 0; j < 3; ++j) mean(flow.gradient[i][j], body.seen_gradient[i + 3 * j]);
  }
}

/// Jeffery's, in the frame of the body.
GOBAN_DEVICE Vector free_rotation(const FlowAround& flow, const double (&axes)[3][3],
                                  const BodyNumbers& shape) {
  const Matrix& g = flow.gradient;
  const Vector omega =
      into(axes, {{(g[2][1] - g[1][2]) / 2, (g[0][2] - g[2][0]) / 2, (g[1][0] - g[0][1]) / 2}});
  Vector free{};
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const double bb = shape.semi_axes[b] * shape.semi_axes[b];
    const double cc = shape.semi_axes[c] * shape.semi_axes[c];
    double strain = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        strain = strain + axes[b][i] * axes[c][j] * ((g[i][j] + g[j][i]) / 2);
      }
    }
    free[a] = omega[a] + (bb - cc) / (bb + cc) * strain;
  }
  return free;
}

/// The force density that has this force, torque and stresslet about the body's position.
GOBAN_DEVICE BodyPush push_of(const FlowAround& flow, const Vector& force, const Vector& torque,
                              const Matrix& stresslet, double unit) {
  // G = -w (g + Q n), Q W = force (-N c)^T + ([torque]x / 2 + stresslet) N, g = force / W - Q m
  BodyPush push{};
  const Vector shift = times(flow.inverse, flow.center);
  const Matrix turn = {{{{0, -torque[2] / 2, torque[1] / 2}},
                        {{torque[2] / 2, 0, -torque[0] / 2}},
                        {{-torque[1] / 2, torque[0] / 2, 0}}}};
  for (int i = 0; i < 3; ++i) {
    double moved = 0;
    for (int j = 0; j < 3; ++j) {
      double couple = 0;
      for (int k = 0; k < 3; ++k) {
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

GOBAN_DEVICE Matrix stresslet_of(const FlowAround& flow, const BodyNumbers& shape) {
  const double straining = shape.strain_friction / flow.answer_of_gradient;
  const double growth = flow.gradient[0][0] + flow.gradient[1][1] + flow.gradient[2][2];
  Matrix stresslet{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double strain = (flow.gradient[i][j] + flow.gradient[j][i]) / 2;
      stresslet[i][j] = straining * (i == j ? strain - growth / 3 : strain);
    }
  }
  return stresslet;
}

/// Moves a body by one step, positions as they come; returns the force that the fluid gets.
GOBAN_DEVICE Vector shift_body(BodyState& body, const BodyNumbers& shape, const FlowAround& flow,
                               const Vector& outer) {
  const double friction = shape.friction / flow.answer;
  Vector force{};
  for (int i = 0; i < 3; ++i) {
    const double v = (shape.mass * body.velocity[i] + outer[i] + friction * flow.velocity[i]) /
                     (shape.mass + friction);
    force[i] = friction * (flow.velocity[i] - v);
    body.velocity[i] = v;
    body.position[i] = body.position[i] + v;
  }
  return force;
}

/// Turns it; returns the torque that the fluid gets.
GOBAN_DEVICE Vector turn_body(BodyState& body, const BodyNumbers& shape, const FlowAround& flow,
                              const Vector& outer) {
  double axes[3][3];
  body_axes(body.quaternion, axes);
  const Vector free = free_rotation(flow, axes, shape);
  const Vector spin = into(axes, vector_of(body.rotation)), outer_torque = into(axes, outer);
  const double turning = shape.rotational_friction / flow.answer_of_gradient;
  const double(&inertia)[3] = shape.inertia;
  Vector next{}, torque{};
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const double gyration = (inertia[b] - inertia[c]) * (spin[b] * spin[c]);
    next[a] = (inertia[a] * spin[a] + gyration + outer_torque[a] + turning * free[a]) /
              (inertia[a] + turning);
    torque[a] = turning * (free[a] - next[a]);
  }
  const Vector rotation = out_of(axes, next);
  for (int i = 0; i < 3; ++i) body.rotation[i] = rotation[i];
  const Rotation turned = product(rotation_by(rotation).q, body.quaternion);
  const double(&q)[4] = turned.q;
  const double norm = root(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) body.quaternion[i] = q[i] / norm;
  return out_of(axes, torque);
}

/// Turns and moves a body by one step, positions as they come. Returns what the fluid gets.
GOBAN_DEVICE BodyPush advance(BodyState& body, const BodyNumbers& shape, const FlowAround& flow,
                              const OuterForce& outer, double force_unit) {
  const Vector force = shift_body(body, shape, flow, outer.force);
  const Vector torque = turn_body(body, shape, flow, outer.torque);
  return push_of(flow, force, torque, stresslet_of(flow, shape), force_unit);
}

}  // namespace goban::device
