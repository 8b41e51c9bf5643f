#include "goban/io/picture/slice_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "goban/base/error.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/picture/axes.hpp"
#include "goban/io/picture/color_bar.hpp"
#include "goban/io/picture/plane_lines.hpp"
#include "goban/io/picture/value_range.hpp"

namespace goban {
namespace {

constexpr double least_pixels = 600;
constexpr double most_pixels = 2400;
constexpr double most_pixels_on_demand = 8000;
/// Pixels of a long plane upwards, so that its axes can be read.
constexpr double least_height = 120;
constexpr double steepest = 10;  ///< ratio of the sides

struct PlotSize {
  Index width;
  Index height;
  double exaggeration;  ///< how much longer lengths upwards are drawn
};

PlotSize size_of(const FlatPlane& plane, const SlicePictureOptions& options) {
  const auto cells_across = static_cast<double>(plane.width());
  const auto cells_up = static_cast<double>(plane.height());
  double cell_width = std::abs(options.spacing[index_of(plane.across())]);
  double cell_height = std::abs(options.spacing[index_of(plane.up())]);
  const double cell_ratio = cell_width / cell_height;
  if (!(cell_ratio > 1e-6 && cell_ratio < 1e6)) cell_width = cell_height = 1;
  const double plain = cells_across * cell_width / (cells_up * cell_height);
  const double ratio = std::clamp(plain / options.vertical_exaggeration, 1 / steepest, steepest);
  cell_height *= plain / ratio;
  const double shorter = std::min(cell_width, cell_height);
  const double across = cells_across * cell_width / shorter;  // pixels at one pixel a cell
  const double up = cells_up * cell_height / shorter;
  double scale = options.pixels_per_cell;
  double limit = most_pixels_on_demand;
  if (options.pixels_per_cell <= 0) {
    scale = std::ceil(
        std::max(least_pixels / std::max(across, up), least_height / std::min(across, up)));
    limit = most_pixels;
  }
  scale = std::min(scale, limit / std::max(across, up));
  return {std::max(Index{1}, static_cast<Index>(std::lround(across * scale))),
          std::max(Index{1}, static_cast<Index>(std::lround(up * scale))), plain / ratio};
}

/// Value at a position in cells, linear between cell centres; beside a cell that has no value, that
/// of the cell itself.
double interpolated(const FlatPlane& plane, double across, double up) {
  const auto limited = [](double centre, Index cells) {
    return std::clamp(centre - 0.5, 0.0, static_cast<double>(cells - 1));
  };
  const double x = limited(across, plane.width());
  const double y = limited(up, plane.height());
  const auto i = static_cast<Index>(x);
  const auto j = static_cast<Index>(y);
  const Index i1 = std::min(i + 1, plane.width() - 1);
  const Index j1 = std::min(j + 1, plane.height() - 1);
  const double s = x - static_cast<double>(i);
  const double t = y - static_cast<double>(j);
  const double value = (1 - t) * ((1 - s) * plane.at(i, j) + s * plane.at(i1, j)) +
                       t * ((1 - s) * plane.at(i, j1) + s * plane.at(i1, j1));
  return std::isnan(value) ? plane.at(static_cast<Index>(across), static_cast<Index>(up)) : value;
}

Image pixels_of(const FlatPlane& plane, const PlotSize& size, const ValueColors& colors,
                bool smooth) {
  Image image(size.width, size.height);
  const double cells_across = static_cast<double>(plane.width()) / static_cast<double>(size.width);
  const double cells_up = static_cast<double>(plane.height()) / static_cast<double>(size.height);
  for (Index y = 0; y < size.height; ++y) {
    const Index j = y * plane.height() / size.height;
    const Index j1 = std::max(j + 1, (y + 1) * plane.height() / size.height);
    for (Index x = 0; x < size.width; ++x) {
      const Index i = x * plane.width() / size.width;
      const Index i1 = std::max(i + 1, (x + 1) * plane.width() / size.width);
      const bool between = smooth && i1 == i + 1 && j1 == j + 1;
      const double value = between
                               ? interpolated(plane, (static_cast<double>(x) + 0.5) * cells_across,
                                              (static_cast<double>(y) + 0.5) * cells_up)
                               : plane.mean(i, i1, j, j1);
      image.set(x, size.height - 1 - y, colors.at(value));
    }
  }
  return image;
}

/// Draws lines along the edges between cells of different values.
void draw_outline(Canvas& canvas, const PlotBox& box, const FlatPlane& plane, double width) {
  const double across = box.width() / static_cast<double>(plane.width());
  const double up = box.height() / static_cast<double>(plane.height());
  const auto x = [&](Index i) { return box.left + static_cast<double>(i) * across; };
  const auto y = [&](Index j) { return box.bottom - static_cast<double>(j) * up; };
  std::vector<Polyline> lines;
  for (Index j = 0; j < plane.height(); ++j) {
    for (Index i = 0; i < plane.width(); ++i) {
      const double here = plane.at(i, j);
      if (i + 1 < plane.width() && plane.at(i + 1, j) != here) {
        lines.push_back({{x(i + 1), y(j)}, {x(i + 1), y(j + 1)}});
      }
      if (j + 1 < plane.height() && plane.at(i, j + 1) != here) {
        lines.push_back({{x(i), y(j + 1)}, {x(i + 1), y(j + 1)}});
      }
    }
  }
  canvas.draw_lines(lines, width, ink);
}

/// Draws lines that are given in cells.
void draw_in_cells(Canvas& canvas, const PlotBox& box, const FlatPlane& plane,
                   std::vector<Polyline> lines, double width) {
  const double across = box.width() / static_cast<double>(plane.width());
  const double up = box.height() / static_cast<double>(plane.height());
  for (Polyline& line : lines) {
    for (Point& p : line) p = {box.left + p.x * across, box.bottom - p.y * up};
  }
  canvas.draw_lines(lines, width, ink);
}

void draw_contours(Canvas& canvas, const PlotBox& box, const FlatPlane& plane,
                   const std::vector<double>& levels, double width) {
  for (const double level : levels) {
    draw_in_cells(canvas, box, plane, contour_lines(plane, level), width);
  }
}

/// Draws streamlines, each with an arrow in its middle.
void draw_streamlines(Canvas& canvas, const PlotBox& box, const FlatPlane& plane,
                      const SlicePictureOptions& options, double width) {
  const auto in_cells = [&](const ArrayView& part, Axis along) {
    Array values(ElementType::float64, part.extents);
    const double h = options.spacing[index_of(along)];
    std::size_t n = 0;
    for (Index3 i{}; i[2] < part.extents[2]; ++i[2]) {
      for (i[1] = 0; i[1] < part.extents[1]; ++i[1]) {
        for (i[0] = 0; i[0] < part.extents[0]; ++i[0]) {
          values.as<double>()[n++] = part.at(i[0], i[1], i[2]) / h;
        }
      }
    }
    return values;
  };
  const Array u = in_cells((*options.velocity)[0], plane.across());
  const Array v = in_cells((*options.velocity)[1], plane.up());
  const FlatPlane right(u.view(), 0), upwards(v.view(), 0);
  require(right.width() == plane.width() && right.height() == plane.height(),
          "the streamlines of a picture are refused", "the velocity is of other cells");
  const double cell_width = box.width() / static_cast<double>(plane.width());
  const double cell_height = box.height() / static_cast<double>(plane.height());
  const auto lines = streamlines(right, upwards, cell_height / cell_width);
  draw_in_cells(canvas, box, plane, lines, width);
  for (const Polyline& line : lines) {
    const Point from = line[line.size() / 2 - 1], to = line[line.size() / 2];
    double dx = (to.x - from.x) * cell_width, dy = (from.y - to.y) * cell_height;
    const double length = std::hypot(dx, dy), arrow = 5 * width;
    dx *= arrow / length, dy *= arrow / length;
    const Point tip = {box.left + to.x * cell_width + dx, box.bottom - to.y * cell_height + dy};
    canvas.fill_polygon({tip,
                         {tip.x - 2 * dx - 0.7 * dy, tip.y - 2 * dy + 0.7 * dx},
                         {tip.x - 2 * dx + 0.7 * dy, tip.y - 2 * dy - 0.7 * dx}},
                        ink);
  }
}

/// What of a convex shape lies on the side of a line where side(point) is positive.
template <class Side>
Polyline clipped(const Polyline& corners, const Side& side) {
  Polyline kept;
  for (std::size_t n = 0; n < corners.size(); ++n) {
    const Point &a = corners[n], &b = corners[(n + 1) % corners.size()];
    const double at_a = side(a), at_b = side(b);
    if (at_a >= 0) kept.push_back(a);
    if ((at_a < 0) == (at_b < 0)) continue;
    const double part = at_a / (at_a - at_b);
    kept.push_back({a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)});
  }
  return kept;
}

/// Red, with a darker line around it.
void draw_shapes(Canvas& canvas, const PlotBox& box, const FlatPlane& plane,
                 const SlicePictureOptions& options, double width) {
  constexpr Color inside = {196, 38, 46}, edge = {92, 8, 16};
  const auto scale = [&](Axis axis, Index cells, double pixels) {
    return pixels / (static_cast<double>(cells) * options.spacing[index_of(axis)]);
  };
  const double across = scale(plane.across(), plane.width(), box.width());
  const double up = scale(plane.up(), plane.height(), box.height());
  std::vector<Polyline> edges;
  for (Polyline shape : options.shapes) {
    for (Point& p : shape) {
      p = {box.left + (p.x - options.origin[index_of(plane.across())]) * across,
           box.bottom - (p.y - options.origin[index_of(plane.up())]) * up};
    }
    shape = clipped(shape, [&](const Point& p) { return p.x - box.left; });
    shape = clipped(shape, [&](const Point& p) { return box.right - p.x; });
    shape = clipped(shape, [&](const Point& p) { return p.y - box.top; });
    shape = clipped(shape, [&](const Point& p) { return box.bottom - p.y; });
    if (shape.empty()) continue;
    canvas.fill_polygon(shape, inside);
    shape.push_back(shape.front());
    edges.push_back(std::move(shape));
  }
  canvas.draw_lines(edges, width, edge);
}

PlotAxis length_axis(Axis axis, Index cells, const SlicePictureOptions& options, double pixels,
                     double text, bool across) {
  const double begin = options.origin[index_of(axis)];
  const double end = begin + static_cast<double>(cells) * options.spacing[index_of(axis)];
  const bool usable = std::isfinite(begin) && std::isfinite(end) && end != begin;
  PlotAxis result = plot_axis(usable ? std::min(begin, end) : 0,
                              usable ? std::max(begin, end) : static_cast<double>(cells),
                              AxisScale::linear, pixels, text, across, options.length_unit);
  if (usable && end < begin) std::swap(result.low, result.high);
  constexpr const char* names[] = {"x", "y", "z"};
  result.title = result.ticks.title(names[index_of(axis)], options.length_unit);
  return result;
}

}  // namespace

