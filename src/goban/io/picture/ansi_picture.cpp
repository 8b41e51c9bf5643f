#include "goban/io/picture/ansi_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "goban/base/printable.hpp"
#include "goban/io/picture/ansi_color.hpp"
#include "goban/io/picture/value_range.hpp"

namespace goban {
namespace {

constexpr std::string_view ramp = " .:-=+*#%@";
constexpr const char* upper_half = "\xe2\x96\x80";
constexpr int key_length = 20;

/// Rows and columns of values to show.
struct TextGrid {
  Index columns;
  Index rows;
};

/// The largest grid with the plane's proportions; `row_height` is that of a row over the width of a
/// column.
TextGrid grid_of(const FlatPlane& plane, const Real3& spacing, double most_columns,
                 double most_rows, double row_height) {
  double width = static_cast<double>(plane.width()) * spacing[index_of(plane.across())];
  double height = static_cast<double>(plane.height()) * spacing[index_of(plane.up())];
  if (!(width / height > 1e-6 && width / height < 1e6)) width = height = 1;
  const double columns = std::min(most_columns, most_rows * row_height * width / height);
  const double rows = std::min(most_rows, most_columns * height / width / row_height);
  return {std::max(Index{1}, static_cast<Index>(std::lround(columns))),
          std::max(Index{1}, static_cast<Index>(std::lround(rows)))};
}

/// Mean of the cells behind column c of row r from the top.
double value_at(const FlatPlane& plane, const TextGrid& grid, Index c, Index r) {
  const auto begin = [](Index n, Index cells, Index parts) { return n * cells / parts; };
  const Index up = grid.rows - 1 - r;
  const Index i = begin(c, plane.width(), grid.columns);
  const Index j = begin(up, plane.height(), grid.rows);
  return plane.mean(i, std::max(i + 1, begin(c + 1, plane.width(), grid.columns)), j,
                    std::max(j + 1, begin(up + 1, plane.height(), grid.rows)));
}

char letter_at(double share) {
  if (std::isnan(share)) return '?';
  const double position = std::clamp(share, 0.0, 1.0) * static_cast<double>(ramp.size());
  return ramp[std::min(static_cast<std::size_t>(position), ramp.size() - 1)];
}

std::string key(const AnsiPictureOptions& options, const std::string& name, Colormap map,
                const ValueRange& range) {
  std::string text = options.unit.empty() ? name : fmt::format("{} [{}]", name, options.unit);
  text = printable(text);
  text += fmt::format("{}{}{:.5g} ", text.empty() ? "" : "  ", range.values_below ? "<" : "",
                      range.low);
  if (options.color == TerminalColor::none) {
    text += fmt::format("'{}'", ramp);
  } else {
    for (int n = 0; n < key_length; ++n)
      text += ansi_background(color_at(map, n / (key_length - 1.0)), options.color) + " ";
    text += ansi_reset;
  }
  return text + fmt::format(" {}{:.5g}\n", range.values_above ? ">" : "", range.high);
}

}  // namespace

std::string ansi_picture(const ArrayView& view, const AnsiPictureOptions& options) {
  const FlatPlane plane(view, options.component);
  const ValueSummary summary = summary_of(plane);
  const Colormap map = options.colormap.value_or(fitting_colormap(plane, summary));
  const ValueRange range = options.range
                               ? given_range(summary, options.range->first, options.range->second)
                               : automatic_range(summary, map);
  const bool colored = options.color != TerminalColor::none;
  const int extra_lines = options.title.empty() ? 1 : 2;
  const double rows = std::max(1, options.size.rows - extra_lines);
  const TextGrid grid = grid_of(plane, options.spacing, std::max(1, options.size.columns),
                                colored ? 2 * rows : rows, colored ? 1 : 2);

  std::string text = options.title.empty() ? std::string() : printable(options.title) + "\n";
  const ValueColors colors(map, range);
  for (Index r = 0; r < grid.rows; r += colored ? 2 : 1) {
    for (Index c = 0; c < grid.columns; ++c) {
      const double value = value_at(plane, grid, c, r);
      if (!colored) {
        text += letter_at((value / 2 - range.low / 2) / (range.high / 2 - range.low / 2));
        continue;
      }
      text += ansi_foreground(colors.at(value), options.color);
      if (r + 1 < grid.rows)
        text += ansi_background(colors.at(value_at(plane, grid, c, r + 1)), options.color);
      text += upper_half;
    }
    text += colored ? std::string(ansi_reset) + "\n" : "\n";
  }
  return text + key(options, options.name.empty() ? view.name : options.name, map, range);
}

}  // namespace goban
