#include "goban/geometry/center_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "goban/base/error.hpp"
#include "goban/base/morton.hpp"
#include "goban/geometry/vector.hpp"

namespace goban {
namespace {

using namespace vectors;

/// Calls use(tile) for the tiles of a place that come within `reach` of a segment.
template <class Use>
void each_tile_near(const VesselSegment& segment, const CellPlace& place, double reach,
                    const Use& use) {
  const double edge = static_cast<double>(ActiveCells::side) * place.spacing;
  const double radius = std::max(segment.begin_radius, segment.end_radius) + reach;
  Index3 low, high, tile;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto [least, most] = std::minmax(segment.begin[a], segment.end[a]);
    const auto at = [&](double x) {
      return static_cast<Index>(std::floor((x - place.origin[a]) / edge));
    };
    low[a] = std::max(Index{0}, at(least - radius));
    high[a] = std::min((place.cells[a] - 1) / ActiveCells::side, at(most + radius));
  }
  for (tile[2] = low[2]; tile[2] <= high[2]; ++tile[2]) {
    for (tile[1] = low[1]; tile[1] <= high[1]; ++tile[1]) {
      for (tile[0] = low[0]; tile[0] <= high[0]; ++tile[0]) {
        Real3 center;
        for (std::size_t a = 0; a < 3; ++a) {
          center[a] = place.origin[a] + (static_cast<double>(tile[a]) + 0.5) * edge;
        }
        if (distance_from(segment, center) <= std::sqrt(0.75) * edge + reach) use(tile);
      }
    }
  }
}

class CenterLineWall : public VesselWall {
 public:
  CenterLineWall(std::vector<VesselSegment> segments, const CellPlace& place)
      : segments_(std::move(segments)), place_(place) {
    for (std::uint32_t s = 0; s < segments_.size(); ++s) {
      each_tile_near(segments_[s], place_, 2 * place_.spacing,
                     [&](Index3 tile) { by_tile_[morton_key(tile)].push_back(s); });
    }
  }

  double crossing(const Real3& inside, const Real3& outside) const override {
    Index3 tile;
    for (std::size_t a = 0; a < 3; ++a) {
      const double edge = static_cast<double>(ActiveCells::side) * place_.spacing;
      tile[a] = static_cast<Index>(std::floor((inside[a] - place_.origin[a]) / edge));
    }
    const auto near = by_tile_.find(morton_key(tile));
    if (near == by_tile_.end()) return -1;
    const Real3 along = outside - inside;
    const auto distance = [&](double part) {
      double least = 1e300;
      for (const std::uint32_t s : near->second) {
        least = std::min(least, distance_from(segments_[s], inside + part * along));
      }
      return least;
    };
    double low = 0, high = 1, at_low = distance(0), at_high = distance(1);
    if (at_low > 0 || at_high < 0) return -1;
    for (int n = 0; n < 60 && high - low > 1e-9; ++n) {  // Illinois' regula falsi
      const double part = (low * at_high - high * at_low) / (at_high - at_low);
      const double middle = n % 3 == 2 || !(part > low && part < high) ? (low + high) / 2 : part;
      const double here = distance(middle);
      if (here <= 0) {
        low = middle;
        at_low = here;
      } else {
        high = middle;
        at_high = here;
      }
      if (std::abs(here) < 1e-10 * place_.spacing) return middle;
    }
    return (low + high) / 2;
  }

 private:
  std::vector<VesselSegment> segments_;
  CellPlace place_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_tile_;
};

/// Grows the vessels of a tree one after the other.
class Growth {
 public:
  explicit Growth(const VesselTree& tree) : tree_(tree) {}

  CenterLines lines() {
    const Real3 along = direction(tree_.along);
    lines_.openings.push_back({"inlet", tree_.root, -1 * along, tree_.radius});
    const Real3 beside = tree_.across - dot(tree_.across, along) * along;
    require(norm(beside) > 1e-6 * norm(tree_.across), "the tree of vessels has no plane",
            "its directions along and across are parallel");
    vessel(tree_.root, along, direction(beside), tree_.radius, tree_.generations);
    return std::move(lines_);
  }

