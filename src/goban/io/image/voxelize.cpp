#include "goban/io/image/voxelize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/io/image/closed_surface.hpp"

namespace goban {
namespace {

/// Cell centres along one axis.
class Centers {
 public:
  Centers(double origin, double spacing, Index count)
      : origin_(origin), spacing_(spacing), count_(count) {}

  double at(Index n) const { return origin_ + (static_cast<double>(n) + 0.5) * spacing_; }

  /// The first centre not below `position`, `count` if there is none.
  Index first_from(double position) const {
    const double estimate = std::floor((position - origin_) / spacing_ - 0.5);
    auto n = static_cast<Index>(std::clamp(estimate, 0.0, static_cast<double>(count_)));
    while (n > 0 && at(n - 1) >= position) --n;
    while (n < count_ && at(n) < position) ++n;
    return n;
  }

 private:
  double origin_;
  double spacing_;
  Index count_;
};

struct SectionPoint {
  double x;
  double y;
};

/// Where the edge between two corners meets the plane z; they lie on different sides of it.
SectionPoint section_of(Corner a, Corner b, double z) {
  if (b < a) std::swap(a, b);
  const double share = (z - a[2]) / (double{b[2]} - a[2]);
  return {a[0] + share * (double{b[0]} - a[0]), a[1] + share * (double{b[1]} - a[1])};
}

class Interior : public ImageSource {
 public:
  Interior(TriangleMesh mesh, const Real3& origin, const Real3& spacing, Index3 extents)
      : ImageSource(ElementType::uint8, extents),
        mesh_(std::move(mesh)),
        xs_(origin[0], spacing[0], extents[0]),
        ys_(origin[1], spacing[1], extents[1]),
        zs_(origin[2], spacing[2], extents[2]) {}

  Array read(const Box& box) override {
    Array inside(ElementType::uint8, box.extents(), 1, "inside");
    const auto marks = inside.as<std::uint8_t>();
    std::vector<int> windings(marks.size());
    for (const Triangle& triangle : mesh_.triangles) add_crossings(triangle, box, windings.data());
    const auto length = static_cast<std::size_t>(box.extent(0));
    for (std::size_t row = 0; row < marks.size(); row += length) {
      int winding = 0;
      for (std::size_t i = row; i < row + length; ++i) {
        winding += windings[i];
        marks[i] = winding != 0;
      }
    }
    return inside;
  }

 private:
  /// Adds, for every ray that the triangle crosses, to the first cell of the box behind the
  /// crossing: 1 where the ray enters, -1 where it leaves.
  void add_crossings(const Triangle& triangle, const Box& box, int* windings) const {
    const auto [lowest, highest] = std::minmax({triangle[0][2], triangle[1][2], triangle[2][2]});
    if (zs_.at(box.upper[2] - 1) < lowest || zs_.at(box.lower[2]) >= highest) return;
    for (Index k = std::max(box.lower[2], zs_.first_from(lowest));
         k < box.upper[2] && zs_.at(k) < highest; ++k) {
      const double z = zs_.at(k);
      SectionPoint down{}, up{};  // where the triangle's outline goes through the plane
      for (std::size_t n = 0; n < 3; ++n) {
        const Corner& a = triangle[n];
        const Corner& b = triangle[(n + 1) % 3];
        if (a[2] > z && b[2] <= z) down = section_of(a, b, z);
        if (a[2] <= z && b[2] > z) up = section_of(a, b, z);
      }
      const bool enters = up.y < down.y;
      const auto& [low, high] = enters ? std::pair(up, down) : std::pair(down, up);
      int* plane = windings + (k - box.lower[2]) * box.extent(1) * box.extent(0);
      for (Index j = std::max(box.lower[1], ys_.first_from(low.y));
           j < box.upper[1] && ys_.at(j) < high.y; ++j) {
        const double share = (ys_.at(j) - low.y) / (high.y - low.y);
        const Index crossing = xs_.first_from(low.x + share * (high.x - low.x));
        const Index i = std::max(crossing, box.lower[0]);
        if (i < box.upper[0])
          plane[(j - box.lower[1]) * box.extent(0) + i - box.lower[0]] += enters ? 1 : -1;
      }
    }
  }

  TriangleMesh mesh_;
  Centers xs_, ys_, zs_;
};

}  // namespace

std::shared_ptr<ImageSource> voxelize(TriangleMesh mesh, const Real3& origin, const Real3& spacing,
                                      Index3 extents) {
  for (std::size_t a = 0; a < 3; ++a)
    require(std::isfinite(origin[a]) && std::isfinite(spacing[a]) && spacing[a] > 0,
            "the cells of a surface's interior are not defined", "a spacing is not positive");
  return std::make_shared<Interior>(closed(std::move(mesh)), origin, spacing, extents);
}

}  // namespace goban
