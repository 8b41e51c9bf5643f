#include "goban/io/picture/plot_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "goban/base/error.hpp"

namespace goban {
namespace {

/// The points that fall on one column, of which four say where ink is.
class Column {
 public:
  bool holds(Index index) const { return index_ == index; }

  void open(Index index, Point point) {
    index_ = index;
    first_ = lowest_ = highest_ = last_ = point;
    count_ = 1;
  }
  void add(Point point) {
    if (point.y < lowest_.y) lowest_ = point;
    if (point.y > highest_.y) highest_ = point;
    last_ = point;
    ++count_;
  }
  void close(Polyline& line) {
    if (count_ > 0) line.push_back(first_);
    if (count_ > 2) {
      line.push_back(lowest_);
      line.push_back(highest_);
    }
    if (count_ > 1) line.push_back(last_);
    count_ = 0;
    index_ = -1;
  }

 private:
  Index index_ = -1;
  Index count_ = 0;
  Point first_, lowest_, highest_, last_;
};

/// Positive, and not so near the limits of numbers that an axis has no room around it.
bool has_logarithm(double value) { return value > 1e-250 && value < 1e250; }

}  // namespace

void check_curves(const std::vector<Curve>& curves) {
  for (const Curve& curve : curves)
    require(
        curve.x.size() == curve.y.size(),
        fmt::format("curve '{}' has {} x and {} y", curve.label, curve.x.size(), curve.y.size()));
}

std::pair<double, double> span_of(const std::vector<Curve>& curves,
                                  std::vector<double> Curve::*coordinates, AxisScale scale,
                                  const std::optional<std::pair<double, double>>& given,
                                  double spare) {
  const bool logarithmic = scale == AxisScale::logarithmic;
  if (given) {
    const auto& [low, high] = *given;
    require(std::isfinite(low) && std::isfinite(high) && low < high &&
                (!logarithmic || (has_logarithm(low) && has_logarithm(high))),
            fmt::format("an axis from {} to {} is not usable", low, high));
    return *given;
  }
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const Curve& curve : curves)
    for (const double value : curve.*coordinates)
      if (logarithmic ? has_logarithm(value) : std::isfinite(value)) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
  if (low > high) return logarithmic ? std::pair(1.0, 10.0) : std::pair(0.0, 1.0);
  if (logarithmic) {
    const double spread = std::log10(high) - std::log10(low);
    const double rest = spread > 4e-4 ? spread * spare : 0.3;
    return {low / std::pow(10.0, rest), high * std::pow(10.0, rest)};
  }
  const auto wide = widened(low, high);
  const double rest = (wide.second / 2 - wide.first / 2) * 2 * spare;
  constexpr double most = std::numeric_limits<double>::max();
  return {std::max(-most, wide.first - rest), std::min(most, wide.second + rest)};
}

std::vector<Polyline> pieces_of(const Curve& curve, const PlotAxis& x_axis, const PlotAxis& y_axis,
                                Index columns) {
  std::vector<Polyline> pieces(1);
  Column column;
  for (std::size_t n = 0; n < curve.x.size(); ++n) {
    const Point point = {x_axis.share_of(curve.x[n]), y_axis.share_of(curve.y[n])};
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) {
      column.close(pieces.back());
      if (!pieces.back().empty()) pieces.emplace_back();
      continue;
    }
    const auto index =
        static_cast<Index>(std::clamp(point.x, -1.0, 2.0) * static_cast<double>(columns) +
                           static_cast<double>(columns));
    if (column.holds(index)) {
      column.add(point);
    } else {
      column.close(pieces.back());
      column.open(index, point);
    }
  }
  column.close(pieces.back());
  if (pieces.back().empty()) pieces.pop_back();
  return pieces;
}

}  // namespace goban
