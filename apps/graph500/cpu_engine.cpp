// The kernels on the threads of every rank.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "goban/base/error.hpp"
#include "goban/performance/measure/machine.hpp"
#include "goban/runtime/runtime.hpp"
#include "graph500/adjacency.hpp"
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
    const Transport transport = runtime.settings().transport;
    require(transport == Transport::automatic || transport == Transport::host,
            std::string("run.transport = ") + name_of(transport) + " is refused",
            "threads exchange through memory of the host", "take --devices cuda, or leave it out");
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
    const Index per_edge = tuple + 2 * entry + (ranks > 1 ? 2 * 12 + 2 * 4 : 0);
    // Labels and what is validated, which every rank has; offsets, bitmaps and the like.
    const Index per_vertex = model_.paths ? (12 + 16) * ranks + 64 : (12 + 12) * ranks + 40;
    MemoryNeed need;
    need.host = edges * per_edge + vertices * per_vertex;
    if (ranks > 1) need.host += ranks * exchange_bytes(edges, ranks_->size());
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
    prepare();
  }

  bool make_room(const GraphShape& shape) override {
    if (shape.rows != rows_ || shape.parts != ranks_->size() || shape.has_weights != model_.paths) {
      return false;
    }
    graph_ = Graph();
    graph_.partition = shape.partition(ranks_->rank());
    labels_ = Labels();
    labels_.original = Buffer<std::uint32_t>(shape.labels);
    labels_.degree = Buffer<std::uint32_t>(shape.labels);
    const auto rank = static_cast<std::size_t>(ranks_->rank());
    const auto room = [&](Adjacency& adjacency, Lists lists, Index blocks, Index entries) {
      adjacency.begin = Buffer<std::uint64_t>(blocks * Partition::block + 1);
      adjacency.begin[blocks * Partition::block] = 0;
      adjacency.neighbour = Buffer<Vertex>(entries);
      if (shape.has_weights && lists == shape.weighted()) adjacency.weight = Buffer<float>(entries);
    };
    room(graph_.by_row, Lists::rows, graph_.partition.row_blocks(), shape.row_entries[rank]);
    if (shape.parts > 1) {
      room(graph_.by_column, Lists::columns, graph_.partition.column_blocks(),
           shape.column_entries[rank]);
    }
    return true;
  }
  void adopt() override {
    ThreadTeam& team = runtime_.team();
    number(labels_, source_.vertices(), team);
    graph_.own_degree = degrees_of_own(graph_.partition, labels_, team);
    for (Adjacency* adjacency : {&graph_.by_row, &graph_.by_column}) {
      if (adjacency->begin.size() == 0) continue;
      sum_up(adjacency->begin, team);
      set_first(*adjacency, team);
    }
    prepare();
  }

  GraphShape shape() const override {
    std::vector<Index> columns;
    if (graph_.partition.parts() > 1) columns.push_back(graph_.by_column.neighbour.size());
    return shape_of(graph_.partition, labels_.count(), model_.paths,
                    {graph_.by_row.neighbour.size()}, columns, *ranks_);
  }
  Labels& labels() override { return labels_; }
  void read(Lists lists, ListValues what, int, Index begin,
            std::span<std::uint32_t> values) override {
    const Adjacency& adjacency = lists_of(lists);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Index at = begin + static_cast<Index>(i);
      values[i] = what == ListValues::counts
                      ? static_cast<std::uint32_t>(adjacency.begin[at + 1] - adjacency.begin[at])
                  : what == ListValues::neighbours
                      ? adjacency.neighbour[at]
                      : std::bit_cast<std::uint32_t>(adjacency.weight[at]);
    }
  }
  void write(Lists lists, ListValues what, int, Index begin,
             std::span<const std::uint32_t> values) override {
    Adjacency& adjacency = lists_of(lists);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Index at = begin + static_cast<Index>(i);
      if (what == ListValues::counts) {
        adjacency.begin[at] = values[i];
      } else if (what == ListValues::neighbours) {
        adjacency.neighbour[at] = values[i];
      } else {
        adjacency.weight[at] = std::bit_cast<float>(values[i]);
      }
    }
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
    return graph500::validate_paths(list_, parents(), distances(), root, *ranks_, runtime_.team());
  }
  std::vector<float> distances() override {
    return gathered(distances_, std::numeric_limits<float>::infinity(), graph_, labels_, *ranks_);
  }

 private:
  Adjacency& lists_of(Lists lists) {
    return lists == Lists::rows ? graph_.by_row : graph_.by_column;
  }
  void prepare() {
    search_.emplace(graph_, labels_, *ranks_, runtime_.team(), model_.rule);
    parents_ = search_->make_parents();
    if (!model_.paths) return;
    paths_.emplace(graph_, labels_, *ranks_, runtime_.team(),
                   DistanceBins(source_.most_weight(), model_.delta));
    distances_ = paths_->make_distances();
  }

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
