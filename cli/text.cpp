#include "cli/text.hpp"

#include <cmath>
#include <cstdio>

namespace goban::cli {

std::string decimals(double value, int digits) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string bytes_text(Index bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  int unit = 0;
  while (size >= 1024 && unit < 4) size /= 1024, ++unit;
  return decimals(size, size == std::floor(size) ? 0 : 1) + " " + units[unit];
}

}  // namespace goban::cli
