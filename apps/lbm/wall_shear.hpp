#pragma once
// Viscous stress, and the shear of walls.

#include "lbm/rheology.hpp"

namespace goban::lbm {

/// Viscous stress, xx, yy, zz, xy, xz, yz, of populations before the collision, in lattice units:
/// -(1 - 1 / (2 tau)) sum c_q c_q (f_q - f_q^eq).
template <class Lattice, class Value, class Tau, class Force>
GOBAN_FUNCTION std::array<Value, 6> viscous_stress(const Value (&g)[Lattice::size],
                                                   const Moments<Value>& m, const Tau& tau,
                                                   const Force& force) {
  std::array<Value, 6> stress = strain_moments<Lattice>(g, m, force);
  for (Value& s : stress) s = (0.5 / tau - 1) * s;
  return stress;
}

/// The force per area along the wall that the fluid exerts on it, at the nearest point of the wall,
/// `to_wall` (in cells; 0: there is none) from a cell: the stress of the cell less its part across
/// the wall, led on to the wall by the slope along the normal n that fits the neighbours' stress
/// best, sum w s (t' - t) / sum w s^2 over fluid neighbours further inside, s = c_q . n < 0.
template <class Lattice, class Value>
GOBAN_FUNCTION void shear_of_wall(const auto& stress, const auto& is_fluid,
                                  const Value (&to_wall)[3], Value (&shear)[3]) {
  const Value square = to_wall[0] * to_wall[0] + to_wall[1] * to_wall[1] + to_wall[2] * to_wall[2];
  const auto is_at_wall = square > 0;
  const Value distance = sqrt(square), inverse = 1 / select(is_at_wall, distance, Value(1));
  const Value n[3] = {inverse * to_wall[0], inverse * to_wall[1], inverse * to_wall[2]};
  const auto along_wall = [&](const auto& s, Value(&t)[3]) {
    const Value full[3] = {s[0]() * n[0] + s[3]() * n[1] + s[4]() * n[2],
                           s[3]() * n[0] + s[1]() * n[1] + s[5]() * n[2],
                           s[4]() * n[0] + s[5]() * n[1] + s[2]() * n[2]};
    const Value across = full[0] * n[0] + full[1] * n[1] + full[2] * n[2];
    for (int a = 0; a < 3; ++a) t[a] = full[a] - across * n[a];
  };
  Value here[3], slope[3] = {Value(0), Value(0), Value(0)}, weights(0);
  along_wall(stress, here);
  for (int q = 1; q < Lattice::size; ++q) {
    const Velocity c = Lattice::velocity(q);
    const Value s = along<Lattice>(n, q);
    const Value weight =
        select(is_fluid(q) && s < 0, static_cast<typename Value::Value>(Lattice::weight(q)) * s, 0);
    Value there[3];
    along_wall(stress.shift(Axis::x, c[0]).shift(Axis::y, c[1]).shift(Axis::z, c[2]), there);
    for (int a = 0; a < 3; ++a) slope[a] = slope[a] + weight * (there[a] - here[a]);
    weights = weights + weight * s;
  }
  const Value led = distance / max(weights, 1e-6);
  for (int a = 0; a < 3; ++a) shear[a] = select(is_at_wall, -(here[a] + led * slope[a]), 0);
}

}  // namespace goban::lbm
