#pragma once
// What arrives in a cell of a vessel: from neighbours, from the wall and from openings.
//
// `links` is a field that says of each link, from a cell along velocity q (component q - 1): 0, a
// cell of fluid is there; positive, the wall is, after a part d of the link: 2 d, or from d = 1/2
// on 2 - 1 / (2 d); negative, an opening, after the part -d.

#include "lbm/collisions.hpp"

namespace goban::blood {

using lbm::opposite;
using lbm::Velocity;

/// What is at the end of the link that population q comes along.
template <class Lattice>
GOBAN_FUNCTION auto link_behind(const auto& links, int q) {
  return links[opposite(q) - 1]();
}

/// The number that stands for a part of a link, negative before an opening.
inline double link_number(double part) {
  if (part <= 0) return part;
  return part < 0.5 ? 2 * part : 2 - 1 / (2 * part);
}

/// Populations of a cell before (`own`) and after streaming (`g`). Where the link behind ends at
/// the wall, after a part d of it (Bouzidi, Firdaouss, Lallemand, Phys. Fluids 13 (2001) 3452), q'
/// being the opposite of q, f* populations after the collision:
///   d >= 1/2: f_q(x) = (f*_q'(x) + (2 d - 1) f*_q(x)) / (2 d)
///   d <  1/2: f_q(x) = 2 d f*_q'(x) + (1 - 2 d) f*_q'(x + c_q)
/// and f*_q'(x), half-way bounce-back, where d < 1/2 and the cell at x + c_q is no fluid, and at
/// openings.
template <class Lattice, class Value>
GOBAN_FUNCTION void arrive(const auto& f, const auto& links, Value (&own)[Lattice::size],
                           Value (&g)[Lattice::size]) {
  Value pulled[Lattice::size];
  for (int q = 0; q < Lattice::size; ++q) {
    const Velocity c = Lattice::velocity(q);
    own[q] = f[q]();
    pulled[q] = f[q](-c[0], -c[1], -c[2]);
  }
  g[0] = own[0];
  for (int q = 1; q < Lattice::size; ++q) {
    const int back = opposite(q);
    const Value d = link_behind<Lattice>(links, q);
    const Value far = own[q] + (2 - d) * (own[back] - own[q]);
    const Value near = pulled[back] + d * (own[back] - pulled[back]);
    const auto has_behind = links[q - 1]() == 0;
    const Value reflected = select(d >= 1, far, select(d > 0 && has_behind, near, own[back]));
    g[q] = select(d == 0, pulled[q], reflected);
  }
}

}  // namespace goban::blood
