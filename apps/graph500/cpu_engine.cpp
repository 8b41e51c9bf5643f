// The kernels on the threads of every rank.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "goban/base/error.hpp"
#include "goban/performance/measure/machine.hpp"
#include "goban/runtime/runtime.hpp"
#include "graph500/engine.hpp"

namespace goban::graph500 {
namespace {

class CpuEngine : public Engine {
 public:
  CpuEngine(const Model& model, const EdgeSource& source, Runtime& runtime)
      : model_(model),
        source_(source),
        runtime_(runtime),
        ranks_(runtime.communicator()),
        rows_(model.rows > 0 ? model.rows : usual_rows(ranks_->size())) {
    require(ranks_->size() % rows_ == 0, fmt::format("partition.rows = {} is refused", rows_),
            fmt::format("{} ranks do not make as many rows", ranks_->size()),
            "take a divisor of the number of ranks, or auto");
  }

  std::string description() const override {
    const int threads = runtime_.threads();
    const std::string each = fmt::format("{} {}", threads, threads == 1 ? "thread" : "threads");
    if (ranks_->size() == 1) return each;
    return fmt::format("{} ranks as {} x {}, {} each", ranks_->size(), rows_,
                       ranks_->size() / rows_, each);
  }

  MemoryNeed need(Index vertices, Index edges) const override {
    const Index ranks = ranks_->size();
    const Index tuple = model_.paths ? 16 : 12, entry = model_.paths ? 8 : 4;
    // Tuples, neighbours of both ends; several ranks have pairs meanwhile and both directions.
    const Index per_edge = tuple + 2 * entry + (ranks > 1 ? 2 * 12 + 2 * entry : 0);
    // Labels and parents to validate, which every rank has; offsets, bitmaps and the like.
    const Index per_vertex = (12 + 12) * ranks + 40;
    MemoryNeed need;
    need.host = edges * per_edge + vertices * per_vertex;
    const auto& nodes = ranks_->nodes();
    const Index machines = 1 + *std::max_element(nodes.begin(), nodes.end());
    need.host_available = inspect_machine().memory_available * machines;
    return need;
  }

  void generate() override {
    list_ = make_edges(source_, model_.paths, ranks_->rank(), ranks_->size(), runtime_.team());
  }
  void construct() override {
    labels_ = make_labels(list_, source_.vertices(), *ranks_, runtime_.team());
    graph_ = make_graph(list_, labels_, rows_, *ranks_, runtime_.team());
    search_.emplace(graph_, labels_, *ranks_, runtime_.team(), model_.rule);
    parents_ = search_->make_parents();
    if (!model_.paths) return;
    paths_.emplace(graph_, labels_, *ranks_, runtime_.team(),
                   DistanceBins(source_.most_weight(), model_.delta));
    distances_ = paths_->make_distances();
  }
  bool is_isolated(Index vertex) const override { return labels_.label[vertex] == no_vertex; }

  void search(Index root) override { search_->run(root, parents_); }
  const std::vector<Level>& levels() const override { return search_->levels(); }
  Verdict validate(Index root) override {
    return graph500::validate(list_, parents(), root, *ranks_, runtime_.team());
  }
  std::vector<Index> parents() override {
    return gathered(parents_, Index{-1}, graph_, labels_, *ranks_);
  }

  void find_paths(Index root) override { paths_->run(root, parents_, distances_); }
  Verdict validate_paths(Index root) override {
    return graph500::validate_paths(list_, parents(), distances(), root, *ranks_,
                                    runtime_.team());
  }
  std::vector<float> distances() override {
    return gathered(distances_, std::numeric_limits<float>::infinity(), graph_, labels_, *ranks_);
  }

 private:
  const Model& model_;
  const EdgeSource& source_;
  Runtime& runtime_;
  std::shared_ptr<Communicator> ranks_;
  int rows_;
  EdgeList list_;
  Labels labels_;
  Graph graph_;
  std::optional<Search> search_;
  std::optional<ShortestPaths> paths_;
  Parents parents_;
  Distances distances_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(const Model& model, const EdgeSource& source,
                                        Runtime& runtime) {
  return std::make_unique<CpuEngine>(model, source, runtime);
}

}  // namespace goban::graph500
