#include "goban/particle/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "goban/base/error.hpp"

namespace goban {
namespace {

constexpr double width_of_radius = 0.85;
/// A narrower kernel answers waves from one node to the next, which change sign with every step, a
/// step too late: they grow where many bodies strain the fluid.
constexpr double least_width = 1;

}  // namespace

double BodyShape::volume() const {
  return 4.0 / 3 * std::numbers::pi * semi_axes[0] * semi_axes[1] * semi_axes[2];
}

Real3 BodyShape::inertia() const {
  const auto [a, b, c] = semi_axes;
  const double fifth = mass() / 5;
  return {fifth * (b * b + c * c), fifth * (c * c + a * a), fifth * (a * a + b * b)};
}

double BodyShape::longest_semi_axis() const {
  return *std::max_element(semi_axes.begin(), semi_axes.end());
}

device::BodyKernel BodyShape::kernel() const {
  device::BodyKernel kernel{};
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    kernel.width[a] = kernel_widths[a] > 0 ? kernel_widths[a]
                                           : std::max(least_width, width_of_radius * semi_axes[a]);
    square += kernel.width[a] * kernel.width[a];
  }
  kernel.reach = 2 * std::sqrt(square);
  const double farthest = kernel.reach + 1;
  const double most_weight = 2 * kernel.width[0] * kernel.width[1] * kernel.width[2];
  const double most = most_weight * farthest * std::max(farthest, device::most_node_speed);
  kernel.sum_unit = std::isfinite(most) && most > 0 ? std::ldexp(1, std::ilogb(most) - 51) : 1;
  return kernel;
}

device::BodyNumbers BodyShape::numbers() const {
  device::BodyNumbers numbers{};
  numbers.kernel = kernel();
  std::copy(semi_axes.begin(), semi_axes.end(), numbers.semi_axes);
  const Real3 moments = inertia();
  std::copy(moments.begin(), moments.end(), numbers.inertia);
  numbers.mass = mass();
  numbers.excess = (density - 1) * volume();
  numbers.friction = friction;
  numbers.rotational_friction = rotational_friction;
  numbers.strain_friction = strain_friction;
  return numbers;
}

device::BodyState state_of(Index id, const Body& body) {
  device::BodyState state{};
  state.id = id;
  state.shape = body.shape;
  std::copy(body.position.begin(), body.position.end(), state.position);
  std::copy(body.quaternion.begin(), body.quaternion.end(), state.quaternion);
  std::copy(body.velocity.begin(), body.velocity.end(), state.velocity);
  std::copy(body.rotation.begin(), body.rotation.end(), state.rotation);
  state.seen_velocity[0] = std::numeric_limits<double>::quiet_NaN();
  return state;
}

Body body_of(const device::BodyState& state) {
  Body body;
  std::copy_n(state.position, 3, body.position.begin());
  std::copy_n(state.quaternion, 4, body.quaternion.begin());
  std::copy_n(state.velocity, 3, body.velocity.begin());
  std::copy_n(state.rotation, 3, body.rotation.begin());
  body.shape = static_cast<int>(state.shape);
  return body;
}

std::size_t position_of(const std::vector<device::BodyState>& bodies, Index id) {
  device::BodyState key{};
  key.id = id;
  const auto at = std::lower_bound(bodies.begin(), bodies.end(), key, by_id);
  return static_cast<std::size_t>(at - bodies.begin());
}

Quaternion rotation_by(const Real3& v) {
  return std::to_array(device::rotation_by({{v[0], v[1], v[2]}}).q);
}

Quaternion product(const Quaternion& a, const Quaternion& b) {
  const double first[4] = {b[0], b[1], b[2], b[3]}, then[4] = {a[0], a[1], a[2], a[3]};
  return std::to_array(device::product(then, first).q);
}

BodyShape in_fluid(BodyShape shape, double viscosity) {
  const auto [a, b, c] = shape.semi_axes;
  const device::BodyKernel kernel = shape.kernel();
  const double cube = a * b * c, width_cube = kernel.width[0] * kernel.width[1] * kernel.width[2];
  const double radius = std::cbrt(cube), width = std::cbrt(width_cube);
  const auto friction = [&](double wanted, double of_kernel) {
    require(wanted < of_kernel, fmt::format("a kernel {:.3g} wide is refused", width),
            fmt::format("no friction makes it a sphere of radius {:.3g}", radius),
            fmt::format("take one wider than {:.3g}", wanted / of_kernel * width));
    return viscosity / (1 / wanted - 1 / of_kernel);
  };
  constexpr double pi = std::numbers::pi;
  shape.friction = friction(6 * pi * radius, drag_of_kernel * width);
  shape.rotational_friction = friction(8 * pi * cube, torque_of_kernel * width_cube);
  shape.strain_friction = friction(20.0 / 3 * pi * cube, stresslet_of_kernel * width_cube);
  return shape;
}

}  // namespace goban
