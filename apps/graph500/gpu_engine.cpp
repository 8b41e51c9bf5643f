// The kernels of the benchmark on GPUs: those of one process, or one of every rank.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <optional>

#include "goban/backend/cuda/executor.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/halo/device_reach.hpp"
#include "goban/performance/measure/machine.hpp"
#include "goban/runtime/runtime.hpp"
#include "graph500/adjacency.hpp"
#include "graph500/engine.hpp"
#include "graph500/gpu_engine.hpp"
#include "graph500/gpu_gather.hpp"
#include "graph500/gpu_paths.hpp"
#include "graph500/gpu_search.hpp"

namespace goban::graph500 {

#if GOBAN_HAVE_CUDA

namespace {

class GpuEngine : public Engine {
 public:
  GpuEngine(const Model& model, const EdgeSource& source, Runtime& runtime)
      : model_(model),
        source_(source),
        runtime_(runtime),
        ranks_(runtime.communicator()),
        devices_(runtime.settings().devices) {
    require(model.rows == 0 || model.rows == part_count(),
            fmt::format("partition.rows = {} is refused", model.rows),
            "every GPU has all edges of its vertices", "leave it out");
    require(ranks_->size() == 1 || devices_.size() == 1,
            fmt::format("{} GPUs a rank are refused", devices_.size()),
            "where there are several ranks each computes on one", "start as many ranks as GPUs");
    require(std::count(devices_.begin(), devices_.end(), cpu_device) == 0, "cuda+cpu is refused",
            "searches are on GPUs alone", "take --devices cuda");
    if (ranks_->size() > 1) join();
  }
  ~GpuEngine() override {
    if (!group_) return;
    if (std::uncaught_exceptions() == 0) {
      try {
        ranks_->barrier();
        group_.reset();
        return;
      } catch (const Error&) {  // another rank is gone
      }
    }
    new std::shared_ptr<DeviceGroup>(std::move(group_));  // the others may still be at it
  }

  std::string description() const override {
    const int gpus = part_count();
    std::string text = fmt::format("{} x {}", gpus, cuda::name_of(devices_.front()));
    if (ranks_->size() == 1) return text;
    return text + fmt::format(" of {} ranks, {}", ranks_->size(), exchange_);
  }

  MemoryNeed need(Index vertices, Index edges) const override {
    MemoryNeed need;
    const Index ranks = ranks_->size();
    const int parts = part_count();
    // Labels, and parents of all vertices while several parts are validated.
    need.host = vertices * ((model_.paths ? 48 : 36) * ranks + 24);
    if (!makes_tuples_here()) need.host += edges * (model_.paths ? 16 : 12);
    // Tuples, pairs and lists in both directions.
    if (ranks > 1) need.host += edges * (model_.paths ? 16 + 24 + 32 : 12 + 24 + 16);
    if (ranks > 1) need.host += ranks * exchange_bytes(edges, ranks_->size());
    const auto& nodes = ranks_->nodes();
    need.host_available =
        inspect_machine().memory_available * (1 + *std::max_element(nodes.begin(), nodes.end()));
    need.device = GpuPart::bytes_needed(vertices, edges, parts, model_.paths);
    need.device_available = std::numeric_limits<Index>::max();
    for (const Gpu& device : cuda::devices()) {
      if (std::count(devices_.begin(), devices_.end(), device.number) == 0) continue;
      need.device_available = std::min(need.device_available, device.memory_free);
    }
    return need;
  }

  void generate() override {
    if (!makes_tuples_here()) {
      list_ = make_edges(source_, model_.paths, ranks_->rank(), ranks_->size(), runtime_.team());
    }
    const Index count = makes_tuples_here() ? source_.edges() : list_.edges.size();
    for (std::size_t n = 0; n < devices_.size(); ++n) {
      const cuda::OnDevice current(devices_[n]);
      const Part share =
          split_evenly(count, static_cast<int>(devices_.size()), static_cast<int>(n));
      const Index size = share.end - share.begin;
      edges_.push_back(makes_tuples_here()
                           ? generated(rule(), share.begin, size, model_.paths, nullptr)
                           : copied(list_, share));
    }
  }

