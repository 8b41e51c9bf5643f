#include "goban/io/picture/plane_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "goban/base/error.hpp"

namespace goban {
namespace {

/// Grows lines along a velocity, step by step, through squares of which each has one line.
class Streamlines {
 public:
  Streamlines(const FlatPlane& u, const FlatPlane& v, double aspect)
      : u_(u),
        v_(v),
        width_(static_cast<double>(u.width())),
        height_(static_cast<double>(u.height())) {
    const double side = std::max(width_, height_ * aspect) / 30;
    across_ = static_cast<Index>(std::ceil(width_ / side));
    up_ = static_cast<Index>(std::ceil(height_ * aspect / side));
    is_taken_.assign(static_cast<std::size_t>(across_ * up_), false);
  }

  std::vector<Polyline> all() {
    constexpr std::size_t least_squares = 4;  // shorter lines are left out
    std::vector<Polyline> lines;
    for (std::size_t n = 0; n < is_taken_.size(); ++n) {
      if (is_taken_[n]) continue;
      const auto square = static_cast<Index>(n);
      const Point start = {
          (static_cast<double>(square % across_) + 0.5) * width_ / static_cast<double>(across_),
          (static_cast<double>(square / across_) + 0.5) * height_ / static_cast<double>(up_)};
      is_taken_[n] = true;
      taken_ = {n};
      Polyline line = grown(start, n, -1);
      std::reverse(line.begin(), line.end());
      const Polyline rest = grown(start, n, 1);
      line.insert(line.end(), rest.begin() + 1, rest.end());
      if (taken_.size() >= least_squares) {
        lines.push_back(std::move(line));
      } else {
        for (const std::size_t one : taken_) is_taken_[one] = false;
      }
    }
    return lines;
  }

 private:
  /// The direction of the velocity; NaN where it has none.
  Point direction(const Point& at) const {
    const double x = std::clamp(at.x - 0.5, 0.0, width_ - 1),
                 y = std::clamp(at.y - 0.5, 0.0, height_ - 1);
    const auto i = static_cast<Index>(x), j = static_cast<Index>(y);
    const Index i1 = std::min(i + 1, u_.width() - 1), j1 = std::min(j + 1, u_.height() - 1);
    const double s = x - static_cast<double>(i), t = y - static_cast<double>(j);
    const auto between = [&](const FlatPlane& plane) {
      return (1 - t) * ((1 - s) * plane.at(i, j) + s * plane.at(i1, j)) +
             t * ((1 - s) * plane.at(i, j1) + s * plane.at(i1, j1));
    };
    const double u = between(u_), v = between(v_), speed = std::hypot(u, v);
    return {u / speed, v / speed};
  }

  /// Takes the square of a point for the line, which may stay in `last` and enter free ones: what
  /// comes back to its own ends. Returns whether it may go there.
  bool take(const Point& at, std::size_t& last) {
    if (!(at.x >= 0 && at.x < width_ && at.y >= 0 && at.y < height_)) return false;
    const auto square = static_cast<std::size_t>(
        static_cast<Index>(at.y / height_ * static_cast<double>(up_)) * across_ +
        static_cast<Index>(at.x / width_ * static_cast<double>(across_)));
    if (square == last) return true;
    if (is_taken_[square]) return false;
    is_taken_[square] = true;
    taken_.push_back(last = square);
    return true;
  }

  /// Points from `at` in the square `last` on, with the velocity or (sign -1) against it.
  Polyline grown(Point at, std::size_t last, double sign) {
    constexpr double step = 0.25;  // cells
    const auto most = static_cast<std::size_t>(2 * (width_ + height_) / step);
    Polyline line;
    while (line.size() < most && take(at, last)) {
      line.push_back(at);
      const Point first = direction(at);
      const Point middle =
          direction({at.x + sign * step / 2 * first.x, at.y + sign * step / 2 * first.y});
      at = {at.x + sign * step * middle.x, at.y + sign * step * middle.y};
    }
    return line;
  }

  const FlatPlane &u_, &v_;
  double width_, height_;
  Index across_ = 1, up_ = 1;   ///< squares
  std::vector<bool> is_taken_;  ///< by square
  std::vector<std::size_t> taken_;
};

}  // namespace

std::vector<Polyline> contour_lines(const FlatPlane& plane, double level) {
  std::vector<Polyline> lines;
  for (Index j = 0; j + 1 < plane.height(); ++j) {
    for (Index i = 0; i + 1 < plane.width(); ++i) {
      const double x = static_cast<double>(i) + 0.5, y = static_cast<double>(j) + 0.5;
      const std::array<double, 4> value = {plane.at(i, j), plane.at(i + 1, j),
                                           plane.at(i + 1, j + 1), plane.at(i, j + 1)};
      const std::array<Point, 4> corner = {Point{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}};
      Polyline crossings;
      for (std::size_t a = 0; a < 4; ++a) {
        const std::size_t b = (a + 1) % 4;
        if ((value[a] < level) == (value[b] < level)) continue;
        const double part = (level - value[a]) / (value[b] - value[a]);
        crossings.push_back({corner[a].x + part * (corner[b].x - corner[a].x),
                             corner[a].y + part * (corner[b].y - corner[a].y)});
      }
      if (!std::isfinite(value[0] + value[1] + value[2] + value[3]) || crossings.empty()) continue;
      if (crossings.size() == 4) {  // a saddle: its middle says which corners belong together
        const bool middle_is_low = (value[0] + value[1] + value[2] + value[3]) / 4 < level;
        if (middle_is_low != (value[0] < level))
          std::rotate(crossings.begin(), crossings.begin() + 1, crossings.end());
        lines.push_back({crossings[2], crossings[3]});
      }
      lines.push_back({crossings[0], crossings[1]});
    }
  }
  return lines;
}

std::vector<Polyline> streamlines(const FlatPlane& u, const FlatPlane& v, double aspect) {
  require(u.width() == v.width() && u.height() == v.height(), "these streamlines are refused",
          "the parts of the velocity have different cells");
  return Streamlines(u, v, aspect).all();
}

}  // namespace goban
