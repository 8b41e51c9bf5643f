#include "goban/io/picture/curve_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "goban/base/error.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/picture/axes.hpp"
#include "goban/io/picture/colormap.hpp"
#include "goban/io/picture/plot_points.hpp"

namespace goban {
namespace {

constexpr Index most_height = 30'000;  ///< pixels of all frames upwards
constexpr Color grid_color = {228, 228, 232};
constexpr Color legend_edge = {190, 190, 196};

// Distances in heights of a capital.
constexpr double curve_width = 0.19;
constexpr double point_radius = 0.34;
constexpr double sample_length = 2.6;
constexpr double row_height = 1.9;

bool has_line(CurveStyle style) { return style != CurveStyle::points; }
bool has_points(CurveStyle style) {
  return style == CurveStyle::points || style == CurveStyle::line_and_points;
}

void draw_line(Canvas& canvas, const std::vector<Polyline>& lines, CurveStyle style, double text,
               Color color) {
  std::vector<double> dashes;
  if (style == CurveStyle::dashed) dashes = {0.7 * text, 0.9 * text};
  canvas.draw_lines(lines, curve_width * text, color, dashes);
}

void draw_grid(Canvas& canvas, const PlotBox& box, const PlotAxis& x_axis, const PlotAxis& y_axis) {
  std::vector<Polyline> lines;
  for (const Tick& tick : x_axis.ticks.marks) {
    const double x = std::floor(box.left + x_axis.share_of(tick.value) * (box.width() - 1)) + 0.5;
    if (!tick.label.empty()) lines.push_back({{x, box.top}, {x, box.bottom}});
  }
  for (const Tick& tick : y_axis.ticks.marks) {
    const double y =
        std::floor(box.bottom - 1 - y_axis.share_of(tick.value) * (box.height() - 1)) + 0.5;
    if (!tick.label.empty()) lines.push_back({{box.left, y}, {box.right, y}});
  }
  canvas.draw_lines(lines, 1, grid_color);
}

/// What a curve leaves in the plot: pieces of line and points, in pixels.
struct Strokes {
  std::vector<Polyline> lines;
  std::vector<Point> points;
};

Strokes strokes_in(const PlotBox& box, const Curve& curve, const PlotAxis& x_axis,
                   const PlotAxis& y_axis) {
  Strokes strokes;
  for (Polyline& piece : pieces_of(curve, x_axis, y_axis, static_cast<Index>(box.width()))) {
    for (Point& point : piece) {
      point = {box.left + point.x * box.width(), box.bottom - point.y * box.height()};
      const bool inside = point.x >= box.left && point.x <= box.right && point.y >= box.top &&
                          point.y <= box.bottom;
      if (has_points(curve.style) && inside) strokes.points.push_back(point);
    }
    if (has_line(curve.style))
      for (Polyline& part : clipped(piece, box)) strokes.lines.push_back(std::move(part));
  }
  return strokes;
}

/// The corner of `box` with the fewest strokes behind a legend of that size.
PlotBox place_of_legend(const PlotBox& box, double width, double height, double text,
                        const std::vector<Strokes>& all) {
  const double gap = text;
  std::array<PlotBox, 4> places;
  for (int corner = 0; corner < 4; ++corner) {
    const double left = corner % 2 == 0 ? box.right - gap - width : box.left + gap;
    const double top = corner < 2 ? box.top + gap : box.bottom - gap - height;
    places[static_cast<std::size_t>(corner)] = {left, top, left + width, top + height};
  }
  double least = HUGE_VAL;
  PlotBox best = places[0];
  for (const PlotBox& place : places) {
    double covered = 0;
    for (const Strokes& strokes : all) {
      for (const Polyline& line : strokes.lines)
        for (const Polyline& part : clipped(line, place))
          for (std::size_t n = 1; n < part.size(); ++n)
            covered += std::hypot(part[n].x - part[n - 1].x, part[n].y - part[n - 1].y);
      for (const Point& point : strokes.points)
        if (point.x > place.left && point.x < place.right && point.y > place.top &&
            point.y < place.bottom)
          covered += text;
    }
    if (covered < least) {
      least = covered;
      best = place;
    }
  }
  return best;
}

void draw_legend(Canvas& canvas, const PlotBox& box, const std::vector<Curve>& curves,
                 const std::vector<Strokes>& strokes, double text) {
  double widest = 0;
  int rows = 0;
  for (const Curve& curve : curves) {
    if (curve.label.empty()) continue;
    widest = std::max(widest, width_of(curve.label));
    ++rows;
  }
  if (rows == 0) return;
  const double width = (sample_length + widest + 2.2) * text;
  const double height = (rows * row_height + 0.7) * text;
  if (width > box.width() || height > box.height()) return;
  const PlotBox place = place_of_legend(box, width, height, text, strokes);
  canvas.fill_rectangle(place.left, place.top, place.right, place.bottom, {255, 255, 255});
  canvas.draw_lines({{{place.left, place.top},
                      {place.right, place.top},
                      {place.right, place.bottom},
                      {place.left, place.bottom},
                      {place.left, place.top}}},
                    1, legend_edge);
  double y = place.top + (0.35 + row_height / 2) * text;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    if (curves[c].label.empty()) continue;
    const Color color = series_color(static_cast<int>(c));
    const Point from = {place.left + 0.7 * text, y};
    const Point to = {from.x + sample_length * text, y};
    if (has_line(curves[c].style)) draw_line(canvas, {{from, to}}, curves[c].style, text, color);
    if (has_points(curves[c].style))
      canvas.fill_disc({(from.x + to.x) / 2, y}, point_radius * text, color);
    canvas.draw_text({to.x + 0.8 * text, y + text / 2}, curves[c].label,
                     {.size = text, .color = ink});
    y += row_height * text;
  }
}

Index width_of(const CurvePictureOptions& options) {
  return std::clamp<Index>(options.width, 300, 8000);
}
Index height_of(const CurvePictureOptions& options) {
  return std::clamp<Index>(options.height, 200, 8000);
}

/// Draws a frame below `top` of the canvas.
void draw(Canvas& canvas, const CurveFrame& frame, double top) {
  const auto& [curves, options] = frame;
  check_curves(curves);
  const auto x_span = span_of(curves, &Curve::x, options.x_scale, options.x_range, 0);
  const auto y_span = span_of(curves, &Curve::y, options.y_scale, options.y_range, 0.05);
  const auto width = static_cast<double>(width_of(options));
  const auto height = static_cast<double>(height_of(options));
  const double text = std::clamp(0.0145 * std::max(width, height), 8.0, 40.0);
  const double margin = 1.6 * text;
  const Heading heading(options.title, text, width - 2 * margin);

  PlotBox box{.top = std::ceil(top + margin + heading.height()),
              .right = std::floor(width - 2 * margin)};
  PlotAxis x_axis = plot_axis(x_span.first, x_span.second, options.x_scale, 0.85 * width, text,
                              true, options.x_unit);
  x_axis.title = x_axis.ticks.title(options.x_name, options.x_unit);
  box.bottom = std::floor(top + height - margin - height_below(x_axis, text));
  PlotAxis y_axis = plot_axis(y_span.first, y_span.second, options.y_scale, box.height(), text,
                              false, options.y_unit);
  y_axis.title = y_axis.ticks.title(options.y_name, options.y_unit);
  box.left = std::ceil(margin + width_beside(y_axis, text));

  draw_grid(canvas, box, x_axis, y_axis);
  std::vector<Strokes> all;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    all.push_back(strokes_in(box, curves[c], x_axis, y_axis));
    const Color color = series_color(static_cast<int>(c));
    draw_line(canvas, all.back().lines, curves[c].style, text, color);
    for (const Point& point : all.back().points) {
      canvas.fill_disc(point, point_radius * text, color);
    }
  }
  draw_frame(canvas, box);
  draw_axis_below(canvas, box, x_axis, text);
  draw_axis_beside(canvas, box, y_axis, text, Side::low);
  draw_legend(canvas, box, curves, all, text);
  heading.draw(canvas, (box.left + box.right) / 2, box.top);
}

}  // namespace

std::string curve_picture(const std::vector<CurveFrame>& frames, PictureFormat format) {
  Index width = 0, height = 0;
  for (const CurveFrame& frame : frames) {
    width = std::max(width, width_of(frame.options));
    height += height_of(frame.options);
  }
  require(height > 0 && height <= most_height, "a picture of curves is refused",
          fmt::format("it would be {} pixels high", height));
  Canvas canvas(format, static_cast<double>(width), static_cast<double>(height));
  double top = 0;
  for (const CurveFrame& frame : frames) {
    draw(canvas, frame, top);
    top += static_cast<double>(height_of(frame.options));
  }
  return canvas.finish();
}

void write_curve_picture(const std::filesystem::path& path, const std::vector<CurveFrame>& frames) {
  write_file(path, curve_picture(frames, picture_format(path)));
}

}  // namespace goban