  void construct() override {
    room_.clear();
    if (ranks_->size() > 1) {
      labels_ = make_labels(list_, source_.vertices(), *ranks_, runtime_.team());
      const Graph graph = make_graph(list_, labels_, part_count(), *ranks_, runtime_.team());
      parts_.push_back(copied(devices_[0], graph, labels_));
    } else {
      construct_here();
    }
    prepare();
  }

  bool make_room(const GraphShape& shape) override {
    if (shape.rows != part_count() || shape.parts != part_count() ||
        shape.has_weights != model_.paths) {
      return false;
    }
    labels_ = Labels();
    labels_.original = Buffer<std::uint32_t>(shape.labels);
    labels_.degree = Buffer<std::uint32_t>(shape.labels);
    for (std::size_t n = 0; n < devices_.size(); ++n) {
      const cuda::OnDevice current(devices_[n]);
      const Partition partition = shape.partition(part_number(n));
      const auto part = static_cast<std::size_t>(partition.part());
      const auto lists_of = [&](Lists lists, Index blocks, Index entries) {
        Room::ListsRoom room;
        room.begin = Buffer<std::uint64_t>(blocks * Partition::block + 1);
        room.begin[blocks * Partition::block] = 0;
        room.lists.neighbour = DeviceArray<Vertex>(entries);
        if (shape.has_weights && lists == shape.weighted()) {
          room.lists.weight = DeviceArray<float>(entries);
        }
        return room;
      };
      Room& room = room_.emplace_back();
      room.partition = partition;
      room.rows = lists_of(Lists::rows, partition.row_blocks(), shape.row_entries[part]);
      if (shape.parts == 1) continue;
      room.columns =
          lists_of(Lists::columns, partition.column_blocks(), shape.column_entries[part]);
    }
    return true;
  }
  void adopt() override {
    ThreadTeam& team = runtime_.team();
    number(labels_, source_.vertices(), team);
    for (std::size_t n = 0; n < room_.size(); ++n) {
      const cuda::OnDevice current(devices_[n]);
      const bool is_alone = part_count() == 1;
      const auto finished = [&](Room::ListsRoom& room) {
        sum_up(room.begin, team);
        room.lists.begin = DeviceArray<std::uint64_t>(room.begin.all());
        set_first(room.lists, nullptr);
        return std::move(room.lists);
      };
      for (const int device : devices_) {
        if (!reach(device)) throw_unreachable(device);
      }
      DeviceAdjacency rows = finished(room_[n].rows);
      DeviceAdjacency columns = is_alone ? rows : finished(room_[n].columns);
      parts_.push_back(std::make_unique<GpuPart>(
          devices_[n], room_[n].partition, std::move(rows), std::move(columns),
          degrees_of_own(room_[n].partition, labels_, team), labels_));
    }
    room_.clear();
    prepare();
  }

  GraphShape shape() const override {
    std::vector<Index> rows, columns;
    for (const auto& part : parts_) {
      rows.push_back(part->rows().neighbour.size());
      if (part_count() > 1) columns.push_back(part->columns().neighbour.size());
    }
    return shape_of(parts_.front()->partition(), labels_.count(), model_.paths, rows, columns,
                    *ranks_);
  }
  Labels& labels() override { return labels_; }
  void read(Lists lists, ListValues what, int part, Index begin,
            std::span<std::uint32_t> values) override {
    const GpuPart& own = *parts_[static_cast<std::size_t>(part - part_number(0))];
    const cuda::OnDevice current(own.device());
    const DeviceAdjacency& adjacency = lists == Lists::rows ? own.rows() : own.columns();
    if (what == ListValues::neighbours) {
      adjacency.neighbour.get(values, own.stream(), begin);
    } else if (what == ListValues::weights) {
      std::vector<float> weights(values.size());
      adjacency.weight.get(weights, own.stream(), begin);
      std::memcpy(values.data(), weights.data(), values.size_bytes());
    } else {
      std::vector<std::uint64_t> sums(values.size() + 1);
      adjacency.begin.get(sums, own.stream(), begin);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<std::uint32_t>(sums[i + 1] - sums[i]);
      }
    }
  }
  void write(Lists lists, ListValues what, int part, Index begin,
             std::span<const std::uint32_t> values) override {
    const auto n = static_cast<std::size_t>(part - part_number(0));
    const cuda::OnDevice current(devices_[n]);
    Room::ListsRoom& room = lists == Lists::rows ? room_[n].rows : room_[n].columns;
    if (what == ListValues::neighbours) {
      room.lists.neighbour.put(values, begin);
    } else if (what == ListValues::weights) {
      std::vector<float> weights(values.size());
      std::memcpy(weights.data(), values.data(), values.size_bytes());
      room.lists.weight.put(weights, begin);
    } else {
      std::copy(values.begin(), values.end(), room.begin.begin() + begin);
    }
  }

