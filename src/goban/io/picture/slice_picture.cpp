#include "goban/io/picture/slice_picture.hpp"

#include <algorithm>
#include <cmath>

#include "goban/base/error.hpp"
#include "goban/io/image/png.hpp"
#include "goban/io/picture/axes.hpp"
#include "goban/io/picture/color_bar.hpp"
#include "goban/io/picture/value_range.hpp"

namespace goban {
namespace {

constexpr double least_pixels = 600;
constexpr double most_pixels = 2400;
constexpr double most_pixels_on_demand = 8000;
constexpr double least_height = 120;  ///< of a long plane, so that its axes can be read
constexpr double steepest = 10;       ///< ratio of the sides

struct PixelSize {
  Index width;
  Index height;
};

PixelSize size_of(const FlatPlane& plane, const SlicePictureOptions& options) {
  const auto cells_across = static_cast<double>(plane.width());
  const auto cells_up = static_cast<double>(plane.height());
  double cell_width = std::abs(options.spacing[index_of(plane.across())]);
  double cell_height = std::abs(options.spacing[index_of(plane.up())]);
  const double cell_ratio = cell_width / cell_height;
  if (!(cell_ratio > 1e-6 && cell_ratio < 1e6)) cell_width = cell_height = 1;
  const double ratio = cells_across * cell_width / (cells_up * cell_height);
  const double allowed = std::clamp(ratio, 1 / steepest, steepest);
  cell_width *= allowed / ratio;
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
          std::max(Index{1}, static_cast<Index>(std::lround(up * scale)))};
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

void paint(Image& image, const PlotBox& box, const FlatPlane& plane, const ValueColors& colors,
           bool smooth) {
  const auto width = static_cast<Index>(box.width());
  const auto height = static_cast<Index>(box.height());
  const auto left = static_cast<Index>(box.left);
  const auto bottom = static_cast<Index>(box.bottom);
  const double cells_across = static_cast<double>(plane.width()) / box.width();
  const double cells_up = static_cast<double>(plane.height()) / box.height();
  for (Index y = 0; y < height; ++y) {
    const Index j = y * plane.height() / height;
    const Index j1 = std::max(j + 1, (y + 1) * plane.height() / height);
    for (Index x = 0; x < width; ++x) {
      const Index i = x * plane.width() / width;
      const Index i1 = std::max(i + 1, (x + 1) * plane.width() / width);
      const bool between = smooth && i1 == i + 1 && j1 == j + 1;
      const double value = between
                               ? interpolated(plane, (static_cast<double>(x) + 0.5) * cells_across,
                                              (static_cast<double>(y) + 0.5) * cells_up)
                               : plane.mean(i, i1, j, j1);
      const Color color = colors.at(value);
      std::uint8_t* pixel = image.at(left + x, bottom - 1 - y);
      pixel[0] = color.red;
      pixel[1] = color.green;
      pixel[2] = color.blue;
    }
  }
}

/// Along the edges between cells of different values.
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

Image slice_picture(const ArrayView& view, const SlicePictureOptions& options) {
  const FlatPlane plane(view, options.component);
  const ValueSummary summary = summary_of(plane);
  const Colormap map = options.colormap.value_or(fitting_colormap(plane, summary));
  const ValueRange range = options.range
                               ? given_range(summary, options.range->first, options.range->second)
                               : automatic_range(summary, map);

  const PixelSize size = size_of(plane, options);
  const auto width = static_cast<double>(size.width);
  const auto height = static_cast<double>(size.height);
  const double text = std::clamp(0.0165 * std::max(width, height), 9.5, 32.0);
  const double margin = 1.6 * text;

  const PlotAxis x_axis = length_axis(plane.across(), plane.width(), options, width, text, true);
  const PlotAxis y_axis = length_axis(plane.up(), plane.height(), options, height, text, false);
  const ColorBar bar(map, range, summary, height, text,
                     options.name.empty() ? view.name : options.name, options.unit);

  const double left = std::ceil(margin + width_beside(y_axis, text));
  const double top = std::ceil(options.title.empty() ? margin : margin + 3.2 * text);
  const PlotBox box{.left = left, .top = top, .right = left + width, .bottom = top + height};
  const PlotBox bar_box = bar.beside(box);
  Canvas canvas(static_cast<Index>(std::ceil(bar_box.right + bar.width_beside() + margin)),
                static_cast<Index>(std::ceil(box.bottom + height_below(x_axis, text) + margin)));

  paint(canvas.image(), box, plane, ValueColors(map, range), options.smooth);
  if (options.outline) {
    const FlatPlane outline(*options.outline, 0);
    require(outline.width() == plane.width() && outline.height() == plane.height(),
            "the outline of a picture is refused", "it is of other cells");
    draw_outline(canvas, box, outline, std::max(1.0, 0.12 * text));
  }
  draw_frame(canvas, box);
  draw_axis_below(canvas, box, x_axis, text);
  draw_axis_beside(canvas, box, y_axis, text, Side::low);
  bar.draw(canvas, bar_box);
  if (!options.title.empty())
    draw_title(canvas, {(box.left + box.right) / 2, top - 1.5 * text}, options.title, 1.45 * text,
               static_cast<double>(canvas.image().width) - 2 * margin);
  return std::move(canvas.image());
}

void write_slice_picture(const std::filesystem::path& path, const ArrayView& plane,
                         const SlicePictureOptions& options) {
  write_png(path, slice_picture(plane, options));
}

}  // namespace goban
