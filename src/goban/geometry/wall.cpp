#include "goban/geometry/wall.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "goban/base/morton.hpp"
#include "goban/geometry/vector.hpp"

namespace goban {
namespace {

using namespace vectors;

class SurfaceWall : public VesselWall {
 public:
  SurfaceWall(const TriangleMesh& surface, const CellPlace& place)
      : triangles_(surface.triangles), place_(place) {
    for (std::uint32_t t = 0; t < triangles_.size(); ++t) enter(t);
  }

  double crossing(const Real3& inside, const Real3& outside) const override {
    const auto near = by_tile_.find(morton_key(tile_at(inside)));
    double last = -1;
    if (near == by_tile_.end()) return last;
    for (const std::uint32_t t : near->second) {
      last = std::max(last, crossing_of(triangles_[t], inside, outside));
    }
    return last;
  }

 private:
  Index3 tile_at(const Real3& at) const {
    Index3 tile;
    for (std::size_t a = 0; a < 3; ++a) {
      tile[a] = static_cast<Index>(std::floor((at[a] - place_.origin[a]) / tile_edge()));
    }
    return tile;
  }
  double tile_edge() const { return static_cast<double>(ActiveCells::side) * place_.spacing; }

  /// Notes a triangle in all tiles whose links may meet it: those beside its plane within its box.
  void enter(std::uint32_t t) {
    const Triangle& triangle = triangles_[t];
    const Real3 corner = point(triangle[0]);
    const Real3 normal = cross(point(triangle[1]) - corner, point(triangle[2]) - corner);
    const double reach = 2 * place_.spacing, half = tile_edge() / 2;
    const double near = norm(normal) * (std::sqrt(3.0) * half + reach);
    Index3 low, high;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto [least, most] = std::minmax({triangle[0][a], triangle[1][a], triangle[2][a]});
      const auto tile = [&](double x) {
        return static_cast<Index>(std::floor((x - place_.origin[a]) / tile_edge()));
      };
      low[a] = std::max(Index{0}, tile(least - reach));
      high[a] = std::min((place_.cells[a] - 1) / ActiveCells::side, tile(most + reach));
    }
    for (Index k = low[2]; k <= high[2]; ++k) {
      for (Index j = low[1]; j <= high[1]; ++j) {
        for (Index i = low[0]; i <= high[0]; ++i) {
          const auto middle = [&](std::size_t a, Index n) {
            return place_.origin[a] + (2 * static_cast<double>(n) + 1) * half;
          };
          const Real3 center = {middle(0, i), middle(1, j), middle(2, k)};
          if (std::abs(dot(normal, center - corner)) <= near)
            by_tile_[morton_key({i, j, k})].push_back(t);
        }
      }
    }
  }

  /// Moeller, Trumbore, J. Graphics Tools 2 (1997) 21; edges and ends belong to it, but for
  /// round-off of the corners' single precision. -1: none.
  static double crossing_of(const Triangle& triangle, const Real3& from, const Real3& to) {
    constexpr double tolerance = 1e-5;
    const Real3 a = point(triangle[0]), along = to - from;
    const Real3 first = point(triangle[1]) - a, second = point(triangle[2]) - a;
    const Real3 p = cross(along, second);
    const double determinant = dot(first, p);
    if (determinant == 0) return -1;
    const Real3 offset = from - a;
    const double u = dot(offset, p) / determinant;
    const Real3 q = cross(offset, first);
    const double v = dot(along, q) / determinant, t = dot(second, q) / determinant;
    if (u < -tolerance || v < -tolerance || u + v > 1 + tolerance) return -1;
    if (t < -tolerance || t > 1 + tolerance) return -1;
    return std::clamp(t, 0.0, 1.0);
  }

  std::vector<Triangle> triangles_;
  CellPlace place_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_tile_;
};

}  // namespace

std::unique_ptr<VesselWall> wall_of(const TriangleMesh& surface, const CellPlace& place) {
  return std::make_unique<SurfaceWall>(surface, place);
}

ActiveCells cells_of(ImageSource& image) {
  const Index3 all = image.extents();
  ActiveCells cells(all);
  for (Index low = 0; low < all[2]; low += ActiveCells::side) {
    const Box slab{{0, 0, low}, {all[0], all[1], std::min(low + ActiveCells::side, all[2])}};
    const Array marks = image.read(slab);
    for (Index k = 0; k < slab.extent(2); ++k) {
      for (Index j = 0; j < all[1]; ++j) {
        for (Index i = 0; i < all[0]; ++i) {
          if (marks.at(i, j, k) != 0) cells.add({i, j, low + k});
        }
      }
    }
  }
  cells.sort();
  return cells;
}

}  // namespace goban
