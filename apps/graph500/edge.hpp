#pragma once
// Edges as they are generated or read: pairs of original vertices.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "goban/base/types.hpp"

namespace goban::graph500 {

/// An input tuple of 12 bytes: two vertices of 48 bits, in the order in which they were drawn.
/// Loops and duplicates are tuples like others.
class Edge {
 public:
  Edge() = default;
  Edge(Index first, Index second)
      : low_{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)},
        high_{static_cast<std::uint16_t>(first >> 32), static_cast<std::uint16_t>(second >> 32)} {}
  Index first() const { return static_cast<Index>(high_[0]) << 32 | low_[0]; }
  Index second() const { return static_cast<Index>(high_[1]) << 32 | low_[1]; }
  bool is_loop() const { return first() == second(); }

 private:
  std::uint32_t low_[2];
  std::uint16_t high_[2];
};
static_assert(sizeof(Edge) == 12);

/// Where the tuples of a graph come from. Any part of the list can be had anywhere, at once by
/// several threads.
class EdgeSource {
 public:
  virtual ~EdgeSource();
  virtual Index vertices() const = 0;
  virtual Index edges() const = 0;
  /// Tuples [begin, begin + edges.size()) of the list.
  virtual void edges(Index begin, std::span<Edge> edges) const = 0;
  /// Their weights in [0, 1), as single-precision numbers.
  virtual void weights(Index begin, std::span<float> weights) const = 0;
  /// No weight is greater.
  virtual float most_weight() const { return 1; }
  /// A vertex that the n-th draw of a search key names, which may be isolated or have come before.
  virtual Index draw_key(Index n) const = 0;
  /// What banners say: "scale 20, the reference's generator".
  virtual std::string description() const = 0;
};

/// Kronecker graphs of 2^scale vertices and edge_factor 2^scale tuples, each bit of both ends drawn
/// with A = 0.57, B = C = 0.19, D = 0.05, vertices permuted. Every tuple is a function of seed and
/// number alone, so that no list needs to be shuffled.
struct KroneckerOptions {
  int scale = 16;
  int edge_factor = 16;
  std::uint64_t seed = 1;
};
std::unique_ptr<EdgeSource> kronecker_edges(const KroneckerOptions& options);

/// The same graphs, tuple by tuple, as the generator of graph500/graph500 (version 3) with the
/// seeds 2 and 3 of its main program makes them: quadrants drawn in ten thousandths, those below
/// the diagonal flipped, vertices scrambled by multiplying and reversing bits.
std::unique_ptr<EdgeSource> reference_edges(int scale, int edge_factor);

/// FNV-1a over the 64-bit words of the tuples in their order; small graphs.
std::uint64_t fingerprint(const EdgeSource& source);

}  // namespace goban::graph500
