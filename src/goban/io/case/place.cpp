#include "goban/io/case/place.hpp"

#include <algorithm>
#include <cmath>

namespace goban {

GridPlace::GridPlace(const Case& values)
    : cells(values.integer3("grid.cells")),
      spacing(values.real3("grid.spacing")),
      lower(values.real3("grid.origin")),
      upper(lower) {
  for (std::size_t a = 0; a < 3; ++a) upper[a] += static_cast<double>(cells[a]) * spacing[a];
}

Real3 GridPlace::middle() const {
  Real3 point = lower;
  for (std::size_t a = 0; a < 3; ++a) {
    point[a] += static_cast<double>(cells[a]) * spacing[a] / 2;
  }
  return point;
}

Real3 GridPlace::onto_plane(Real3 position) const {
  const Real3 center = middle();
  for (std::size_t a = 0; a < 3; ++a) {
    if (cells[a] == 1) position[a] = center[a];
  }
  return position;
}

bool GridPlace::has_centers_between(Real3 low, Real3 high,
                                    const std::array<bool, 3>& come_again) const {
  for (std::size_t a = 0; a < 3; ++a) {
    double first = std::ceil((low[a] - lower[a]) / spacing[a] - 0.5);
    if (!come_again[a]) first = std::max(0.0, first);
    const double center = lower[a] + (first + 0.5) * spacing[a];
    const bool is_beyond = !come_again[a] && first >= static_cast<double>(cells[a]);
    if (is_beyond || center >= high[a]) return false;
  }
  return true;
}

bool GridPlace::has_centers_within(double radius, Real3 center,
                                   const std::array<bool, 3>& come_again) const {
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double last = static_cast<double>(cells[a] - 1);
    double nearest = std::round((center[a] - lower[a]) / spacing[a] - 0.5);
    if (!come_again[a]) nearest = std::clamp(nearest, 0.0, last);
    const double distance = lower[a] + (nearest + 0.5) * spacing[a] - center[a];
    square += distance * distance;
  }
  return square <= radius * radius;
}

bool GridPlace::contains(Real3 position) const {
  for (std::size_t a = 0; a < 3; ++a) {
    const double place = (position[a] - lower[a]) / spacing[a];
    if (place < 0 || place > static_cast<double>(cells[a])) return false;
  }
  return true;
}

std::shared_ptr<ImageSource> image_of(const Case& values, const std::string& key,
                                      std::optional<ElementType> type) {
  if (values.path(key).empty()) return nullptr;
  return open_image(values.path(key), {.extents = values.integer3("grid.cells"), .type = type});
}

void require_key(const Case& row, const std::string& key, const std::string& example) {
  if (row.has(key)) return;
  const std::string& shape = row.choice("shape");
  const bool is_vowel = std::string("aeiou").find(shape[0]) != std::string::npos;
  throw row.error("shape", (is_vowel ? "an " : "a ") + shape + " has no " + key, "",
                  "add " + key + " = " + example + " to its table");
}

}  // namespace goban