  bool is_isolated(Index vertex) const override { return labels_.label[vertex] == no_vertex; }

  void search(Index root) override { search_->run(root); }
  const std::vector<Level>& levels() const override { return search_->levels(); }

  Verdict validate(Index root) override {
    Verdict verdict;
    if (ranks_->size() == 1 && validate_on_gpus(root, verdict)) return verdict;
    return graph500::validate(list_on_host(), parents(), root, *ranks_, runtime_.team());
  }
  std::vector<Index> parents() override {
    return gathered_parents(parts_, labels_, *ranks_, runtime_.team());
  }

  void find_paths(Index root) override { paths_->run(root); }
  Verdict validate_paths(Index root) override {
    Verdict verdict;
    if (ranks_->size() == 1 && validate_paths_on_gpus(root, verdict)) return verdict;
    return graph500::validate_paths(list_on_host(), parents(), distances(), root, *ranks_,
                                    runtime_.team());
  }
  std::vector<float> distances() override {
    return gathered(
        parts_, labels_, *ranks_, runtime_.team(), std::numeric_limits<float>::infinity(),
        [&](std::size_t n) { return paths_->distances(n).size(); },
        [&](std::size_t n, float* values) {
          const cuda::OnDevice current(parts_[n]->device());
          paths_->distances(n).get(values, parts_[n]->stream());
        });
  }

 private:
  /// GPUs of all ranks become a group, if they can.
  void join() {
    const Transport transport = runtime_.settings().transport;
    const std::string word = std::string("run.transport = ") + name_of(transport);
    require(transport != Transport::peer && transport != Transport::mpi, word + " is refused",
            "GPUs of several ranks search by NCCL or by way of the host",
            "take nccl, host or auto");
    exchange_ = "by way of the host";
    if (transport == Transport::host) return;
    executor_ = cuda::make_executors(devices_, {}, "").front();
    JoinedDevices joined = join_devices(*ranks_, {executor_.get()});
    group_ = std::move(joined.group);
    if (group_) {
      exchange_ = "by NCCL";
    } else if (transport == Transport::nccl) {
      throw Error(ExitCode::resources, word + " is refused", joined.refusal, "take host or auto");
    } else {
      exchange_ += fmt::format(" ({})", joined.refusal);
    }
  }

  /// A part that is read from a checkpoint.
  struct Room {
    struct ListsRoom {
      DeviceAdjacency lists;
      Buffer<std::uint64_t> begin;  ///< first the number of neighbours
    };
    Partition partition;
    ListsRoom rows, columns;
  };

  void prepare() {
    search_.emplace(parts_, labels_, *ranks_, model_.rule, group_.get());
    if (model_.paths) {
      paths_.emplace(parts_, labels_, *ranks_, DistanceBins(source_.most_weight(), model_.delta),
                     group_.get());
    }
    for (std::size_t n = 0; n < parts_.size(); ++n) parts_[n]->keep_tuples(edges_[n]);
  }
  int part_number(std::size_t device) const {
    return ranks_->rank() * static_cast<int>(devices_.size()) + static_cast<int>(device);
  }

  /// Whether GPUs draw tuples themselves: those of a single process do so where they can.
  bool makes_tuples_here() const { return model_.generator == "kronecker" && ranks_->size() == 1; }
  KroneckerRule rule() const {
    return kronecker_rule(
        {.scale = model_.scale, .edge_factor = model_.edge_factor, .seed = model_.seed});
  }

