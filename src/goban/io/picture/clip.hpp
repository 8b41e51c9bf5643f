#pragma once
// Lines cut off at the edges of a plot.

#include <vector>

#include "goban/io/picture/axes.hpp"

namespace goban {

/// The parts of `line` inside `box`, edges included.
std::vector<Polyline> clipped(const Polyline& line, const PlotBox& box);

}  // namespace goban
