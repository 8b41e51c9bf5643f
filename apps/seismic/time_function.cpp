#include "seismic/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace goban::seismic {
namespace {

double between(const std::vector<std::pair<double, double>>& table, double t) {
  if (table.empty() || t < table.front().first || t > table.back().first) return 0;
  const auto after = std::lower_bound(
      table.begin(), table.end(), t, [](const auto& row, double time) { return row.first < time; });
  if (after == table.begin()) return after->second;
  const auto before = after - 1;
  const double part = (t - before->first) / (after->first - before->first);
  return before->second + part * (after->second - before->second);
}

}  // namespace

double TimeFunction::operator()(double time) const {
  constexpr double pi = std::numbers::pi;
  const double t = time - start, T = duration;
  switch (shape) {
    case Shape::ricker: {
      const double a = std::pow(pi * (t / T - 1.5), 2);
      return t < 0 ? 0 : (1 - 2 * a) * std::exp(-a);
    }
    case Shape::gaussian: {
      const double s = t / T - 6;
      return t < 0 ? 0 : std::exp(-s * s / 2) / (T * std::sqrt(2 * pi));
    }
    case Shape::brune: return t < 0 ? 0 : t / (T * T) * std::exp(-t / T);
    case Shape::bump: {
      const double s = t / T;
      return s <= 0 || s >= 1 ? 0 : 51480 * std::pow(s * (1 - s), 7) / T;
    }
    case Shape::table: return between(table, t);
  }
  return 0;
}

}  // namespace goban::seismic
