#pragma once
// What keeps bodies apart.

#include "goban/backend/kernels/body_contact.hpp"
#include "goban/particle/fixed_units.hpp"

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

using device::Contact;
Contact contact(const device::BodyState& a, const BodyShape& shape_a, const device::BodyState& b,
                const BodyShape& shape_b, const Real3& from_a_to_b);

device::RepulsionNumbers numbers_of(const Repulsion& repulsion, const FixedUnits& units);

}  // namespace goban
