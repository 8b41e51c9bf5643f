#include "goban/simulation/output/interpolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "goban/base/error.hpp"
#include "goban/simulation/output/levels.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {
namespace {

constexpr std::size_t points_at_a_time = 32;  // whose cells are read as one box

using Corner = std::array<Between, 3>;

Corner corner_of(const AnyField& field, const Position& place) {
  const Position point = on_grid(field, place);
  return {between(field, 0, point.x), between(field, 1, point.y), between(field, 2, point.z)};
}

Box box_of(std::span<const Corner> corners) {
  Box box{{}, {}};
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    box.lower[a] = std::min(corners.front()[axis].low, corners.front()[axis].high);
    for (const Corner& corner : corners) {
      box.lower[a] = std::min({box.lower[a], corner[axis].low, corner[axis].high});
      box.upper[a] = std::max({box.upper[a], corner[axis].low + 1, corner[axis].high + 1});
    }
  }
  return box;
}

double value_in(const Array& values, const Index3& lower, const Corner& corner, int component) {
  double sum = 0;
  for (int n = 0; n < 8; ++n) {
    double weight = 1;
    Index3 at{};
    for (int a = 0; a < 3; ++a) {
      const Between& axis = corner[static_cast<std::size_t>(a)];
      const bool is_high = (n >> a & 1) != 0;
      weight *= is_high ? axis.share : 1 - axis.share;
      at[a] = (is_high ? axis.high : axis.low) - lower[a];
    }
    // What does not count may be NaN.
    if (weight > 0) sum += weight * values.at(at[0], at[1], at[2], component);
  }
  return sum;
}

}  // namespace

Between between(const AnyField& field, int axis, double coordinate) {
  constexpr double round_off = 1e-9;
  const GridState& grid = field.grid();
  const FieldRecord& record = *field.record();
  const Index values = grid.box(record.location).upper[axis];
  const double first = is_staggered(record.location, axis) ? 0 : 0.5;
  double place = (coordinate - grid.origin[axis]) / grid.spacing[axis] - first;
  const bool is_periodic = grid.is_box_periodic(axis);
  if (!is_periodic) place = std::clamp(place, 0.0, static_cast<double>(values - 1));
  const double below = std::floor(place);
  double share = place - below;
  const bool is_integer = record.type == ElementType::uint8 || record.type == ElementType::int32;
  if (is_integer) share = share < 0.5 ? 0 : 1;
  if (share < round_off) share = 0;
  if (share > 1 - round_off) share = 1;
  const auto low = static_cast<Index>(below);
  const auto wrapped = [&](Index i) {
    return is_periodic ? ((i % values) + values) % values : std::min(i, values - 1);
  };
  Between result{wrapped(low), wrapped(low + 1), share};
  if (share == 0) result.high = result.low;
  if (share == 1) result = {result.high, result.high, 0};
  return result;
}

std::vector<double> interpolated(const AnyField& field, std::span<const Position> points) {
  const int components = field.record()->components;
  std::vector<double> all;
  all.reserve(points.size() * static_cast<std::size_t>(components));
  for (std::size_t first = 0; first < points.size(); first += points_at_a_time) {
    std::vector<Corner> corners;
    for (const Position& point :
         points.subspan(first, std::min(points_at_a_time, points.size() - first))) {
      corners.push_back(corner_of(field, point));
    }
    const Box box = box_of(corners);
    const Array values = values_of(field, box);
    for (const Corner& corner : corners) {
      for (int c = 0; c < components; ++c) all.push_back(value_in(values, box.lower, corner, c));
    }
  }
  return all;
}

void check_inside(const AnyField& field, Position point) {
  const GridState& grid = field.grid();
  const Real3 at = {point.x, point.y, point.z};
  for (int a = 0; a < 3; ++a) {
    const double cells = (at[a] - grid.origin[a]) / grid.spacing[a];
    require(
        cells >= 0 && cells <= static_cast<double>(grid.box_cells()[a]),
        fmt::format("position ({}, {}, {}) is refused", at[0], at[1], at[2]),
        fmt::format("along {} the grid covers {} to {}", "xyz"[a], grid.origin[a],
                    grid.origin[a] + static_cast<double>(grid.box_cells()[a]) * grid.spacing[a]));
  }
  on_grid(field, point);
}

}  // namespace goban
