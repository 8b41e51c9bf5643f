#include "goban/io/case/place.hpp"

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
