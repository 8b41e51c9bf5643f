#include "goban/simulation/live/page_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "goban/base/build_info.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/picture/colormap.hpp"
#include "goban/io/picture/value_range.hpp"

namespace goban {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index most_cells_across = 512;

/// Names may hold bytes of any encoding.
std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string hexadecimal(Color color) {
  return fmt::format("{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

/// Some colours of every map, in order, beside each other.
Json colors_of_maps() {
  constexpr int count = 33;
  Json all = Json::object();
  for (const Colormap map :
       {Colormap::sequential, Colormap::thermal, Colormap::diverging, Colormap::grey}) {
    std::string text;
    for (int n = 0; n < count; ++n) text += hexadecimal(color_at(map, n / double{count - 1}));
    all[name_of(map)] = text;
  }
  return all;
}

Json colors_of_curves() {
  Json all = Json::array();
  for (int n = 0; n < 8; ++n) all.push_back("#" + hexadecimal(series_color(n)));
  return all;
}

Json side_of_page(const PageField& field, Axis axis, const std::string& unit) {
  const auto a = static_cast<std::size_t>(index_of(axis));
  const double low = field.origin[a];
  const double high = low + field.spacing[a] * static_cast<double>(field.cells[a]);
  return {{"name", std::string(1, "xyz"[a])}, {"low", low}, {"high", high}, {"unit", unit}};
}

}  // namespace

std::string page_facts(const PageFacts& facts) {
  Json orders = Json::array(), fields = Json::array();
  for (const LiveOrder order : facts.orders) {
    orders.push_back(live_order_names[static_cast<std::size_t>(order)]);
  }
  for (const PageField& field : facts.fields) {
    fields.push_back({{"name", field.name},
                      {"components", field.components},
                      {"unit", field.unit},
                      {"cells", field.cells},
                      {"origin", field.origin},
                      {"spacing", field.spacing}});
  }
  return json_text({{"name", facts.name},
                    {"app", facts.app},
                    {"title", facts.title},
                    {"directory", facts.directory},
                    {"host", facts.host},
                    {"process", facts.process},
                    {"version", build_info().version},
                    {"length_unit", facts.length_unit},
                    {"about", facts.about},
                    {"orders", std::move(orders)},
                    {"colors", colors_of_maps()},
                    {"curve_colors", colors_of_curves()},
                    {"fields", std::move(fields)}});
}

LiveSlice page_slice(const ArrayView& plane, const PageField& field, const PagePlane& where,
                     const std::string& length_unit) {
  const FlatPlane flat(plane, 0);
  const Index width = std::min(flat.width(), most_cells_across);
  const Index height = std::min(flat.height(), most_cells_across);
  LiveSlice slice{.step = where.step};
  slice.values.reserve(static_cast<std::size_t>(width * height));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double low = infinity, high = -infinity;
  for (Index j = 0; j < height; ++j) {
    for (Index i = 0; i < width; ++i) {
      const double value = flat.mean(i * flat.width() / width, (i + 1) * flat.width() / width,
                                     j * flat.height() / height, (j + 1) * flat.height() / height);
      slice.values.push_back(static_cast<float>(value));
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  const auto a = static_cast<std::size_t>(index_of(where.normal));
  std::string place;
  if (field.cells[a] > 1) {
    const double middle = static_cast<double>(where.layer) + 0.5;
    place = fmt::format("{} = {}", "xyz"[a],
                        quantity_text(field.origin[a] + middle * field.spacing[a], length_unit, 4));
  }
  const bool has_parts = !where.component.empty();
  slice.facts = json_text({{"step", where.step},
                           {"time", where.time},
                           {"width", width},
                           {"height", height},
                           {"quantity", field.name + (has_parts ? " " + where.component : "")},
                           {"unit", field.unit},
                           {"place", place},
                           {"across", side_of_page(field, flat.across(), length_unit)},
                           {"up", side_of_page(field, flat.up(), length_unit)},
                           {"low", low},  // null where there are no numbers
                           {"high", high}});
  return slice;
}

std::string component_text(int component, int components) {
  if (components == 1) return "";
  if (component < 0) return "magnitude";
  return components <= 3 ? std::string(1, "xyz"[component]) : std::to_string(component);
}

SliceWish within(const SliceWish& wish, const PageField& field) {
  const auto axis = static_cast<std::size_t>(wish.axis);
  const int least = field.components > 1 ? -1 : 0;  // the length of a vector
  return {.field = wish.field,
          .component = std::clamp(wish.component, least, field.components - 1),
          .axis = wish.axis,
          .layer = std::clamp<Index>(wish.layer, 0, field.cells[axis] - 1)};
}

}  // namespace goban
