#include "goban/particle/body_outline.hpp"

#include <cmath>
#include <numbers>

namespace goban {
namespace {

constexpr int corners = 32;

/// Axes of a body, each as long as its semi-axis: points of its surface are sums of these times the
/// components of points of the unit sphere.
struct LongAxes {
  double axes[3][3];

  LongAxes(const device::BodyState& body, const BodyShape& shape) {
    device::body_axes(body.quaternion, axes);
    for (std::size_t a = 0; a < 3; ++a) {
      for (double& e : axes[a]) e *= shape.semi_axes[a];
    }
  }
  double along(std::size_t axis, const Real3& t) const {
    return axes[0][axis] * t[0] + axes[1][axis] * t[1] + axes[2][axis] * t[2];
  }
};

/// Two directions across another, all of length 1.
std::array<Real3, 2> across(const Real3& n) {
  const std::size_t a = std::abs(n[0]) < 0.6 ? 0 : 1;
  Real3 u{};
  for (std::size_t i = 0; i < 3; ++i) u[i] = (i == a ? 1 : 0) - n[a] * n[i];
  const double length = std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (double& x : u) x /= length;
  return {u,
          Real3{n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]}};
}

/// The ellipse that a plane at the distance d from the middle cuts out, about that.
Polyline ellipse(const LongAxes& axes, std::size_t normal, double d) {
  Real3 n = {axes.axes[0][normal], axes.axes[1][normal], axes.axes[2][normal]};
  const double reach = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (std::abs(d) >= reach) return {};
  for (double& x : n) x /= reach;
  const double height = d / reach, radius = std::sqrt(1 - height * height);
  const auto [u, v] = across(n);
  Polyline line;
  for (int c = 0; c < corners; ++c) {
    const double angle = 2 * std::numbers::pi * c / corners;
    const double x = radius * std::cos(angle), y = radius * std::sin(angle);
    Real3 t{};
    for (std::size_t i = 0; i < 3; ++i) t[i] = height * n[i] + x * u[i] + y * v[i];
    line.push_back({axes.along(normal == 0 ? 1 : 0, t), axes.along(normal == 2 ? 1 : 2, t)});
  }
  return line;
}

/// 0, and the shift to the nearer image beyond an end that a body reaches over.
std::vector<double> shifts(double position, double longest, double period) {
  std::vector<double> all{0};
  if (period > 0 && position < longest) all.push_back(period);
  if (period > 0 && position > period - longest) all.push_back(-period);
  return all;
}

}  // namespace

std::vector<Polyline> outlines_of(const device::BodyState& body, const BodyShape& shape, Axis axis,
                                  double position, const Real3& period) {
  const auto normal = static_cast<std::size_t>(index_of(axis));
  const std::size_t right = normal == 0 ? 1 : 0, up = normal == 2 ? 1 : 2;
  const LongAxes axes(body, shape);
  const auto images = [&](std::size_t a) {
    return shifts(body.position[a], shape.longest_semi_axis(), period[a]);
  };
  std::vector<Polyline> all;
  for (const double shift : images(normal)) {
    const Polyline line = ellipse(axes, normal, position - body.position[normal] - shift);
    if (line.empty()) continue;
    for (const double x : images(right)) {
      for (const double y : images(up)) {
        all.push_back(line);
        for (Point& p : all.back()) {
          p = {p.x + body.position[right] + x, p.y + body.position[up] + y};
        }
      }
    }
  }
  return all;
}

}  // namespace goban