  /// The host sorts vertices by their degrees and sums counts up; all else is done by the GPUs.
  void construct_here() {
    ThreadTeam& team = runtime_.team();
    Buffer<std::uint32_t> degree(source_.vertices());
    fill(degree, std::uint32_t{0}, team);
    for (std::size_t n = 0; n < devices_.size(); ++n) {
      const cuda::OnDevice current(devices_[n]);
      count_ends(edges_[n].edges, degree, nullptr, team);
    }
    labels_ = labels_of(degree, team);
    for (std::size_t n = 0; n < devices_.size(); ++n) {
      const cuda::OnDevice current(devices_[n]);
      for (const int device : devices_) {
        if (!reach(device)) throw_unreachable(device);
      }
      const DeviceArray<Vertex> label(labels_.label.all());
      const Partition partition(part_count(), 1, static_cast<int>(n), labels_.count());
      const auto lists = [&](Lists which, bool with_weights) {
        DeviceAdjacency adjacency =
            made(which, edges_, label, partition, labels_.count(), nullptr, team);
        if (with_weights) weigh(adjacency, which, edges_, label, partition, nullptr);
        return adjacency;
      };
      const bool is_alone = part_count() == 1;
      DeviceAdjacency rows = lists(Lists::rows, is_alone && model_.paths);
      DeviceAdjacency columns = is_alone ? rows : lists(Lists::columns, model_.paths);
      parts_.push_back(
          std::make_unique<GpuPart>(devices_[n], partition, std::move(rows), std::move(columns),
                                    degrees_of_own(partition, labels_, team), labels_));
    }
  }
  [[noreturn]] void throw_unreachable(int device) const {
    throw Error(ExitCode::resources, "these GPUs cannot search together",
                fmt::format("one of them cannot reach memory of GPU {}", device),
                "take one, or start a rank for each");
  }

  /// Where GPUs alone have them.
  const EdgeList& list_on_host() {
    if (list_.edges.size() == 0) {
      list_ = make_edges(source_, model_.paths, 0, 1, runtime_.team());
    }
    return list_;
  }

  bool validate_paths_on_gpus(Index root, Verdict& verdict) {
    if (parts_.size() == 1) return validate_on_gpus(root, verdict, {&paths_->distances(0)});
    const std::vector<float> all = distances();
    std::vector<DeviceArray<float>> copies;
    std::vector<const DeviceArray<float>*> of_part;
    for (const auto& part : parts_) {
      const cuda::OnDevice current(part->device());
      copies.emplace_back(std::span(all));
    }
    for (const auto& copy : copies) of_part.push_back(&copy);
    return validate_on_gpus(root, verdict, of_part);
  }

  /// `distances` on each GPU, or none: the tree is of a search. False: there are too many levels.
  bool validate_on_gpus(Index root, Verdict& verdict,
                        const std::vector<const DeviceArray<float>*>& distances = {}) {
    const std::vector<Index> all = parts_.size() > 1 ? parents() : std::vector<Index>();
    std::vector<std::uint32_t> is_edge, marks;
    for (std::size_t n = 0; n < parts_.size(); ++n) {
      const DeviceArray<float>* const far = distances.empty() ? nullptr : distances[n];
      if (!parts_[n]->validate(all, far, root, verdict, is_edge)) return false;
      marks.resize(is_edge.size());
      std::transform(marks.begin(), marks.end(), is_edge.begin(), marks.begin(), std::bit_or<>());
    }
    if (parts_.size() > 1) parts_[0]->check_marks(marks, root, verdict);
    return true;
  }

  int part_count() const { return ranks_->size() * static_cast<int>(devices_.size()); }

  const Model& model_;
  const EdgeSource& source_;
  Runtime& runtime_;
  std::shared_ptr<Communicator> ranks_;
  std::vector<int> devices_;
  std::shared_ptr<Executor> executor_;  ///< executor of the group
  std::shared_ptr<DeviceGroup> group_;  ///< null: one rank, or by way of the host
  std::string exchange_;                ///< in words
  EdgeList list_;                       ///< empty where GPUs make the tuples
  DeviceEdges edges_;                   ///< edges of each GPU
  Labels labels_;
  std::vector<Room> room_;
  std::vector<std::unique_ptr<GpuPart>> parts_;
  std::optional<GpuSearch> search_;
  std::optional<GpuPaths> paths_;
};

}  // namespace

std::unique_ptr<Engine> make_gpu_engine(const Model& model, const EdgeSource& source,
                                        Runtime& runtime) {
  return std::make_unique<GpuEngine>(model, source, runtime);
}

#else

std::unique_ptr<Engine> make_gpu_engine(const Model&, const EdgeSource&, Runtime&) {
  throw Error(ExitCode::resources, "cannot search on cuda", "this program is built without CUDA",
              "build with -DGOBAN_CUDA=ON, or use --devices cpu");
}

#endif

}  // namespace goban::graph500
