#pragma once
// What carries out the kernels: threads of one or several ranks, or GPUs.

#include <memory>
#include <string>
#include <vector>

#include "graph500/graph_parts.hpp"
#include "graph500/model.hpp"
#include "graph500/paths.hpp"
#include "graph500/search.hpp"
#include "graph500/validate.hpp"

namespace goban {
class Runtime;
}

namespace goban::graph500 {

/// How much memory a graph takes, bytes on all ranks together, and how much there is.
struct MemoryNeed {
  Index host = 0, device = 0;
  Index host_available = 0, device_available = 0;

  bool fits() const {
    return host <= host_available && (device == 0 || device <= device_available);
  }
};

/// All calls are collective, in this order: generate, construct, searches.
class Engine : public GraphParts {
 public:
  /// "4 ranks as 2 x 2, 8 threads each".
  virtual std::string description() const = 0;
  /// What a graph of so many vertices and tuples would take.
  virtual MemoryNeed need(Index vertices, Index edges) const = 0;

  virtual void generate() = 0;
  /// Kernel 1.
  virtual void construct() = 0;
  /// Instead of it: makes room for a graph of this shape, which is then filled as GraphParts, and
  /// goes on with it. False: this engine cuts graphs in another way.
  virtual bool make_room(const GraphShape& shape) = 0;
  virtual void adopt() = 0;
  virtual bool is_isolated(Index vertex) const = 0;
  /// Kernel 2; returns when parents are in memory.
  virtual void search(Index root) = 0;
  /// The levels of the last search.
  virtual const std::vector<Level>& levels() const = 0;
  virtual Verdict validate(Index root) = 0;
  /// The parents of all original vertices, on every rank.
  virtual std::vector<Index> parents() = 0;

  /// Kernel 3, where the model asks for it; parents() are then of its tree.
  virtual void find_paths(Index root) = 0;
  virtual Verdict validate_paths(Index root) = 0;
  /// As parents(); infinity: not reached.
  virtual std::vector<float> distances() = 0;
};

/// As the runtime's settings and the partition say. Errors (usage).
std::unique_ptr<Engine> make_engine(const Model& model, const EdgeSource& source, Runtime& runtime);
/// Threads; `source` and `runtime` must outlive it.
std::unique_ptr<Engine> make_cpu_engine(const Model& model, const EdgeSource& source,
                                        Runtime& runtime);

}  // namespace goban::graph500
