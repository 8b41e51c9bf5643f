#include "atmosphere/map.hpp"

#include <cmath>
#include <numbers>

namespace goban::atmosphere {
namespace {

constexpr double pi = std::numbers::pi, degree = pi / 180;

/// tan(pi/4 - latitude/2), 0 at the north pole.
double from_pole(double latitude) { return std::tan(pi / 4 - latitude / 2); }

}  // namespace

Projection::Projection(const Map& map) : map_(map) {
  if (map.is_plane()) return;
  const bool is_mercator = map.kind == Map::Kind::mercator;
  if (!is_mercator && map.true_latitudes[0] + map.true_latitudes[1] < 0) hemisphere_ = -1;
  const double first = hemisphere_ * map.true_latitudes[0] * degree,
               second = hemisphere_ * map.true_latitudes[1] * degree,
               here = hemisphere_ * map.latitude * degree;
  if (is_mercator) {
    size_ = std::cos(first);
    begin_ = std::atanh(std::sin(here));
  } else if (map.kind == Map::Kind::polar) {
    cone_ = 1;
    size_ = 1 + std::sin(first);
  } else {
    cone_ = first == second ? std::sin(first)
                            : std::log(std::cos(first) / std::cos(second)) /
                                  std::log(from_pole(first) / from_pole(second));
    size_ = std::cos(first) / (cone_ * std::pow(from_pole(first), cone_));
  }
  if (cone_ > 0) begin_ = size_ * std::pow(from_pole(here), cone_);
}

Projection::Place Projection::at(double x, double y) const {
  if (map_.is_plane()) return {};
  const double right = x / map_.radius, up = hemisphere_ * y / map_.radius;
  if (map_.kind == Map::Kind::mercator) {
    const double log = begin_ + up / size_;
    return {std::asin(std::tanh(log)) / degree, map_.longitude + right / size_ / degree,
            size_ * std::cosh(log), 0};
  }
  const double radius = std::hypot(right, begin_ - up), angle = std::atan2(right, begin_ - up);
  const double t = std::pow(radius / size_, 1 / cone_);
  return {
      hemisphere_ * (pi / 2 - 2 * std::atan(t)) / degree, map_.longitude + angle / cone_ / degree,
      cone_ * size_ * (std::pow(t, cone_ - 1) + std::pow(t, cone_ + 1)) / 2, hemisphere_ * angle};
}

double Projection::coriolis(double x, double y) const {
  return 2 * map_.earth_rotation * std::sin(at(x, y).latitude * degree);
}

/// East and north, as long as the sine of the angle between both places.
std::array<double, 2> Projection::turning(const Place& center, const Place& place) const {
  const double from = center.latitude * degree, to = place.latitude * degree,
               east = (place.longitude - center.longitude) * degree;
  return {std::sin(from) * std::cos(to) - std::cos(from) * std::sin(to) * std::cos(east),
          std::cos(from) * std::sin(east)};
}

double Projection::distance(const std::array<double, 2>& from, double x, double y) const {
  if (map_.is_plane()) return std::hypot(x - from[0], y - from[1]);
  const Place center = at(from[0], from[1]), place = at(x, y);
  const auto [east, north] = turning(center, place);
  const double along = std::sin(center.latitude * degree) * std::sin(place.latitude * degree) +
                       std::cos(center.latitude * degree) * std::cos(place.latitude * degree) *
                           std::cos((place.longitude - center.longitude) * degree);
  return map_.radius * std::atan2(std::hypot(east, north), along);
}

std::array<double, 3> Projection::around(const std::array<double, 2>& center, double x,
                                         double y) const {
  const double right = x - center[0], up = y - center[1];
  if (map_.is_plane()) return {-up, right, std::hypot(right, up)};
  const Place place = at(x, y);
  const auto [east, north] = turning(at(center[0], center[1]), place);
  const double c = std::cos(place.turn), s = std::sin(place.turn);
  return {east * c - north * s, east * s + north * c, std::hypot(east, north)};
}

}  // namespace goban::atmosphere
