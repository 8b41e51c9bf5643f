#include "goban/base/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace goban {
namespace {

constexpr std::array<std::string_view, 9> with_prefixes = {"m", "s",  "Pa", "W", "J",
                                                           "N", "Hz", "V",  "A"};
constexpr std::string_view prefixes = "fpnum kMGT";  // from 10^-15 on
constexpr int least = -15, most = 12;

}  // namespace

int prefix_exponent(double size, const std::string& unit) {
  const bool takes_prefix =
      std::find(with_prefixes.begin(), with_prefixes.end(), unit) != with_prefixes.end();
  if (!takes_prefix || size == 0 || !std::isfinite(size)) return 0;
  const double decimal = std::log10(std::abs(size)) + 1e-9;
  const int exponent = 3 * static_cast<int>(std::floor(decimal / 3));
  return std::clamp(exponent, least, unit == "s" ? 0 : unit == "m" ? 3 : most);
}

std::string prefixed_unit(int exponent, const std::string& unit) {
  if (exponent == 0) return unit;
  return prefixes[static_cast<std::size_t>((exponent - least) / 3)] + unit;
}

std::string quantity_text(double value, const std::string& unit, int digits) {
  const int exponent = prefix_exponent(value, unit);
  const double scaled =
      exponent < 0 ? value * std::pow(10.0, -exponent) : value / std::pow(10.0, exponent);
  const std::string number = fmt::format("{:.{}g}", scaled, digits);
  return unit.empty() ? number : number + " " + prefixed_unit(exponent, unit);
}

}  // namespace goban
