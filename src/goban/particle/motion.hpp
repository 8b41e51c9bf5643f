#pragma once
// How one body moves in the fluid around it.
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

#include <optional>
#include <span>

#include "goban/particle/body.hpp"

namespace goban {

/// A sum of forces or torques in fixed point, about the body's position.
using FixedVector = std::array<Index, 3>;

/// Units of forces and torques: powers of two, so that the largest that move a body by half a node
/// or half a radian a step take 52 bits of 62. All bodies have the same.
struct FixedUnits {
  double force = 1, torque = 1;
};
FixedUnits units_for(const std::vector<BodyShape>& shapes);

/// What acts on a body beside the fluid.
struct OuterForce {
  Real3 force{}, torque{};
};

/// The fluid around a body.
struct FlowAround {
  bool is_there = false;            ///< false: the body touches no node of fluid
  Real3 velocity{};                 ///< at the body's position
  std::array<Real3, 3> gradient{};  ///< [i][j]: d u_i / d x_j
  double weight = 0;                ///< sum of w
  Real3 mean{};                     ///< mean offset of the nodes from the nearest one
  Real3 center{};                   ///< their mean offset from the body's position
  std::array<Real3, 3> inverse{};   ///< inverse of their covariance; 0: all in a plane or worse
  /// How many times more than far from walls a force changes the velocity in the step that it acts,
  /// a torque or stresslet the gradient; 1 or more. Frictions are smaller by that, where walls
  /// leave few nodes: they would overshoot.
  double answer = 1, answer_of_gradient = 1;
};
FlowAround flow_around(std::span<const Index> sums, const device::BodyKernel& kernel,
                       const device::BodyState& body);
/// The mean of what a body sees and saw a step ago, which it then has seen. Waves from one node to
/// the next that change sign with every step, which lattices do not damp, are nothing to it: an
/// answer to them, which comes a step later, would make them grow.
void follow(FlowAround& flow, device::BodyState& body);
/// From a body's position to the node nearest to it.
Real3 to_nearest_node(const device::BodyState& body);

/// Turns and moves a body by one step, positions as they come. Returns what the fluid gets.
device::BodyPush advance(device::BodyState& body, const BodyShape& shape, const FlowAround& flow,
                         const OuterForce& outer, double force_unit);

}  // namespace goban
