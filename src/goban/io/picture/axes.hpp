#pragma once
// The frame around a plot: scales, marks, numbers and what they stand for.

#include <string>
#include <vector>

#include "goban/io/picture/canvas.hpp"
#include "goban/io/picture/ticks.hpp"

namespace goban {

inline constexpr Color ink = {38, 38, 44};

/// A rectangle of a picture, pixels.
struct PlotBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

enum class AxisScale { linear, logarithmic };

struct PlotAxis {
  double low = 0;
  double high = 1;
  AxisScale scale = AxisScale::linear;
  Ticks ticks;
  std::string title;

  /// 0 at `low`, 1 at `high`; NaN where a logarithm has none.
  double share_of(double value) const;
};

/// An axis of `pixels` with marks as dense as text of size `text` can be read: numbers below the
/// axis (`across`) need more room than beside it. `unit` of the values: it may get a prefix (see
/// linear_ticks).
PlotAxis plot_axis(double low, double high, AxisScale scale, double pixels, double text,
                   bool across, const std::string& unit = {});

/// Room that numbers, marks and title take below the box, or beside it.
double height_below(const PlotAxis& axis, double text);
double width_beside(const PlotAxis& axis, double text);

void draw_axis_below(Canvas& canvas, const PlotBox& box, const PlotAxis& axis, double text);
void draw_axis_beside(Canvas& canvas, const PlotBox& box, const PlotAxis& axis, double text,
                      Side side);

/// A thin line around the box, outside of its pixels.
void draw_frame(Canvas& canvas, const PlotBox& box);

/// The heading of a picture, above its plot: as many lines as it takes in `room`.
class Heading {
 public:
  Heading(const std::string& title, double text, double room);
  double height() const;
  /// Draws the lowest line above `bottom`, centred at `center` but inside of the canvas.
  void draw(Canvas& canvas, double center, double bottom) const;

 private:
  std::vector<std::string> lines_;
  double text_, room_;
};

/// The parts of `line` inside `box`, edges included.
std::vector<Polyline> clipped(const Polyline& line, const PlotBox& box);

}  // namespace goban
