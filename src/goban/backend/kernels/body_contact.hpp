#pragma once
// How two bodies stand to each other, and what they do to each other. Text of kernels for all
// targets.

#include "goban/backend/kernels/body_motion.hpp"

namespace goban::device {

/// The repulsion of particle/repulsion.hpp, and how it counts.
struct RepulsionNumbers {
  double strength, width, range;
  double force_unit, torque_unit;
};

struct SymmetricMatrix {
  double xx, yy, zz, xy, xz, yz;
};

/// A^T S^2 A.
GOBAN_DEVICE SymmetricMatrix spread_of(const BodyState& body, const double (&semi_axes)[3]) {
  double e[3][3];
  body_axes(body.quaternion, e);
  SymmetricMatrix g{};
  for (int a = 0; a < 3; ++a) {
    const double ss = semi_axes[a] * semi_axes[a];
    g.xx = g.xx + ss * e[a][0] * e[a][0];
    g.yy = g.yy + ss * e[a][1] * e[a][1];
    g.zz = g.zz + ss * e[a][2] * e[a][2];
    g.xy = g.xy + ss * e[a][0] * e[a][1];
    g.xz = g.xz + ss * e[a][0] * e[a][2];
    g.yz = g.yz + ss * e[a][1] * e[a][2];
  }
  return g;
}

GOBAN_DEVICE Vector times(const SymmetricMatrix& m, const Vector& v) {
  return {{m.xx * v[0] + m.xy * v[1] + m.xz * v[2], m.xy * v[0] + m.yy * v[1] + m.yz * v[2],
           m.xz * v[0] + m.yz * v[1] + m.zz * v[2]}};
}

/// m^-1 v of a positive definite one.
GOBAN_DEVICE Vector solve(const SymmetricMatrix& m, const Vector& v) {
  const double xx = m.yy * m.zz - m.yz * m.yz, xy = m.xz * m.yz - m.xy * m.zz,
               xz = m.xy * m.yz - m.xz * m.yy;
  const double det = m.xx * xx + m.xy * xy + m.xz * xz;
  const SymmetricMatrix adjugate{xx, m.xx * m.zz - m.xz * m.xz, m.xx * m.yy - m.xy * m.xy, xy,
                                 xz, m.xy * m.xz - m.xx * m.yz};
  const Vector r = times(adjugate, v);
  return {{r[0] / det, r[1] / det, r[2] / det}};
}

/// From a to b, shortest over the images of periodic axes (0: an axis that is none).
GOBAN_DEVICE Vector from_to(const BodyState& a, const BodyState& b, const double (&period)[3]) {
  Vector r{};
  for (int i = 0; i < 3; ++i) {
    r[i] = b.position[i] - a.position[i];
    if (period[i] > 0) {
      if (r[i] > period[i] / 2) r[i] = r[i] - period[i];
      if (r[i] < -period[i] / 2) r[i] = r[i] + period[i];
    }
  }
  return r;
}

/// How two ellipsoids stand to each other: h, and its slopes.
struct Contact {
  double gap;
  Vector along;           ///< dh / dr, r from a to b
  Vector turn_a, turn_b;  ///< dh / d(small rotation of a), of b
};

GOBAN_DEVICE double longest_of(const double (&semi_axes)[3]) {
  double longest = semi_axes[0];
  for (int a = 1; a < 3; ++a) longest = longest < semi_axes[a] ? semi_axes[a] : longest;
  return longest;
}

/// h = |r| - |r| (phi / 2)^(-1/2), phi = r.kappa, kappa = G^-1 r.
GOBAN_DEVICE Contact contact(const BodyState& a, const double (&axes_a)[3], const BodyState& b,
                             const double (&axes_b)[3], const Vector& r) {
  const double distance = root(inner(r, r));
  Contact contact{};
  if (distance == 0) {
    contact.gap = -2 * longest_of(axes_a);
    return contact;
  }
  const SymmetricMatrix g = spread_of(a, axes_a), h = spread_of(b, axes_b);
  const Vector kappa =
      solve({g.xx + h.xx, g.yy + h.yy, g.zz + h.zz, g.xy + h.xy, g.xz + h.xz, g.yz + h.yz}, r);
  const double phi = inner(r, kappa), touching = distance / root(0.5 * phi);
  const double slope = touching / phi;
  contact.gap = distance - touching;
  const Vector turn_a = cross(kappa, times(g, kappa));
  const Vector turn_b = cross(kappa, times(h, kappa));
  for (int i = 0; i < 3; ++i) {
    contact.along[i] = r[i] * (contact.gap / (distance * distance)) + slope * kappa[i];
    contact.turn_a[i] = slope * turn_a[i];
    contact.turn_b[i] = slope * turn_b[i];
  }
  return contact;
}

/// What two bodies do to each other, in fixed point: exactly opposite forces, whoever computes
/// them.
struct PairForce {
  bool acts;     ///< false: they are too far apart
  bool is_lost;  ///< they overlap so far that nothing is known
  double gap;
  int64 force_on_b[3], torque_on_a[3], torque_on_b[3];
};

/// a has the smaller id.
GOBAN_DEVICE PairForce pair_force(const RepulsionNumbers& repulsion, const BodyState& a,
                                  const double (&axes_a)[3], const BodyState& b,
                                  const double (&axes_b)[3], const double (&period)[3]) {
  PairForce pair{};
  const Vector r = from_to(a, b, period);
  const double long_a = longest_of(axes_a), long_b = longest_of(axes_b);
  const double far = root(2 * (long_a * long_a + long_b * long_b)) + repulsion.range;
  if (inner(r, r) > far * far) return pair;
  const Contact near = contact(a, axes_a, b, axes_b, r);
  const double h = near.gap, width = repulsion.width;
  if (h >= repulsion.range) return pair;
  const double s = width / (h + width), s2 = s * s, s6 = s2 * s2 * s2;
  const double push = 4 * repulsion.strength * (12 * s6 * s6 - 6 * s6) * s / width;  // -dU/dh
  pair.gap = h;
  pair.is_lost = !(h > -width / 2) || !(push < repulsion.force_unit * 0x1p56);
  if (pair.is_lost) return pair;
  pair.acts = true;
  for (int i = 0; i < 3; ++i) {
    pair.force_on_b[i] = nearest(push * near.along[i] / repulsion.force_unit);
    pair.torque_on_a[i] = nearest(push * near.turn_a[i] / repulsion.torque_unit);
    pair.torque_on_b[i] = nearest(push * near.turn_b[i] / repulsion.torque_unit);
  }
  return pair;
}

}  // namespace goban::device
