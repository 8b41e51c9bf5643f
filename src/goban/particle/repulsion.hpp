#pragma once
// What keeps bodies apart.

#include <optional>

#include "goban/particle/motion.hpp"

namespace goban {

/// The repulsive branch of Gay and Berne's potential (J. Chem. Phys. 74 (1981) 3316; Everaers and
/// Ejtehadi, Phys. Rev. E 67 (2003) 041710),
///   U = 4 strength (s^12 - s^6) + strength,  s = width / (h + width),
/// up to its minimum, h = (2^(1/6) - 1) width = 0.1225 width; h is how far two ellipsoids are from
/// each other, about: the distance of their centers less that at which they would touch,
///   (r.G^-1.r / 2)^(-1/2), r the direction between them, G = sum over both of A^T S^2 A.
/// Where h is positive they do not overlap (Perram and Wertheim, J. Comput. Phys. 58 (1985) 409).
struct Repulsion {
  /// Energy, in units of density times the square of the speed times the volume of a node.
  double strength = 0;
  double width = 1;  ///< nodes

  bool acts() const { return strength > 0; }
  double range() const { return width * 0.12246204830937298; }
  /// Centers farther apart than this have nothing to do with each other.
  double cutoff(const std::vector<BodyShape>& shapes) const;
};

/// From a to b, shortest over the images of periodic axes (0: an axis that is none).
Real3 between(const device::BodyState& a, const device::BodyState& b, const Real3& period);

/// How two ellipsoids stand to each other: h, and its slopes.
struct Contact {
  double gap = 0;
  Real3 along{};             ///< dh / dr, r from a to b
  Real3 turn_a{}, turn_b{};  ///< dh / d(small rotation of a), of b
};
Contact contact(const device::BodyState& a, const BodyShape& shape_a, const device::BodyState& b,
                const BodyShape& shape_b, const Real3& from_a_to_b);

/// What two bodies do to each other, in fixed point: exactly opposite forces, whoever computes
/// them. Nothing where they are too far apart.
struct PairForce {
  FixedVector force_on_b{}, torque_on_a{}, torque_on_b{};
};
/// a has the smaller id. Error (diverged): they overlap so far that nothing is known.
std::optional<PairForce> pair_force(const Repulsion& repulsion, const device::BodyState& a,
                                    const BodyShape& shape_a, const device::BodyState& b,
                                    const BodyShape& shape_b, const Real3& period,
                                    const FixedUnits& units);

}  // namespace goban
