#pragma once
// What a body is.
//
// Lattice units: the distance of nodes, a step, the density of the fluid at rest. Positions count
// from the lower corner of the grid in nodes; node i lies at i + 1/2.

#include <array>
#include <string>
#include <vector>

#include "goban/backend/kernels/body_motion.hpp"
#include "goban/base/types.hpp"

namespace goban {

using Quaternion = std::array<double, 4>;  ///< real part first

/// Bodies that are alike: ellipsoids.
struct BodyShape {
  Real3 semi_axes{1, 1, 1};
  double density = 1;  ///< mass per volume, in units of the density of the fluid
  /// The coefficient of the drag -friction (V - u), where u is the velocity of the fluid around the
  /// body; see in_fluid().
  double friction = 1;
  double rotational_friction = 1;  ///< coefficient of the torque, likewise
  /// The coefficient of the resistance against being strained: the fluid gets the stresslet
  /// -strain_friction E, where E is the rate of strain around the body without what changes
  /// volumes. 0: none.
  double strain_friction = 0;
  /// The widths, along the body's axes, of the kernel that couples it to nodes; 0: 0.85 semi-axes,
  /// with which spheres disturb the fluid as rigid ones do (docs/particles.md), at least a node.
  Real3 kernel_widths{0, 0, 0};

  double volume() const;
  double mass() const { return density * volume(); }
  /// Principal moments of inertia.
  Real3 inertia() const;
  double longest_semi_axis() const;
  device::BodyKernel kernel() const;
  device::BodyNumbers numbers() const;
};

/// One body, in the frame of the grid.
struct Body {
  Real3 position{};
  Quaternion quaternion{1, 0, 0, 0};  ///< turns the axes of the shape into those it has
  Real3 velocity{};
  Real3 rotation{};  ///< angular velocity
  int shape = 0;     ///< among those there are
};

device::BodyState state_of(Index id, const Body& body);
Body body_of(const device::BodyState& state);

inline bool by_id(const device::BodyState& a, const device::BodyState& b) { return a.id < b.id; }
/// Where the body with this id, which is there, stands among bodies by rising id.
std::size_t position_of(const std::vector<device::BodyState>& bodies, Index id);

/// The rotation by |v| around v.
Quaternion rotation_by(const Real3& v);
/// First b, then a.
Quaternion product(const Quaternion& a, const Quaternion& b);

/// The shape with the frictions of a rigid sphere of its volume in Stokes flow: drag 6 pi viscosity
/// R, torque 8 pi viscosity R^3, stresslet 20/3 pi viscosity R^3. What nodes around a body do adds
/// to what its frictions do,
///   1 / effective = 1 / friction + 1 / (g viscosity width^n),  n = 1, 3, 3
/// (Ahlrichs and Duenweg, J. Chem. Phys. 111 (1999) 8225), width the geometric mean of its
/// kernel's. g of the drag was measured; those of torque and stresslet are of a Gaussian as wide
/// (Lomholt and Maxey, J. Comput. Phys. 184 (2003) 381). Error (usage): the kernel is so narrow
/// that no friction does.
BodyShape in_fluid(BodyShape shape, double viscosity);
inline constexpr double drag_of_kernel = 25, torque_of_kernel = 113, stresslet_of_kernel = 94;

}  // namespace goban
