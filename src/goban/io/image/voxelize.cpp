#include "goban/io/image/voxelize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "goban/base/error.hpp"

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
    for (const Triangle& triangle : mesh_.triangles) mark_crossings(triangle, box, marks.data());
    const auto length = static_cast<std::size_t>(box.extent(0));
    for (std::size_t row = 0; row < marks.size(); row += length)
      for (std::size_t i = 1; i < length; ++i) marks[row + i] ^= marks[row + i - 1];
    return inside;
  }

 private:
  /// Toggles, for every ray that the triangle crosses, the first cell of the box behind the
  /// crossing.
  void mark_crossings(const Triangle& triangle, const Box& box, std::uint8_t* marks) const {
    const auto [lowest, highest] = std::minmax({triangle[0][2], triangle[1][2], triangle[2][2]});
    if (zs_.at(box.upper[2] - 1) < lowest || zs_.at(box.lower[2]) >= highest) return;
    for (Index k = std::max(box.lower[2], zs_.first_from(lowest));
         k < box.upper[2] && zs_.at(k) < highest; ++k) {
      const double z = zs_.at(k);
      SectionPoint ends[2];
      int count = 0;
      for (std::size_t n = 0; n < 3; ++n) {
        const Corner& a = triangle[n];
        const Corner& b = triangle[(n + 1) % 3];
        if ((a[2] <= z) != (b[2] <= z) && count < 2) ends[count++] = section_of(a, b, z);
      }
      if (count < 2) continue;
      if (ends[1].y < ends[0].y) std::swap(ends[0], ends[1]);
      std::uint8_t* plane = marks + (k - box.lower[2]) * box.extent(1) * box.extent(0);
      for (Index j = std::max(box.lower[1], ys_.first_from(ends[0].y));
           j < box.upper[1] && ys_.at(j) < ends[1].y; ++j) {
        const double share = (ys_.at(j) - ends[0].y) / (ends[1].y - ends[0].y);
        const Index crossing = xs_.first_from(ends[0].x + share * (ends[1].x - ends[0].x));
        const Index i = std::max(crossing, box.lower[0]);
        if (i < box.upper[0]) plane[(j - box.lower[1]) * box.extent(0) + i - box.lower[0]] ^= 1;
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
  const EdgeCount edges = count_edges(mesh);
  require(edges.open == 0, "the surface is not closed",
          fmt::format("{} of its {} edges belong to an odd number of triangles", edges.open,
                      edges.edges),
          "close it in the program that made it");
  return std::make_shared<Interior>(std::move(mesh), origin, spacing, extents);
}

}  // namespace goban
