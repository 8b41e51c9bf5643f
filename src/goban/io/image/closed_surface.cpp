#include "goban/io/image/closed_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/base/mix.hpp"

namespace goban {
namespace {

/// A triangle at an edge, whose lower corner comes first.
struct EdgeUse {
  Corner low, high;
  std::uint32_t triangle;
  bool is_forward;

  bool shares_edge(const EdgeUse& other) const { return low == other.low && high == other.high; }
};

/// Sorted by edges; what has no length is none.
std::vector<EdgeUse> edges_of(const TriangleMesh& mesh) {
  const auto positive_zero = [](Corner corner) {
    for (float& x : corner) x += 0.0f;
    return corner;
  };
  std::vector<EdgeUse> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t n = 0; n < 3; ++n) {
      const Corner a = positive_zero(mesh.triangles[t][n]);
      const Corner b = positive_zero(mesh.triangles[t][(n + 1) % 3]);
      if (a != b)
        edges.push_back({std::min(a, b), std::max(a, b), static_cast<std::uint32_t>(t), a < b});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });
  return edges;
}

/// Calls use(first, last) for what shares an edge.
template <class Use>
void each_edge(const std::vector<EdgeUse>& edges, const Use& use) {
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    while (end < edges.size() && edges[end].shares_edge(edges[begin])) ++end;
    use(&edges[begin], edges.data() + end);
  }
}

EdgeCount count(const std::vector<EdgeUse>& edges) {
  EdgeCount count;
  each_edge(edges, [&](const EdgeUse* first, const EdgeUse* last) {
    const auto forward = std::count_if(first, last, [](const auto& use) { return use.is_forward; });
    ++count.edges;
    if ((last - first) % 2 != 0) ++count.open;
    if (2 * forward != last - first) ++count.turned;
  });
  return count;
}

/// Corners within this of the largest coordinate are one.
constexpr double nearness = 1e-6;

/// Maps every corner to the first one near it.
class Welder {
 public:
  explicit Welder(double distance) : distance_(distance) {}

  Corner operator()(const Corner& corner) {
    // Near corners lie in cells of twice the distance that are neighbours towards the nearer side.
    std::array<std::array<std::int64_t, 2>, 3> cells{};
    for (std::size_t a = 0; a < 3; ++a) {
      const double place = corner[a] / (2 * distance_), low = std::floor(place);
      cells[a] = {static_cast<std::int64_t>(low),
                  static_cast<std::int64_t>(low) + (place - low < 0.5 ? -1 : 1)};
    }
    for (unsigned n = 0; n < 8; ++n) {
      const auto [first, last] =
          corners_.equal_range(key(cells[0][n & 1], cells[1][n >> 1 & 1], cells[2][n >> 2]));
      for (auto at = first; at != last; ++at) {
        if (is_near(at->second, corner)) return at->second;
      }
    }
    corners_.emplace(key(cells[0][0], cells[1][0], cells[2][0]), corner);
    return corner;
  }

 private:
  static std::uint64_t key(std::int64_t x, std::int64_t y, std::int64_t z) {
    return mix(static_cast<std::uint64_t>(x) +
               mix(static_cast<std::uint64_t>(y) + mix(static_cast<std::uint64_t>(z))));
  }
  bool is_near(const Corner& a, const Corner& b) const {
    return std::abs(double{a[0]} - b[0]) <= distance_ &&
           std::abs(double{a[1]} - b[1]) <= distance_ && std::abs(double{a[2]} - b[2]) <= distance_;
  }

  double distance_;
  std::unordered_multimap<std::uint64_t, Corner> corners_;
};

void weld(TriangleMesh& mesh) {
  double largest = 0;
  for (const Triangle& triangle : mesh.triangles)
    for (const Corner& corner : triangle)
      for (const float x : corner) largest = std::max(largest, std::abs(double{x}));
  Welder welded(nearness * largest);
  for (Triangle& triangle : mesh.triangles)
    for (Corner& corner : triangle) corner = welded(corner);
}

