#pragma once
// Text as strokes: a small font of lines and curves that stays sharp at any size.

#include <string_view>
#include <vector>

namespace goban {

struct Point {
  double x = 0;
  double y = 0;
};
using Polyline = std::vector<Point>;

/// Strokes of one line of text: baseline from (0, 0) to the right, y up, capitals 1 high. ASCII and
/// a few signs in UTF-8 (degree, micro, superscript 2 and 3, middle dot, times, plus-minus); others
/// become a box. "m^2" and "10^-3" are set as superscripts.
std::vector<Polyline> strokes_of(std::string_view text);

/// Length of the baseline in heights of a capital.
double width_of(std::string_view text);

}  // namespace goban
