#include "goban/simulation/live/live_series.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace goban {

void LiveSeries::add(std::span<const double> row) {
  if (seen_++ % stride_ != 0) return;
  values_.insert(values_.end(), row.begin(), row.end());
  if (row_count() > most_rows) thin();
}

void LiveSeries::thin() {
  const auto width = static_cast<std::ptrdiff_t>(columns_.size());
  const auto rows = static_cast<std::ptrdiff_t>(row_count());
  const auto begin = values_.begin();
  for (std::ptrdiff_t r = 2; r < rows; r += 2) {
    std::copy_n(begin + r * width, width, begin + r / 2 * width);
  }
  values_.resize(static_cast<std::size_t>((rows + 1) / 2 * width));
  stride_ *= 2;
  ++edition_;
}

std::string LiveSeries::news(Place& place) const {
  const bool anew = place.edition != edition_;
  nlohmann::ordered_json json = {{"name", name_}, {"anew", anew}};
  if (anew) {
    auto& columns = json["columns"] = nlohmann::ordered_json::array();
    for (const auto& [name, unit] : columns_) columns.push_back({{"name", name}, {"unit", unit}});
  }
  const std::size_t width = columns_.size(), first = anew ? 0 : place.rows;
  auto& rows = json["rows"] = nlohmann::ordered_json::array();
  for (std::size_t r = first; r < row_count(); ++r) {
    rows.push_back(std::span(values_).subspan(r * width, width));
  }
  place = {edition_, row_count()};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace goban
