#pragma once
// Curves as points of the plane, on the screen or on paper.

#include <optional>
#include <utility>
#include <vector>

#include "goban/io/picture/curve_picture.hpp"

namespace goban {

/// The ends of one axis of the plot: `given`, or what the finite coordinates span; on logarithmic
/// axes only positive ones count. `spare` is left free beyond them, as a share of the axis.
/// Error(usage) for a range that is not one.
std::pair<double, double> span_of(const std::vector<Curve>& curves,
                                  std::vector<double> Curve::*coordinates, AxisScale scale,
                                  const std::optional<std::pair<double, double>>& given,
                                  double spare);

/// The pieces of a curve between its gaps, in shares of both axes. Where many points fall on one of
/// `columns` columns, only the first, the last and the outermost two are kept.
std::vector<Polyline> pieces_of(const Curve& curve, const PlotAxis& x_axis, const PlotAxis& y_axis,
                                Index columns);

/// Error(usage) unless every curve has as many x as y.
void check_curves(const std::vector<Curve>& curves);

}  // namespace goban
