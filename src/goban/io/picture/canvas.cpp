#include "goban/io/picture/canvas.hpp"

#include <algorithm>
#include <cmath>

namespace goban {
namespace {

/// Pixels that a shape may touch, clipped to the image.
struct PixelBox {
  Index left, top, right, bottom;  // right and bottom excluded
  PixelBox(const Image& image, double x0, double y0, double x1, double y1) {
    const auto clip = [](double v, Index limit) {
      return static_cast<Index>(std::clamp(v, 0.0, static_cast<double>(limit)));
    };
    left = clip(std::floor(x0), image.width);
    top = clip(std::floor(y0), image.height);
    right = clip(std::ceil(x1), image.width);
    bottom = clip(std::ceil(y1), image.height);
  }
  bool is_empty() const { return left >= right || top >= bottom; }
};

double distance_to_segment(Point p, Point a, Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double squared = dx * dx + dy * dy;
  const double along =
      squared > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / squared, 0.0, 1.0) : 0.0;
  return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

double overlap(double low, double high, Index pixel) {
  return std::max(0.0, std::min(high, static_cast<double>(pixel + 1)) -
                           std::max(low, static_cast<double>(pixel)));
}

}  // namespace

void Canvas::blend(Index x, Index y, Color color, double coverage) {
  std::uint8_t* pixel = image_.at(x, y);
  const double c = std::clamp(coverage, 0.0, 1.0);
  const auto mix = [&](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + (to - from) * c));
  };
  pixel[0] = mix(pixel[0], color.red);
  pixel[1] = mix(pixel[1], color.green);
  pixel[2] = mix(pixel[2], color.blue);
}

void Canvas::fill_rectangle(double left, double top, double right, double bottom, Color color) {
  const PixelBox box(image_, left, top, right, bottom);
  for (Index y = box.top; y < box.bottom; ++y)
    for (Index x = box.left; x < box.right; ++x)
      blend(x, y, color, overlap(left, right, x) * overlap(top, bottom, y));
}

void Canvas::fill_disc(Point center, double radius, Color color) {
  const PixelBox box(image_, center.x - radius - 1, center.y - radius - 1, center.x + radius + 1,
                     center.y + radius + 1);
  for (Index y = box.top; y < box.bottom; ++y)
    for (Index x = box.left; x < box.right; ++x) {
      const double distance = std::hypot(static_cast<double>(x) + 0.5 - center.x,
                                         static_cast<double>(y) + 0.5 - center.y);
      blend(x, y, color, radius - distance + 0.5);
    }
}

void Canvas::fill_triangle(Point a, Point b, Point c, Color color) {
  const auto [left, right] = std::minmax({a.x, b.x, c.x});
  const auto [top, bottom] = std::minmax({a.y, b.y, c.y});
  const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (area < 0) std::swap(b, c);
  const auto depth = [](Point p, Point from, Point to) {  // signed distance to the left of an edge
    return ((to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x)) /
           std::hypot(to.x - from.x, to.y - from.y);
  };
  const PixelBox box(image_, left - 1, top - 1, right + 1, bottom + 1);
  for (Index y = box.top; y < box.bottom; ++y)
    for (Index x = box.left; x < box.right; ++x) {
      const Point p = {static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
      blend(x, y, color, 0.5 + std::min({depth(p, a, b), depth(p, b, c), depth(p, c, a)}));
    }
}

void Canvas::draw_lines(const std::vector<Polyline>& lines, double thickness, Color color) {
  const double reach = thickness / 2 + 1;
  double x0 = 1e300, y0 = 1e300, x1 = -1e300, y1 = -1e300;
  for (const Polyline& line : lines)
    for (const Point& point : line) {
      x0 = std::min(x0, point.x - reach);
      x1 = std::max(x1, point.x + reach);
      y0 = std::min(y0, point.y - reach);
      y1 = std::max(y1, point.y + reach);
    }
  const PixelBox all(image_, x0, y0, x1, y1);
  if (all.is_empty()) return;
  const Index width = all.right - all.left;
  std::vector<float> coverage(static_cast<std::size_t>(width * (all.bottom - all.top)), 0.0f);
  for (const Polyline& line : lines)
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      const Point a = line[i];
      const Point b = line[i + 1];
      const PixelBox box(image_, std::min(a.x, b.x) - reach, std::min(a.y, b.y) - reach,
                         std::max(a.x, b.x) + reach, std::max(a.y, b.y) + reach);
      for (Index y = box.top; y < box.bottom; ++y)
        for (Index x = box.left; x < box.right; ++x) {
          const Point p = {static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
          const double covered = thickness / 2 + 0.5 - distance_to_segment(p, a, b);
          float& kept = coverage[static_cast<std::size_t>((y - all.top) * width + x - all.left)];
          kept = std::max(kept, static_cast<float>(covered));
        }
    }
  // A line thinner than a pixel is a paler line of one pixel.
  const double strength = std::min(1.0, thickness);
  for (Index y = all.top; y < all.bottom; ++y)
    for (Index x = all.left; x < all.right; ++x) {
      const float covered =
          coverage[static_cast<std::size_t>((y - all.top) * width + x - all.left)];
      if (covered > 0) blend(x, y, color, std::min(1.0f, covered) * strength);
    }
}

void Canvas::draw_text(Point anchor, std::string_view text, const TextStyle& style) {
  const double share = style.align == Align::left ? 0 : style.align == Align::center ? 0.5 : 1;
  const double shift = share * width_of(text);
  std::vector<Polyline> strokes = strokes_of(text);
  for (Polyline& stroke : strokes)
    for (Point& point : stroke) {
      const double along = (point.x - shift) * style.size;
      const double up = point.y * style.size;
      point = style.direction == Direction::right ? Point{anchor.x + along, anchor.y - up}
                                                  : Point{anchor.x - up, anchor.y - along};
    }
  draw_lines(strokes, std::max(1.1, style.weight * 0.115 * style.size), style.color);
}

}  // namespace goban
