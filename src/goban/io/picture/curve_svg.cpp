#include "goban/io/picture/curve_svg.hpp"

#include <fmt/format.h>

#include "goban/io/file/atomic_file.hpp"
#include "goban/io/picture/axes.hpp"
#include "goban/io/picture/colormap.hpp"
#include "goban/io/picture/plot_points.hpp"

namespace goban {
namespace {

constexpr double letter = 9;  // height of a capital
constexpr double font = 13;

std::string escaped_for_xml(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return safe;
}

std::string color_text(Color color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

std::string label(double x, double y, const std::string& anchor, const std::string& text,
                  const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, escaped_for_xml(text));
}

std::string rule(double x1, double y1, double x2, double y2, const std::string& color) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
      y2, color);
}

std::string stroke(const Polyline& line, CurveStyle style, const std::string& color) {
  std::string points;
  for (const Point& point : line) points += fmt::format("{:.1f},{:.1f} ", point.x, point.y);
  return fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{}/>\n", points,
      color, style == CurveStyle::dashed ? " stroke-dasharray=\"7,5\"" : "");
}

std::string dot(const Point& at, const std::string& color) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.2\" fill=\"{}\"/>\n", at.x, at.y,
                     color);
}

std::string drawn(const Curve& curve, const PlotBox& box, const PlotAxis& x_axis,
                  const PlotAxis& y_axis, const std::string& color) {
  std::string text;
  for (Polyline& piece : pieces_of(curve, x_axis, y_axis, static_cast<Index>(box.width()))) {
    for (Point& point : piece) {
      point = {box.left + point.x * box.width(), box.bottom - point.y * box.height()};
    }
    if (curve.style != CurveStyle::points) {
      for (const Polyline& part : clipped(piece, box)) text += stroke(part, curve.style, color);
    }
    if (curve.style == CurveStyle::line || curve.style == CurveStyle::dashed) continue;
    for (const Point& point : piece) {
      const bool is_inside = point.x >= box.left && point.x <= box.right && point.y >= box.top &&
                             point.y <= box.bottom;
      if (is_inside) text += dot(point, color);
    }
  }
  return text;
}

}  // namespace

std::string curve_svg(const std::vector<Curve>& curves, const CurvePictureOptions& options) {
  check_curves(curves);
  const auto x_span = span_of(curves, &Curve::x, options.x_scale, options.x_range, 0);
  const auto y_span = span_of(curves, &Curve::y, options.y_scale, options.y_range, 0.05);
  const auto width = static_cast<double>(options.width),
             height = static_cast<double>(options.height);
  PlotBox box{.left = 80, .top = 45, .right = width - 25, .bottom = height - 60};
  const PlotAxis x_axis = plot_axis(x_span.first, x_span.second, options.x_scale, box.width(),
                                    letter, true, options.x_unit);
  const PlotAxis y_axis = plot_axis(y_span.first, y_span.second, options.y_scale, box.height(),
                                    letter, false, options.y_unit);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"{2}\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height, font);
  for (const Tick& tick : x_axis.ticks.marks) {
    if (tick.label.empty()) continue;
    const double x = box.left + x_axis.share_of(tick.value) * box.width();
    svg += rule(x, box.top, x, box.bottom, "#e4e4e8");
    svg += label(x, box.bottom + 20, "middle", tick.label);
  }
  for (const Tick& tick : y_axis.ticks.marks) {
    if (tick.label.empty()) continue;
    const double y = box.bottom - y_axis.share_of(tick.value) * box.height();
    svg += rule(box.left, y, box.right, y, "#e4e4e8");
    svg += label(box.left - 8, y + letter / 2, "end", tick.label);
  }
  double row = box.top + 20;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const std::string color = color_text(series_color(static_cast<int>(c)));
    svg += drawn(curves[c], box, x_axis, y_axis, color);
    if (curves[c].label.empty()) continue;
    if (curves[c].style != CurveStyle::points) {
      svg += stroke({{box.left + 15, row}, {box.left + 45, row}}, curves[c].style, color);
    }
    if (curves[c].style != CurveStyle::line && curves[c].style != CurveStyle::dashed) {
      svg += dot({box.left + 30, row}, color);
    }
    svg += label(box.left + 55, row + letter / 2, "start", curves[c].label);
    row += 20;
  }
  svg += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#26262c\"/>\n",
      box.left, box.top, box.width(), box.height());
  const double middle = (box.left + box.right) / 2, center = (box.top + box.bottom) / 2;
  svg += label(middle, height - 18, "middle", x_axis.ticks.title(options.x_name, options.x_unit));
  svg += label(22, center, "middle", y_axis.ticks.title(options.y_name, options.y_unit),
               fmt::format(" transform=\"rotate(-90 22 {:.1f})\"", center));
  if (!options.title.empty()) {
    svg += label(middle, 27, "middle", options.title, " font-weight=\"bold\"");
  }
  return svg + "</svg>\n";
}

void write_curve_svg(const std::filesystem::path& path, const std::vector<Curve>& curves,
                     const CurvePictureOptions& options) {
  write_file(path, curve_svg(curves, options));
}

}  // namespace goban
