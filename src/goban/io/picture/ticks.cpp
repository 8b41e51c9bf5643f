#include "goban/io/picture/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "goban/base/quantity_text.hpp"

namespace goban {
namespace {

constexpr int longest_label = 6;  ///< digits before an offset is split off

int exponent_of(double positive) { return static_cast<int>(std::floor(std::log10(positive))); }

/// 1, 2 or 5 times a power of ten, at least `rough`.
struct Step {
  double value;
  int exponent;
  explicit Step(double rough) {
    exponent = exponent_of(rough);
    const double power = std::pow(10.0, exponent);
    const double leading = rough / power * (1 - 1e-9);
    const int digit = leading <= 1 ? 1 : leading <= 2 ? 2 : leading <= 5 ? 5 : 10;
    value = digit * power;
    if (digit == 10) ++exponent;
  }
};

std::string decimal(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, std::max(0, digits));
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  return text;
}

}  // namespace

std::string Ticks::title(const std::string& name, const std::string& unit) const {
  std::string text = name;
  if (!offset.empty()) text += offset.front() == '-' ? " + " + offset.substr(1) : " - " + offset;
  const std::string scale =
      this->unit.empty() ? factor + (factor.empty() || unit.empty() ? "" : " ") + unit : this->unit;
  if (scale.empty()) return text;
  return text + (text.empty() ? "[" : " [") + scale + "]";
}

std::pair<double, double> widened(double low, double high) {
  const double size = std::max(std::abs(low), std::abs(high));
  if (size > 1e-300 && high - low > 1e-12 * size) return {low, high};
  const double half_width = size > 1e-300 ? 0.05 * size : 0.5;
  return {low - half_width, high + half_width};
}

Ticks linear_ticks(double low, double high, int wanted, const std::string& unit) {
  const int parts = std::max(1, wanted);
  const Step step(high / parts - low / parts);
  Ticks ticks;
  // Numbers that agree in all but their last digits are written as differences from one of them.
  const double size = std::max(std::abs(low), std::abs(high));
  double offset = 0;
  if (exponent_of(size) - step.exponent >= longest_label) {
    const double unit = std::pow(10.0, exponent_of(high - low) + 1);
    offset = std::round((low + high) / 2 / unit) * unit;
    ticks.offset = fmt::format("{:.15g}", offset);
  }
  const double reach = std::max(std::abs(low - offset), std::abs(high - offset));
  const int magnitude = static_cast<int>(std::floor(std::log10(reach) + 1e-9));
  int factor = 0;
  if (magnitude >= 5 || magnitude <= -3) factor = 3 * static_cast<int>(std::floor(magnitude / 3.0));
  const int prefix = ticks.offset.empty() ? prefix_exponent(reach, unit) : 0;
  if (prefix != 0) {
    factor = prefix;
    ticks.unit = prefixed_unit(prefix, unit);
  } else if (factor != 0) {
    ticks.factor = fmt::format("10^{}", factor);
  }
  const double scale = std::pow(10.0, factor);
  const double tolerance = 1e-6;
  const auto first = std::ceil((low - offset) / step.value - tolerance);
  const auto last = std::floor((high - offset) / step.value + tolerance);
  for (double n = first; n <= last; ++n) {
    const double above = n * step.value;
    ticks.marks.push_back({offset + above, decimal(above / scale, factor - step.exponent)});
  }
  return ticks;
}

Ticks log_ticks(double low, double high, int wanted) {
  const double decades = std::log10(high) - std::log10(low);
  const int first = exponent_of(low);
  const int last = exponent_of(high);
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / std::max(1, wanted) - 1e-9)));
  const auto label = [&](int digit, int exponent) -> std::string {
    const bool plain = decades <= 2 && exponent >= -3 && exponent <= 4;
    if (plain) return decimal(digit * std::pow(10.0, exponent), -exponent);
    return digit == 1 ? fmt::format("10^{}", exponent)
                      : fmt::format("{} \xc3\x97 10^{}", digit, exponent);
  };
  Ticks ticks;
  for (int exponent = first; exponent <= last; ++exponent)
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10.0, exponent);
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      const bool labelled = decades < 0.7 ? true
                            : digit == 1  ? exponent % stride == 0
                                          : decades < 2 && (digit == 2 || digit == 5);
      if (labelled || stride == 1)
        ticks.marks.push_back({value, labelled ? label(digit, exponent) : std::string()});
    }
  if (ticks.marks.empty()) return linear_ticks(low, high, wanted);
  return ticks;
}

}  // namespace goban
