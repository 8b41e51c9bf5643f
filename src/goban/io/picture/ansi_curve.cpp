#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "goban/base/printable.hpp"
#include "goban/io/picture/ansi_color.hpp"
#include "goban/io/picture/ansi_picture.hpp"
#include "goban/io/picture/axes.hpp"
#include "goban/io/picture/plot_points.hpp"

namespace goban {
namespace {

constexpr std::string_view letters = "*o+x#%@&";
constexpr std::size_t label_width = 9;

/// Characters of a plot: in colour each holds 2 x 4 dots, else one letter.
class TextCanvas {
 public:
  TextCanvas(Index columns, Index rows, TerminalColor color)
      : columns_(columns),
        rows_(rows),
        color_(color),
        dots_(static_cast<std::size_t>(columns * rows), 0),
        curves_(dots_.size(), -1) {}

  Index dots_across() const { return columns_ * (has_dots() ? 2 : 1); }
  Index dots_up() const { return rows_ * (has_dots() ? 4 : 1); }

  /// The dots of a point that can be seen.
  Polyline mark() const {
    if (!has_dots()) return {{0, 0}};
    return {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  }

  /// Dot (x, y) from the top left corner.
  void set(Index x, Index y, int curve) {
    if (x < 0 || y < 0 || x >= dots_across() || y >= dots_up()) return;
    constexpr std::array<std::array<std::uint8_t, 2>, 4> bits = {
        {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    const Index column = has_dots() ? x / 2 : x;
    const Index row = has_dots() ? y / 4 : y;
    const auto at = static_cast<std::size_t>(row * columns_ + column);
    dots_[at] = static_cast<std::uint8_t>(
        dots_[at] | bits[static_cast<std::size_t>(y % 4)][static_cast<std::size_t>(x % 2)]);
    curves_[at] = curve;
  }

  std::string row(Index r) const {
    std::string text;
    int current = -1;
    for (Index c = 0; c < columns_; ++c) {
      const auto at = static_cast<std::size_t>(r * columns_ + c);
      const int curve = curves_[at];
      if (curve >= 0 && curve != current) {
        text += ansi_foreground(series_color(curve), color_);
        current = curve;
      }
      if (curve < 0) {
        text += ' ';
      } else if (has_dots()) {
        text += "\xe2";  // U+2800 and the dots, in UTF-8
        text += static_cast<char>(0xa0 | dots_[at] >> 6);
        text += static_cast<char>(0x80 | (dots_[at] & 0x3f));
      } else {
        text += letters[static_cast<std::size_t>(curve) % letters.size()];
      }
    }
    while (text.ends_with(' ')) text.pop_back();
    return current >= 0 && color_ != TerminalColor::none ? text + ansi_reset : text;
  }

 private:
  bool has_dots() const { return color_ != TerminalColor::none; }

  Index columns_;
  Index rows_;
  TerminalColor color_;
  std::vector<std::uint8_t> dots_;
  std::vector<int> curves_;
};

void draw(TextCanvas& canvas, const Curve& curve, int number, const PlotAxis& x_axis,
          const PlotAxis& y_axis) {
  const auto width = static_cast<double>(canvas.dots_across() - 1);
  const auto height = static_cast<double>(canvas.dots_up() - 1);
  const auto dot = [&](Point p) { canvas.set(std::lround(p.x), std::lround(p.y), number); };
  for (Polyline& piece : pieces_of(curve, x_axis, y_axis, canvas.dots_across())) {
    for (Point& point : piece) point = {point.x * width, (1 - point.y) * height};
    const PlotBox box{.left = 0, .top = 0, .right = width, .bottom = height};
    if (curve.style == CurveStyle::points || piece.size() == 1) {
      for (const Point& point : piece)
        if (point.x >= 0 && point.x <= width && point.y >= 0 && point.y <= height)
          for (const Point& beside : canvas.mark()) dot({point.x + beside.x, point.y + beside.y});
      continue;
    }
    for (const Polyline& part : clipped(piece, box))
      for (std::size_t n = 1; n < part.size(); ++n) {
        const Point a = part[n - 1];
        const Point b = part[n];
        const double steps = std::ceil(std::max(std::abs(b.x - a.x), std::abs(b.y - a.y))) + 1;
        for (double s = 0; s <= steps; ++s)
          dot({a.x + s / steps * (b.x - a.x), a.y + s / steps * (b.y - a.y)});
      }
  }
}

/// `label` in front of the row nearest to each tick.
std::vector<std::string> labels_beside(const PlotAxis& axis, Index rows) {
  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  for (const Tick& tick : axis.ticks.marks) {
    const auto row = std::lround((1 - axis.share_of(tick.value)) * static_cast<double>(rows - 1));
    if (row >= 0 && row < rows && !tick.label.empty())
      labels[static_cast<std::size_t>(row)] = tick.label;
  }
  return labels;
}

std::string labels_below(const PlotAxis& axis, Index columns) {
  const auto margin = static_cast<Index>(label_width) + 2;
  std::string line;
  for (const Tick& tick : axis.ticks.marks) {
    const auto size = static_cast<Index>(tick.label.size());
    const Index center =
        margin + std::lround(axis.share_of(tick.value) * static_cast<double>(columns - 1));
    const auto begin = static_cast<std::size_t>(
        std::clamp(center - size / 2, Index{0}, std::max(Index{0}, margin + columns - size)));
    if (tick.label.empty() || begin < line.size() + (line.empty() ? 0 : 1)) continue;
    line.resize(begin, ' ');
    line += tick.label;
  }
  return line;
}

/// Labels are ASCII: "2 x 10^3".
void use_ascii(PlotAxis& axis) {
  for (Tick& tick : axis.ticks.marks)
    if (const auto at = tick.label.find("\xc3\x97"); at != std::string::npos)
      tick.label = tick.label.substr(0, at - 1) + "x" + tick.label.substr(at + 3);
}

}  // namespace

std::string ansi_curve(const std::vector<Curve>& curves, const CurvePictureOptions& options,
                       TerminalSize size, TerminalColor color) {
  check_curves(curves);
  const auto x_span = span_of(curves, &Curve::x, options.x_scale, options.x_range, 0);
  const auto y_span = span_of(curves, &Curve::y, options.y_scale, options.y_range, 0.02);
  const Index columns = std::max<Index>(10, size.columns - static_cast<Index>(label_width) - 2);
  const Index rows = std::max<Index>(4, size.rows - 5 - (options.title.empty() ? 0 : 1));
  PlotAxis x_axis = plot_axis(x_span.first, x_span.second, options.x_scale,
                              static_cast<double>(columns), 1, true, options.x_unit);
  PlotAxis y_axis = plot_axis(y_span.first, y_span.second, options.y_scale,
                              static_cast<double>(rows), 0.9, false, options.y_unit);
  use_ascii(x_axis);
  use_ascii(y_axis);

  TextCanvas canvas(columns, rows, color);
  for (std::size_t c = 0; c < curves.size(); ++c)
    draw(canvas, curves[c], static_cast<int>(c), x_axis, y_axis);

  std::string text = options.title.empty() ? std::string() : printable(options.title) + "\n";
  text += printable(y_axis.ticks.title(options.y_name, options.y_unit)) + "\n";
  const auto labels = labels_beside(y_axis, rows);
  for (Index r = 0; r < rows; ++r)
    text += fmt::format("{:>{}} |{}\n", labels[static_cast<std::size_t>(r)], label_width,
                        canvas.row(r));
  text += fmt::format("{:>{}} +{:->{}}\n", "", label_width, "", columns);
  text += labels_below(x_axis, columns) + "\n";
  const std::string x_title = printable(x_axis.ticks.title(options.x_name, options.x_unit));
  if (!x_title.empty()) text += fmt::format("{:>{}}  {:^{}}\n", "", label_width, x_title, columns);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    if (curves[c].label.empty()) continue;
    const std::string sign = color == TerminalColor::none
                                 ? std::string(1, letters[c % letters.size()])
                                 : ansi_foreground(series_color(static_cast<int>(c)), color) +
                                       "\xe2\x94\x80\xe2\x94\x80" + ansi_reset;
    text += fmt::format("{}{} {}", c == 0 ? "" : "   ", sign, printable(curves[c].label));
  }
  while (text.ends_with(' ') || text.ends_with('\n')) text.pop_back();
  return text + "\n";
}

}  // namespace goban
