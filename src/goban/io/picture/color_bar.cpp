#include "goban/io/picture/color_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace goban {
namespace {

// Distances in heights of a capital.
constexpr double gap = 1.8;
constexpr double bar_width = 1.9;
constexpr double point_length = 1.9;
constexpr double least_block = 1.6;
constexpr double most_block = 3.4;

std::vector<double> blocks_of(Colormap map, const ValueRange& range, const ValueSummary& summary,
                              double room) {
  std::vector<double> blocks = summary.levels;
  if (map == Colormap::stones && blocks.size() == 1 && range.low == 0 && range.high == 1)
    blocks = {0, 1};
  const bool outside = range.values_below || range.values_above;
  if (outside || static_cast<double>(blocks.size()) > room) blocks.clear();
  return blocks;
}

}  // namespace

ColorBar::ColorBar(Colormap map, const ValueRange& range, const ValueSummary& summary,
                   double height, double text, const std::string& name, const std::string& unit)
    : map_(map),
      range_(range),
      text_(text),
      blocks_(blocks_of(map, range, summary, height / (least_block * text))) {
  if (blocks_.empty()) {
    axis_ = plot_axis(range.low, range.high, AxisScale::linear, height, text, false, unit);
  } else {
    const auto count = static_cast<double>(blocks_.size());
    axis_ = {.low = 0, .high = count, .scale = AxisScale::linear, .ticks = {}, .title = {}};
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      axis_.ticks.marks.push_back({static_cast<double>(b) + 0.5, fmt::format("{}", blocks_[b])});
  }
  axis_.title = axis_.ticks.title(name, unit);
}

PlotBox ColorBar::beside(const PlotBox& plot) const {
  const double left = std::round(plot.right + gap * text_);
  PlotBox box = plot;
  box.left = left;
  box.right = left + std::round(bar_width * text_);
  const double most = static_cast<double>(blocks_.size()) * most_block * text_;
  if (!blocks_.empty() && plot.height() > most) {
    box.top = std::round((plot.top + plot.bottom - most) / 2);
    box.bottom = box.top + std::round(most);
  }
  return box;
}

double ColorBar::width_beside() const { return goban::width_beside(axis_, text_); }

void ColorBar::draw(Canvas& canvas, const PlotBox& box) const {
  if (blocks_.empty()) {
    draw_gradient(canvas, box);
  } else {
    draw_blocks(canvas, box);
  }
}

void ColorBar::draw_blocks(Canvas& canvas, const PlotBox& box) const {
  const ValueColors colors(map_, range_);
  const auto count = static_cast<double>(blocks_.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const double low = std::round(box.bottom - static_cast<double>(b) / count * box.height());
    const double high = std::round(box.bottom - static_cast<double>(b + 1) / count * box.height());
    canvas.fill_rectangle(box.left, high, box.right, low, colors.at(blocks_[b]));
    if (b > 0) canvas.draw_lines({{{box.left, low - 0.5}, {box.right, low - 0.5}}}, 1, ink);
  }
  draw_frame(canvas, box);
  draw_axis_beside(canvas, box, axis_, text_, Side::high);
}

void ColorBar::draw_gradient(Canvas& canvas, const PlotBox& box) const {
  const double point = std::round(std::min(point_length * text_, box.height() / 4));
  PlotBox body = box;
  if (range_.values_above) body.top += point;
  if (range_.values_below) body.bottom -= point;
  const double center = (box.left + box.right) / 2;
  if (range_.values_above)
    canvas.fill_polygon({{box.left, body.top}, {center, box.top}, {box.right, body.top}},
                        color_at(map_, 1));
  if (range_.values_below)
    canvas.fill_polygon({{box.left, body.bottom}, {center, box.bottom}, {box.right, body.bottom}},
                        color_at(map_, 0));
  Image gradient(static_cast<Index>(body.width()), static_cast<Index>(body.height()));
  for (Index y = 0; y < gradient.height; ++y) {
    const Color color =
        color_at(map_, 1 - (static_cast<double>(y) + 0.5) / static_cast<double>(gradient.height));
    for (Index x = 0; x < gradient.width; ++x) gradient.set(x, y, color);
  }
  canvas.draw_image({body.left, body.top}, gradient);
  Polyline outline = {{box.left - 0.5, body.bottom + 0.5}};
  if (range_.values_below) outline.push_back({center, box.bottom + 0.5});
  outline.push_back({box.right + 0.5, body.bottom + 0.5});
  outline.push_back({box.right + 0.5, body.top - 0.5});
  if (range_.values_above) outline.push_back({center, box.top - 0.5});
  outline.push_back({box.left - 0.5, body.top - 0.5});
  outline.push_back(outline.front());
  canvas.draw_lines({outline}, 1, ink);
  draw_axis_beside(canvas, body, axis_, text_, Side::high);
}

}  // namespace goban
