#include "goban/particle/repulsion.hpp"

#include <fmt/format.h>

#include <cmath>

#include "goban/base/error.hpp"

namespace goban {
namespace {

struct SymmetricMatrix {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};

/// A^T S^2 A.
SymmetricMatrix spread_of(const device::BodyState& body, const BodyShape& shape) {
  double e[3][3];
  device::body_axes(body.quaternion, e);
  SymmetricMatrix g;
  for (std::size_t a = 0; a < 3; ++a) {
    const double ss = shape.semi_axes[a] * shape.semi_axes[a];
    g.xx = g.xx + ss * e[a][0] * e[a][0];
    g.yy = g.yy + ss * e[a][1] * e[a][1];
    g.zz = g.zz + ss * e[a][2] * e[a][2];
    g.xy = g.xy + ss * e[a][0] * e[a][1];
    g.xz = g.xz + ss * e[a][0] * e[a][2];
    g.yz = g.yz + ss * e[a][1] * e[a][2];
  }
  return g;
}

SymmetricMatrix operator+(const SymmetricMatrix& a, const SymmetricMatrix& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

Real3 times(const SymmetricMatrix& m, const Real3& v) {
  return {m.xx * v[0] + m.xy * v[1] + m.xz * v[2], m.xy * v[0] + m.yy * v[1] + m.yz * v[2],
          m.xz * v[0] + m.yz * v[1] + m.zz * v[2]};
}

/// m^-1 v of a positive definite one.
Real3 solve(const SymmetricMatrix& m, const Real3& v) {
  const double xx = m.yy * m.zz - m.yz * m.yz, xy = m.xz * m.yz - m.xy * m.zz,
               xz = m.xy * m.yz - m.xz * m.yy;
  const double det = m.xx * xx + m.xy * xy + m.xz * xz;
  const SymmetricMatrix adjugate{xx, m.xx * m.zz - m.xz * m.xz, m.xx * m.yy - m.xy * m.xy, xy,
                                 xz, m.xy * m.xz - m.xx * m.yz};
  const Real3 r = times(adjugate, v);
  return {r[0] / det, r[1] / det, r[2] / det};
}

double inner(const Real3& a, const Real3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Real3 cross(const Real3& a, const Real3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

FixedVector fixed(const Real3& v, double factor, double unit) {
  return {device::nearest(factor * v[0] / unit), device::nearest(factor * v[1] / unit),
          device::nearest(factor * v[2] / unit)};
}

}  // namespace

double Repulsion::cutoff(const std::vector<BodyShape>& shapes) const {
  double longest = 0;
  for (const BodyShape& shape : shapes) longest = std::max(longest, shape.longest_semi_axis());
  return 2 * longest + (acts() ? range() : 0);
}

Real3 between(const device::BodyState& a, const device::BodyState& b, const Real3& period) {
  Real3 r{};
  for (std::size_t i = 0; i < 3; ++i) {
    r[i] = b.position[i] - a.position[i];
    if (period[i] > 0) {
      if (r[i] > period[i] / 2) r[i] = r[i] - period[i];
      if (r[i] < -period[i] / 2) r[i] = r[i] + period[i];
    }
  }
  return r;
}

Contact contact(const device::BodyState& a, const BodyShape& shape_a, const device::BodyState& b,
                const BodyShape& shape_b, const Real3& from_a_to_b) {
  // h = |r| - |r| (phi / 2)^(-1/2), phi = r.kappa, kappa = G^-1 r
  const Real3& r = from_a_to_b;
  const double distance = std::sqrt(inner(r, r));
  Contact contact;
  if (distance == 0) {
    contact.gap = -2 * shape_a.longest_semi_axis();
    return contact;
  }
  const SymmetricMatrix spread_a = spread_of(a, shape_a), spread_b = spread_of(b, shape_b);
  const Real3 kappa = solve(spread_a + spread_b, r);
  const double phi = inner(r, kappa), touching = distance / std::sqrt(0.5 * phi);
  const double slope = touching / phi;
  contact.gap = distance - touching;
  const Real3 turn_a = cross(kappa, times(spread_a, kappa));
  const Real3 turn_b = cross(kappa, times(spread_b, kappa));
  for (std::size_t i = 0; i < 3; ++i) {
    contact.along[i] = r[i] * (contact.gap / (distance * distance)) + slope * kappa[i];
    contact.turn_a[i] = slope * turn_a[i];
    contact.turn_b[i] = slope * turn_b[i];
  }
  return contact;
}

std::optional<PairForce> pair_force(const Repulsion& repulsion, const device::BodyState& a,
                                    const BodyShape& shape_a, const device::BodyState& b,
                                    const BodyShape& shape_b, const Real3& period,
                                    const FixedUnits& units) {
  const Real3 r = between(a, b, period);
  const double long_a = shape_a.longest_semi_axis(), long_b = shape_b.longest_semi_axis();
  const double far = std::sqrt(2 * (long_a * long_a + long_b * long_b)) + repulsion.range();
  if (inner(r, r) > far * far) return std::nullopt;
  const Contact near = contact(a, shape_a, b, shape_b, r);
  const double h = near.gap, width = repulsion.width;
  if (h >= repulsion.range()) return std::nullopt;
  const double s = width / (h + width), s2 = s * s, s6 = s2 * s2 * s2;
  const double push = 4 * repulsion.strength * (12 * s6 * s6 - 6 * s6) * s / width;  // -dU/dh
  if (!(h > -width / 2) || !(push < units.force * static_cast<double>(Index{1} << 56))) {
    throw Error(ExitCode::diverged, fmt::format("bodies {} and {} have met", a.id, b.id),
                fmt::format("their surfaces are {:.3g} nodes within each other", -h),
                "make the repulsion stronger or wider, or the flow slower");
  }
  return PairForce{fixed(near.along, push, units.force), fixed(near.turn_a, push, units.torque),
                   fixed(near.turn_b, push, units.torque)};
}

}  // namespace goban
