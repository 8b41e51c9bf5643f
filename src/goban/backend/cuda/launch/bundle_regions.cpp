#include "goban/backend/cuda/launch/bundle_regions.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace goban::cuda {
namespace {

using device::BundleRegion;

/// A part's box with its axes in memory order.
struct Extent {
  std::array<int, 3> low, high;
};

/// Joins regions that are adjacent along this axis and otherwise equal.
void join_along(std::vector<BundleRegion>& all, std::size_t axis) {
  std::vector<BundleRegion> joined;
  /// Indices of regions, keyed by their end along the axis, their extents along the others, and
  /// their parts.
  std::map<std::array<int, 6>, std::size_t> ends;
  for (const BundleRegion& next : all) {
    const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
    std::array<int, 6> key{next.low[axis], next.low[b],  next.high[b],
                           next.low[c],    next.high[c], static_cast<int>(next.parts)};
    const auto before = ends.find(key);
    const std::size_t at = before == ends.end() ? joined.size() : before->second;
    if (before == ends.end()) {
      joined.push_back(next);
    } else {
      joined[at].high[axis] = next.high[axis];
      ends.erase(before);
    }
    key[0] = next.high[axis];
    ends[key] = at;
  }
  all = std::move(joined);
}

unsigned int reciprocal_of(unsigned int number) { return 0xffffffffu / number; }

/// The regions of one group of parts.
std::vector<BundleRegion> regions_of_group(const std::vector<Box>& parts,
                                           const std::vector<std::size_t>& group,
                                           const std::array<int, 3>& order, int unit) {
  std::vector<Extent> extents;
  std::array<std::vector<int>, 3> cuts;
  for (const std::size_t p : group) {
    const Box& box = parts[p];
    Extent& one = extents.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      const Index cells = i == 0 ? unit : 1;
      one.low[i] = static_cast<int>(round_down(box.lower[order[i]], cells));
      one.high[i] = static_cast<int>(round_up(box.upper[order[i]], cells));
      cuts[i].insert(cuts[i].end(), {one.low[i], one.high[i]});
    }
  }
  for (auto& along : cuts) {
    std::sort(along.begin(), along.end());
    along.erase(std::unique(along.begin(), along.end()), along.end());
  }
  std::vector<BundleRegion> all;
  for (std::size_t k = 1; k < cuts[2].size(); ++k) {
    for (std::size_t j = 1; j < cuts[1].size(); ++j) {
      for (std::size_t i = 1; i < cuts[0].size(); ++i) {
        BundleRegion region{{cuts[0][i - 1], cuts[1][j - 1], cuts[2][k - 1]},
                            {cuts[0][i], cuts[1][j], cuts[2][k]},
                            {},
                            {},
                            {},
                            0,
                            0,
                            0};
        for (std::size_t n = 0; n < extents.size(); ++n) {
          const Extent& part = extents[n];
          bool has_it = true;
          for (std::size_t a = 0; a < 3; ++a) {
            has_it = has_it && part.low[a] <= region.low[a] && region.high[a] <= part.high[a];
          }
          if (has_it) region.parts |= 1u << group[n];
        }
        if (region.parts != 0) all.push_back(region);
      }
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) join_along(all, axis);
  std::stable_sort(all.begin(), all.end(), [](const BundleRegion& a, const BundleRegion& b) {
    return std::popcount(a.parts) > std::popcount(b.parts);
  });
  return all;
}

}  // namespace

std::vector<BundleRegion> regions_of(const std::vector<Box>& parts,
                                     const std::vector<std::vector<std::size_t>>& groups,
                                     const std::array<int, 3>& order, int unit) {
  std::vector<BundleRegion> all;
  for (const std::vector<std::size_t>& group : groups) {
    const std::vector<BundleRegion> regions = regions_of_group(parts, group, order, unit);
    all.insert(all.end(), regions.begin(), regions.end());
  }
  return all;
}

unsigned int share_out(std::vector<BundleRegion>& regions, int pack, int threads, int longest) {
  const auto blocks_of = [](int count, int most) { return (count + most - 1) / most; };
  // Blocks along an axis are alike.
  const auto shared = [&](int count, int most) {
    return blocks_of(count, blocks_of(count, std::max(1, most)));
  };
  unsigned int blocks = 0;
  for (BundleRegion& region : regions) {
    const int needed[3] = {(region.high[0] - region.low[0]) / pack, region.high[1] - region.low[1],
                           region.high[2] - region.low[2]};
    const int x = shared(needed[0], longest), y = shared(needed[1], threads / x),
              z = shared(needed[2], threads / (x * y));
    const int of_thread[3] = {x, y, z};
    region.first_block = blocks;
    unsigned int count = 1;
    for (int i = 0; i < 3; ++i) {
      region.threads[i] = static_cast<unsigned int>(of_thread[i]);
      const auto along = static_cast<unsigned int>(blocks_of(needed[i], of_thread[i]));
      if (i < 2) {
        region.blocks[i] = along;
        region.reciprocal[i] = reciprocal_of(region.threads[i]);
        region.reciprocal[2 + i] = reciprocal_of(along);
      }
      count *= along;
    }
    blocks += count;
  }
  return blocks;
}

}  // namespace goban::cuda
