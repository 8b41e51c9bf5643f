#include "goban/geometry/caps.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "goban/geometry/vector.hpp"
#include "goban/io/image/closed_surface.hpp"

namespace goban {
namespace {

using namespace vectors;

/// Edges that hang together.
std::vector<std::vector<OpenEdge>> holes_of(const std::vector<OpenEdge>& edges) {
  std::multimap<Corner, std::size_t> by_corner;
  for (std::size_t n = 0; n < edges.size(); ++n) {
    by_corner.emplace(edges[n].low, n);
    by_corner.emplace(edges[n].high, n);
  }
  std::vector<std::vector<OpenEdge>> holes;
  std::vector<bool> is_taken(edges.size());
  for (std::size_t first = 0; first < edges.size(); ++first) {
    if (is_taken[first]) continue;
    is_taken[first] = true;
    std::vector<std::size_t> hole{first};
    for (std::size_t n = 0; n < hole.size(); ++n) {
      for (const Corner& corner : {edges[hole[n]].low, edges[hole[n]].high}) {
        const auto [begin, end] = by_corner.equal_range(corner);
        for (auto at = begin; at != end; ++at) {
          if (is_taken[at->second]) continue;
          is_taken[at->second] = true;
          hole.push_back(at->second);
        }
      }
    }
    holes.emplace_back();
    for (const std::size_t n : hole) holes.back().push_back(edges[n]);
  }
  return holes;
}

}  // namespace

TriangleMesh with_caps(TriangleMesh surface, std::span<const Opening> openings) {
  for (const std::vector<OpenEdge>& hole : holes_of(open_edges(surface))) {
    const bool is_opening =
        std::any_of(openings.begin(), openings.end(), [&](const Opening& opening) {
          return std::all_of(hole.begin(), hole.end(), [&](const OpenEdge& edge) {
            return norm(point(edge.low) - opening.center) <= 1.5 * opening.radius;
          });
        });
    if (!is_opening) continue;
    Real3 middle{};
    for (const OpenEdge& edge : hole) {
      middle =
          middle + 0.5 / static_cast<double>(hole.size()) * (point(edge.low) + point(edge.high));
    }
    const Corner center = {static_cast<float>(middle[0]), static_cast<float>(middle[1]),
                           static_cast<float>(middle[2])};
    for (const OpenEdge& edge : hole) {
      surface.triangles.push_back(edge.is_forward ? Triangle{edge.high, edge.low, center}
                                                  : Triangle{edge.low, edge.high, center});
    }
  }
  return surface;
}

}  // namespace goban
