#include "goban/io/picture/value_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "goban/base/error.hpp"
#include "goban/io/picture/ticks.hpp"

namespace goban {
namespace {

constexpr std::size_t most_levels = 10;
constexpr double tail = 0.0005;
constexpr Index sample_size = 1'000'000;  ///< about how many values quantiles are taken from
constexpr double far_outside = 2;         ///< in spans of the quantiles

double quantile(std::vector<double>& values, double share) {
  const auto n = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + n, values.end());
  return values[static_cast<std::size_t>(n)];
}

}  // namespace

FlatPlane::FlatPlane(const ArrayView& plane, int component) {
  const Index3 n = plane.extents;
  require(n[0] > 0 && n[1] > 0 && n[2] > 0 && (n[0] == 1 || n[1] == 1 || n[2] == 1),
          fmt::format("an array of {} cells is not a plane", text_of(n)),
          "one of the extents must be 1", "take a slice first");
  require(component >= 0 && component < plane.components,
          fmt::format("there is no component {} of '{}'", component, plane.name),
          fmt::format("it has {}", plane.components));
  view_ = component_of(plane, component);
  if (n[2] != 1) up_ = Axis::z;
  if (n[2] != 1 && n[1] != 1) across_ = Axis::y;
}

double FlatPlane::at(Index i, Index j) const {
  Index3 cell = {0, 0, 0};
  cell[index_of(across_)] = i;
  cell[index_of(up_)] = j;
  return view_.at(cell[0], cell[1], cell[2]);
}

double FlatPlane::mean(Index i0, Index i1, Index j0, Index j1) const {
  if (i1 - i0 == 1 && j1 - j0 == 1) return at(i0, j0);
  double sum = 0;
  for (Index j = j0; j < j1; ++j)
    for (Index i = i0; i < i1; ++i) sum += at(i, j);
  return sum / static_cast<double>((i1 - i0) * (j1 - j0));
}

Array masked(const ArrayView& values, const ArrayView& mask, std::optional<double> value) {
  require(values.extents == mask.extents, "the mask of a picture is refused",
          "it is of other cells");
  Array result(ElementType::float64, values.extents, 1, values.name);
  auto at = result.as<double>().begin();
  for (Index z = 0; z < values.extents[2]; ++z) {
    for (Index y = 0; y < values.extents[1]; ++y) {
      for (Index x = 0; x < values.extents[0]; ++x) {
        const double here = mask.at(x, y, z);
        const bool is_masked = value ? here == *value : here != 0;
        *at++ = is_masked ? std::nan("") : values.at(x, y, z);
      }
    }
  }
  return result;
}

std::string name_of_component(const std::string& name, int components, int component) {
  if (components == 1) return name;
  if (components == 3) return fmt::format("{} {}", name, "xyz"[component]);
  return fmt::format("{}, component {}", name, component);
}

ValueSummary summary_of(const FlatPlane& plane) {
  ValueSummary summary;
  std::vector<double> sample;
  const Index stride = (plane.width() * plane.height() / sample_size) | 1;
  Index position = 0;
  std::set<double> levels;
  for (Index j = 0; j < plane.height(); ++j)
    for (Index i = 0; i < plane.width(); ++i) {
      const double value = plane.at(i, j);
      if (std::isinf(value))
        (value > 0 ? summary.has_positive_infinity : summary.has_negative_infinity) = true;
      if (!std::isfinite(value)) continue;
      summary.smallest = summary.has_numbers ? std::min(summary.smallest, value) : value;
      summary.largest = summary.has_numbers ? std::max(summary.largest, value) : value;
      summary.has_numbers = true;
      if (position++ % stride == 0) sample.push_back(value);
      if (plane.is_integer() && levels.size() <= most_levels) levels.insert(value);
    }
  if (sample.empty()) return summary;
  summary.low_quantile = quantile(sample, tail);
  summary.high_quantile = quantile(sample, 1 - tail);
  if (levels.size() <= most_levels) summary.levels.assign(levels.begin(), levels.end());
  return summary;
}

ValueSummary joined(const ValueSummary& a, const ValueSummary& b) {
  ValueSummary all = a.has_numbers ? a : b;
  all.has_positive_infinity = a.has_positive_infinity || b.has_positive_infinity;
  all.has_negative_infinity = a.has_negative_infinity || b.has_negative_infinity;
  if (!a.has_numbers || !b.has_numbers) return all;
  all.smallest = std::min(a.smallest, b.smallest);
  all.largest = std::max(a.largest, b.largest);
  all.low_quantile = std::min(a.low_quantile, b.low_quantile);
  all.high_quantile = std::max(a.high_quantile, b.high_quantile);
  all.levels.clear();
  if (a.levels.empty() || b.levels.empty()) return all;
  std::set_union(a.levels.begin(), a.levels.end(), b.levels.begin(), b.levels.end(),
                 std::back_inserter(all.levels));
  if (all.levels.size() > most_levels) all.levels.clear();
  return all;
}

Colormap fitting_colormap(const FlatPlane& plane, const ValueSummary& summary) {
  if (!summary.has_numbers) return Colormap::sequential;
  const double low = summary.smallest;
  const double high = summary.largest;
  if (plane.is_integer() && !summary.levels.empty() && summary.levels.size() <= 2)
    return Colormap::stones;
  if (low < 0 && high > 0 && std::min(-low, high) > 0.2 * std::max(-low, high))
    return Colormap::diverging;
  return Colormap::sequential;
}

ValueRange automatic_range(const ValueSummary& summary, Colormap map) {
  if (!summary.has_numbers) return given_range(summary, 0, 1);
  double low = summary.smallest;
  double high = summary.largest;
  const double span = summary.high_quantile - summary.low_quantile;
  if (span > 0) {
    if (high - summary.high_quantile > far_outside * span)
      high = summary.high_quantile + 0.1 * span;
    if (summary.low_quantile - low > far_outside * span) low = summary.low_quantile - 0.1 * span;
  }
  if (map == Colormap::diverging) {
    high = std::max(std::abs(low), std::abs(high));
    low = -high;
  }
  if (map == Colormap::stones && low >= 0 && high <= 1) {
    low = 0;
    high = 1;
  }
  const auto wide = widened(low, high);
  return given_range(summary, wide.first, wide.second);
}

ValueRange given_range(const ValueSummary& summary, double low, double high) {
  require(std::isfinite(low) && std::isfinite(high) && low < high,
          "the range of a picture is not usable", "its first number must be below its second");
  return {.low = low,
          .high = high,
          .values_below =
              summary.has_negative_infinity || (summary.has_numbers && summary.smallest < low),
          .values_above =
              summary.has_positive_infinity || (summary.has_numbers && summary.largest > high)};
}

Color ValueColors::at(double value) const {
  if (std::isnan(value)) {
    const bool grey = map_ == Colormap::grey || map_ == Colormap::stones;
    return grey ? Color{178, 40, 60} : Color{176, 176, 180};
  }
  return color_at(map_, (value / 2 - range_.low / 2) / (range_.high / 2 - range_.low / 2));
}

}  // namespace goban