/// Sets of triangles that hang together, and which of a set are turned against its root.
class Parts {
 public:
  explicit Parts(std::size_t triangles) : parents_(triangles), is_against_parent_(triangles) {
    std::iota(parents_.begin(), parents_.end(), 0u);
  }

  std::pair<std::uint32_t, bool> find(std::uint32_t triangle) {
    bool is_against = false;
    std::uint32_t root = triangle;
    for (; parents_[root] != root; root = parents_[root])
      is_against = is_against != is_against_parent_[root];
    for (bool rest = is_against; parents_[triangle] != triangle;) {  // shorter ways next time
      const bool step = is_against_parent_[triangle];
      is_against_parent_[triangle] = rest;
      triangle = std::exchange(parents_[triangle], root);
      rest = rest != step;
    }
    return {root, is_against};
  }
  void join(std::uint32_t a, std::uint32_t b, bool are_against) {
    const auto [root_a, a_against] = find(a);
    const auto [root_b, b_against] = find(b);
    if (root_a == root_b) return;
    parents_[root_b] = root_a;
    is_against_parent_[root_b] = (a_against != b_against) != are_against;
  }

 private:
  std::vector<std::uint32_t> parents_;
  std::vector<bool> is_against_parent_;
};

void turn_alike(TriangleMesh& mesh) {
  const std::size_t triangles = mesh.triangles.size();
  Parts parts(triangles);
  each_edge(edges_of(mesh), [&](const EdgeUse* first, const EdgeUse* last) {
    if (last - first == 2)
      parts.join(first[0].triangle, first[1].triangle, first[0].is_forward == first[1].is_forward);
  });
  std::vector<std::int64_t> balance(
      triangles);  // of a part: those turned like its root, less others
  for (std::uint32_t t = 0; t < triangles; ++t) {
    const auto [root, is_against] = parts.find(t);
    balance[root] += is_against ? -1 : 1;
  }
  for (std::uint32_t t = 0; t < triangles; ++t) {
    const auto [root, is_against] = parts.find(t);
    if (is_against == (balance[root] >= 0)) std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
  }
}

}  // namespace

EdgeCount count_edges(const TriangleMesh& mesh) { return count(edges_of(mesh)); }

std::vector<OpenEdge> open_edges(const TriangleMesh& mesh) {
  std::vector<OpenEdge> open;
  const std::vector<EdgeUse> edges = edges_of(mesh);
  each_edge(edges, [&](const EdgeUse* first, const EdgeUse* last) {
    if ((last - first) % 2 != 0)
      open.push_back({first->low, first->high, first->triangle, first->is_forward});
  });
  return open;
}

TriangleMesh closed(TriangleMesh mesh) {
  EdgeCount edges = count_edges(mesh);
  if (edges.open > 0) {
    const EdgeCount stored = edges;
    weld(mesh);
    edges = count_edges(mesh);
    if (edges.open > 0) {
      const OpenEdge hole = open_edges(mesh).front();
      throw Error(
          ExitCode::usage, "the surface is not closed",
          fmt::format("{} of its {} edges belong to an odd number of triangles, as that from "
                      "({:.6g}, {:.6g}, {:.6g}) to ({:.6g}, {:.6g}, {:.6g}) of triangle {}",
                      stored.open, stored.edges, hole.low[0], hole.low[1], hole.low[2],
                      hole.high[0], hole.high[1], hole.high[2], hole.triangle + 1),
          "close it in the program that made it");
    }
  }
  if (edges.turned == 0) return mesh;
  turn_alike(mesh);
  edges = count_edges(mesh);
  require(edges.turned == 0, "the surface has no inside",
          fmt::format("at {} of its {} edges triangles are turned against each other", edges.turned,
                      edges.edges),
          "let the program that made it turn all normals outwards");
  return mesh;
}

}  // namespace goban