std::string slice_picture(const ArrayView& view, const SlicePictureOptions& options,
                          PictureFormat format) {
  const FlatPlane plane(view, options.component);
  const ValueSummary summary = summary_of(plane);
  const Colormap map = options.colormap.value_or(fitting_colormap(plane, summary));
  const ValueRange range = options.range
                               ? given_range(summary, options.range->first, options.range->second)
                               : automatic_range(summary, map);

  const PlotSize size = size_of(plane, options);
  const auto width = static_cast<double>(size.width);
  const auto height = static_cast<double>(size.height);
  const double text = std::clamp(0.0165 * std::max(width, height), 9.5, 32.0);
  const double margin = 1.6 * text;

  const PlotAxis x_axis = length_axis(plane.across(), plane.width(), options, width, text, true);
  PlotAxis y_axis = length_axis(plane.up(), plane.height(), options, height, text, false);
  if (std::abs(size.exaggeration - 1) > 0.005) {
    y_axis.title += fmt::format(", vertical exaggeration {:.3g}", size.exaggeration);
  }
  const ColorBar bar(map, range, summary, height, text,
                     options.name.empty() ? view.name : options.name, options.unit);

  PlotBox box{.left = std::ceil(margin + width_beside(y_axis, text)), .top = margin};
  box.right = box.left + width;
  const double canvas_width = std::ceil(bar.beside(box).right + bar.width_beside() + margin);
  const Heading heading(options.title, text, canvas_width - 2 * margin);
  box.top = std::ceil(margin + heading.height());
  box.bottom = box.top + height;
  const PlotBox bar_box = bar.beside(box);
  Canvas canvas(format, canvas_width, std::ceil(box.bottom + height_below(x_axis, text) + margin));

  canvas.draw_image({box.left, box.top},
                    pixels_of(plane, size, ValueColors(map, range), options.smooth));
  if (options.outline) {
    const FlatPlane outline(*options.outline, 0);
    require(outline.width() == plane.width() && outline.height() == plane.height(),
            "the outline of a picture is refused", "it is of other cells");
    draw_outline(canvas, box, outline, std::max(1.0, 0.12 * text));
  }
  draw_contours(canvas, box, plane, options.contours, std::max(1.0, 0.08 * text));
  if (options.velocity) {
    draw_streamlines(canvas, box, plane, options, std::max(1.0, 0.08 * text));
  }
  draw_shapes(canvas, box, plane, options, std::max(1.0, 0.1 * text));
  draw_frame(canvas, box);
  draw_axis_below(canvas, box, x_axis, text);
  draw_axis_beside(canvas, box, y_axis, text, Side::low);
  bar.draw(canvas, bar_box);
  heading.draw(canvas, (box.left + box.right) / 2, box.top);
  return canvas.finish();
}

void write_slice_picture(const std::filesystem::path& path, const ArrayView& plane,
                         const SlicePictureOptions& options) {
  write_file(path, slice_picture(plane, options, picture_format(path)));
}

}  // namespace goban
