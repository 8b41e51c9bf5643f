#include "goban/particle/repulsion.hpp"

#include <algorithm>

namespace goban {
namespace {

using Three = double[3];

void copy(const Real3& from, Three& to) { std::copy(from.begin(), from.end(), to); }

}  // namespace

double Repulsion::cutoff(const std::vector<BodyShape>& shapes) const {
  double longest = 0;
  for (const BodyShape& shape : shapes) longest = std::max(longest, shape.longest_semi_axis());
  return 2 * longest + (acts() ? range() : 0);
}

Real3 between(const device::BodyState& a, const device::BodyState& b, const Real3& period) {
  Three along;
  copy(period, along);
  return std::to_array(device::from_to(a, b, along).x);
}

Contact contact(const device::BodyState& a, const BodyShape& shape_a, const device::BodyState& b,
                const BodyShape& shape_b, const Real3& r) {
  Three axes_a, axes_b;
  copy(shape_a.semi_axes, axes_a);
  copy(shape_b.semi_axes, axes_b);
  return device::contact(a, axes_a, b, axes_b, {{r[0], r[1], r[2]}});
}

device::RepulsionNumbers numbers_of(const Repulsion& repulsion, const FixedUnits& units) {
  return {repulsion.strength, repulsion.width, repulsion.range(), units.force, units.torque};
}

}  // namespace goban
