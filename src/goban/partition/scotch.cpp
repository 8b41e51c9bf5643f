#include "goban/partition/scotch.hpp"

#include <functional>
#include <memory>
#include <string>

#include "goban/base/error.hpp"
#include "goban/base/found_library.hpp"

namespace goban {
namespace {

/// What SCOTCH's header declares, as far as it is needed here; stable since 6.0. `Number`: what it
/// was built to count with.
template <class Number>
struct Functions {
  int (*build)(void* graph, Number base, Number vertices, const Number* begins, const Number* ends,
               const Number* weights, const Number* labels, Number edges, const Number* neighbors,
               const Number* edge_weights) = nullptr;
  int (*strategy)(void* strategy, Number flags, Number parts, double imbalance) = nullptr;
  int (*part)(void* graph, Number parts, void* strategy, Number* part_of) = nullptr;
};

struct Scotch {
  int (*size_of_number)() = nullptr;
  void* (*make_graph)() = nullptr;
  void* (*make_strategy)() = nullptr;
  int (*start_graph)(void*) = nullptr;
  int (*start_strategy)(void*) = nullptr;
  void (*end_graph)(void*) = nullptr;
  void (*end_strategy)(void*) = nullptr;
  void (*free_memory)(void*) = nullptr;
  void (*reset_random)() = nullptr;
  Functions<std::int32_t> with_32_bits;
  Functions<std::int64_t> with_64_bits;
  std::string refusal;

  Scotch() {
    FoundLibrary library({"libscotch-7.0.so", "libscotch.so", "libscotch-6.1.so"}, "GOBAN_SCOTCH");
    library.find(size_of_number, "SCOTCH_numSizeof");
    library.find(make_graph, "SCOTCH_graphAlloc");
    library.find(make_strategy, "SCOTCH_stratAlloc");
    library.find(start_graph, "SCOTCH_graphInit");
    library.find(start_strategy, "SCOTCH_stratInit");
    library.find(end_graph, "SCOTCH_graphExit");
    library.find(end_strategy, "SCOTCH_stratExit");
    library.find(free_memory, "SCOTCH_memFree");
    library.find(reset_random, "SCOTCH_randomReset");
    const auto find_functions = [&](auto& all) {
      library.find(all.build, "SCOTCH_graphBuild");
      library.find(all.strategy, "SCOTCH_stratGraphMapBuild");
      library.find(all.part, "SCOTCH_graphPart");
    };
    find_functions(with_32_bits);
    find_functions(with_64_bits);
    refusal = library.refusal();
  }
};

const Scotch& library() {
  static const Scotch scotch;
  return scotch;
}

template <class Number>
std::vector<std::int32_t> cut(const Scotch& scotch, const Functions<Number>& functions,
                              const WeightedGraph& graph, int parts) {
  const auto numbers = [](const auto& all) { return std::vector<Number>(all.begin(), all.end()); };
  const auto begins = numbers(graph.begins), weights = numbers(graph.weights),
             neighbors = numbers(graph.neighbors), links = numbers(graph.edge_weights);
  const auto all = [&](void* memory, auto start, auto end) {
    start(memory);
    return std::unique_ptr<void, std::function<void(void*)>>(memory, [&scotch, end](void* made) {
      end(made);
      scotch.free_memory(made);
    });
  };
  const auto its = all(scotch.make_graph(), scotch.start_graph, scotch.end_graph);
  const auto strategy = all(scotch.make_strategy(), scotch.start_strategy, scotch.end_strategy);
  scotch.reset_random();
  std::vector<Number> part_of(weights.size());
  const bool has_failed =
      functions.build(its.get(), 0, static_cast<Number>(weights.size()), begins.data(),
                      begins.data() + 1, weights.data(), nullptr,
                      static_cast<Number>(neighbors.size()), neighbors.data(), links.data()) != 0 ||
      functions.strategy(strategy.get(), 0, parts, most_imbalance) != 0 ||
      functions.part(its.get(), parts, strategy.get(), part_of.data()) != 0;
  if (has_failed) {
    throw Error(ExitCode::resources, "SCOTCH has not cut the active cells", "it says no more",
                "leave run.partition out");
  }
  return {part_of.begin(), part_of.end()};
}

}  // namespace

bool have_scotch() { return library().refusal.empty(); }

std::vector<std::int32_t> scotch_parts(const WeightedGraph& graph, int parts) {
  const Scotch& scotch = library();
  if (!scotch.refusal.empty()) {
    throw Error(ExitCode::resources, "SCOTCH is not available", scotch.refusal,
                "install libscotch, or leave run.partition out");
  }
  return scotch.size_of_number() == 8 ? cut(scotch, scotch.with_64_bits, graph, parts)
                                      : cut(scotch, scotch.with_32_bits, graph, parts);
}

}  // namespace goban
