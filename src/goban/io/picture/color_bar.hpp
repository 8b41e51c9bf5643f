#pragma once
// The key to the colours of a slice.

#include <string>
#include <vector>

#include "goban/io/picture/axes.hpp"
#include "goban/io/picture/value_range.hpp"

namespace goban {

/// A bar with numbers beside it; pointed where values lie outside of the range. A few integers
/// become blocks, one for each.
class ColorBar {
 public:
  /// Makes a bar for a plot `height` pixels high, with text of size `text`.
  ColorBar(Colormap map, const ValueRange& range, const ValueSummary& summary, double height,
           double text, const std::string& name, const std::string& unit);

  /// The place of the bar, right of the plot.
  PlotBox beside(const PlotBox& plot) const;
  /// What the numbers and the title take right of that.
  double width_beside() const;
  void draw(Canvas& canvas, const PlotBox& box) const;

 private:
  void draw_blocks(Canvas& canvas, const PlotBox& box) const;
  void draw_gradient(Canvas& canvas, const PlotBox& box) const;

  Colormap map_;
  ValueRange range_;
  double text_;
  std::vector<double> blocks_;
  PlotAxis axis_;
};

}  // namespace goban