 private:
  void vessel(const Real3& begin, const Real3& along, const Real3& across, double radius,
              int left) {
    const Real3 end = begin + tree_.length_ratio * radius * along;
    lines_.segments.push_back({begin, end, radius, radius});
    if (left == 1) {
      const auto number = lines_.openings.size();
      lines_.openings.push_back({fmt::format("outlet_{}", number), end, along, radius});
      return;
    }
    const double larger = radius / std::cbrt(1 + std::pow(tree_.asymmetry, 3));
    const double smaller = tree_.asymmetry * larger;
    const Real3 plane = cross(along, across);
    const auto branch = [&](double own, double other, double side) {
      const double cosine = (std::pow(radius, 4) + std::pow(own, 4) - std::pow(other, 4)) /
                            (2 * radius * radius * own * own);
      const double sine = side * std::sqrt(1 - cosine * cosine);
      vessel(end, cosine * along + sine * across, plane, own, left - 1);
    };
    branch(larger, smaller, 1);
    branch(smaller, larger, -1);
  }

  VesselTree tree_;
  CenterLines lines_;
};

}  // namespace

double distance_from(const VesselSegment& segment, const Real3& point) {
  const Real3 axis = segment.end - segment.begin, offset = point - segment.begin;
  const double length = norm(axis), change = segment.end_radius - segment.begin_radius;
  if (length <= std::abs(change)) {  // one sphere holds the other, whose ends are none
    return change > 0 ? norm(point - segment.end) - segment.end_radius
                      : norm(offset) - segment.begin_radius;
  }
  // Least of |point - c(s)| - r(s) over the centres c of spheres.
  const double y = dot(offset, axis) / length;
  const double x = std::sqrt(std::max(0.0, dot(offset, offset) - y * y)), slope = change / length;
  const double s = std::clamp(y + x * slope / std::sqrt(1 - slope * slope), 0.0, length);
  const double round = std::hypot(x, y - s) - (segment.begin_radius + slope * s);
  return segment.is_flat ? std::max({round, -y, y - length}) : round;
}

std::vector<VesselSegment> repeated(const std::vector<VesselSegment>& segments,
                                    const CellPlace& place) {
  std::vector<VesselSegment> all = segments;
  for (std::size_t a = 0; a < 3; ++a) {
    if (!place.is_periodic[a]) continue;
    const double period = static_cast<double>(place.cells[a]) * place.spacing;
    const std::vector<VesselSegment> row = all;
    for (const double shift : {-period, period}) {
      for (VesselSegment segment : row) {
        segment.begin[a] += shift;
        segment.end[a] += shift;
        all.push_back(segment);
      }
    }
  }
  return all;
}

ActiveCells cells_of(const std::vector<VesselSegment>& segments, const CellPlace& place) {
  ActiveCells cells(place.cells);
  for (const VesselSegment& segment : segments) {
    each_tile_near(segment, place, 0, [&](Index3 tile) {
      Index3 n, cell;
      for (n[2] = 0; n[2] < ActiveCells::side; ++n[2]) {
        for (n[1] = 0; n[1] < ActiveCells::side; ++n[1]) {
          for (n[0] = 0; n[0] < ActiveCells::side; ++n[0]) {
            for (std::size_t a = 0; a < 3; ++a) cell[a] = tile[a] * ActiveCells::side + n[a];
            if (place.contains(cell) && distance_from(segment, place.center(cell)) < 0)
              cells.add(cell);
          }
        }
      }
    });
  }
  cells.sort();
  return cells;
}

std::unique_ptr<VesselWall> wall_of(std::vector<VesselSegment> segments, const CellPlace& place) {
  return std::make_unique<CenterLineWall>(std::move(segments), place);
}

CenterLines grow(const VesselTree& tree) {
  require(tree.generations >= 1, "the tree of vessels is empty", "it has no generation");
  require(tree.radius > 0 && tree.length_ratio > 0, "the tree of vessels is empty",
          "its vessels have no radius or no length");
  return Growth(tree).lines();
}

}  // namespace goban
