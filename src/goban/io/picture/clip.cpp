#include "goban/io/picture/clip.hpp"

#include <algorithm>

namespace goban {
namespace {

/// Liang and Barsky (1984): the share [t0, t1] of a segment between two parallel edges.
bool keep(double start, double change, double low, double high, double& t0, double& t1) {
  if (change == 0) return start >= low && start <= high;
  const auto [enter, leave] = std::minmax({(low - start) / change, (high - start) / change});
  t0 = std::max(t0, enter);
  t1 = std::min(t1, leave);
  return t0 <= t1;
}

}  // namespace

std::vector<Polyline> clipped(const Polyline& line, const PlotBox& box) {
  std::vector<Polyline> parts;
  bool continues = false;
  for (std::size_t n = 1; n < line.size(); ++n) {
    const Point a = line[n - 1];
    const Point b = line[n];
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    double t0 = 0;
    double t1 = 1;
    if (!keep(a.x, dx, box.left, box.right, t0, t1) ||
        !keep(a.y, dy, box.top, box.bottom, t0, t1)) {
      continues = false;
      continue;
    }
    if (!continues || t0 > 0) parts.push_back({{a.x + t0 * dx, a.y + t0 * dy}});
    parts.back().push_back({a.x + t1 * dx, a.y + t1 * dy});
    continues = t1 == 1;
  }
  return parts;
}

}  // namespace goban
