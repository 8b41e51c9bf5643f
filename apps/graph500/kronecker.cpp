// Goban's own generator: a hash of the tuple's number gives the quadrants, a keyed bijection the
// permutation of the vertices.

#include <fmt/format.h>

#include <vector>

#include "goban/base/mix.hpp"
#include "graph500/edge.hpp"
#include "graph500/kronecker.hpp"

namespace goban::graph500 {

EdgeSource::~EdgeSource() = default;

namespace {

class Kronecker : public EdgeSource {
 public:
  explicit Kronecker(const KroneckerOptions& options)
      : options_(options), rule_(kronecker_rule(options)) {}

  Index vertices() const override { return Index{1} << options_.scale; }
  Index edges() const override { return vertices() * options_.edge_factor; }
  void edges(Index begin, std::span<Edge> edges) const override {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      std::uint64_t ends[2];
      kronecker_edge(rule_, static_cast<std::uint64_t>(begin) + i, ends);
      edges[i] = Edge(static_cast<Index>(ends[0]), static_cast<Index>(ends[1]));
    }
  }
  void weights(Index begin, std::span<float> weights) const override {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::uint64_t bits = mix(rule_.weights ^ mix(static_cast<std::uint64_t>(begin) + i));
      weights[i] = static_cast<float>(bits >> 40) * 0x1p-24f;
    }
  }
  Index draw_key(Index n) const override {
    return static_cast<Index>(mix(rule_.keys ^ mix(static_cast<std::uint64_t>(n))) >>
                              (64 - options_.scale));
  }
  std::string description() const override {
    return fmt::format("Kronecker graph of scale {}, edge factor {}, seed {}", options_.scale,
                       options_.edge_factor, options_.seed);
  }

 private:
  KroneckerOptions options_;
  KroneckerRule rule_;
};

}  // namespace

KroneckerRule kronecker_rule(const KroneckerOptions& options) {
  KroneckerRule rule{};
  rule.scale = options.scale;
  rule.draws = mix(options.seed);
  rule.weights = mix(options.seed + (1ull << 32));
  rule.keys = mix(options.seed + (2ull << 32));
  for (std::uint64_t r = 0; r < 3; ++r) {
    rule.factor[r] = mix(options.seed + ((3 + r) << 32)) | 1;
    rule.offset[r] = mix(options.seed + ((6 + r) << 32));
  }
  return rule;
}

std::unique_ptr<EdgeSource> kronecker_edges(const KroneckerOptions& options) {
  return std::make_unique<Kronecker>(options);
}

std::uint64_t fingerprint(const EdgeSource& source) {
  std::vector<Edge> edges(static_cast<std::size_t>(source.edges()));
  source.edges(0, edges);
  std::uint64_t hash = 1469598103934665603u;
  for (const Edge& edge : edges) {
    for (const Index vertex : {edge.first(), edge.second()}) {
      hash = (hash ^ static_cast<std::uint64_t>(vertex)) * 1099511628211u;
    }
  }
  return hash;
}

}  // namespace goban::graph500
