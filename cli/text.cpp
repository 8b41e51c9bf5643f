#include "cli/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace goban::cli {

std::string decimals(double value, int digits) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string bytes_text(Index bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  int unit = 0;
  while (size >= 1024 && unit < 4) size /= 1024, ++unit;
  return decimals(size, size == std::floor(size) ? 0 : 1) + " " + units[unit];
}

}  // namespace goban::cli
