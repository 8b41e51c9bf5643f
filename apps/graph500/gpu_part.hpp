#pragma once
// One GPU's part of a graph, and what is launched there.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "goban/backend/api.hpp"
#include "graph500/device_array.hpp"
#include "graph500/gpu_build.hpp"
#include "graph500/graph.hpp"
#include "graph500/search.hpp"
#include "graph500/validate.hpp"

namespace goban::graph500 {

/// Rows of the matrix are dealt to as many GPUs as there are parts, columns to none (C = 1): a part
/// has all edges of its vertices. All calls return at once, but for those that return values.
class GpuPart {
 public:
  /// `columns` are those of `rows` where it is the only part. What is on the host is copied.
  GpuPart(int device, const Partition& partition, DeviceAdjacency rows, DeviceAdjacency columns,
          const Buffer<std::uint32_t>& own_degree, const Labels& labels);
  ~GpuPart();
  GpuPart(const GpuPart&) = delete;
  GpuPart& operator=(const GpuPart&) = delete;

  const Partition& partition() const { return partition_; }
  int device() const { return device_; }
  cuda::CUstream stream() const { return stream_; }
  const DeviceAdjacency& rows() const { return rows_; }
  const DeviceAdjacency& columns() const { return columns_; }
  const DeviceArray<Vertex>& label() const { return label_; }  ///< empty: several parts
  const DeviceArray<std::uint32_t>& original() const { return original_; }
  const DeviceArray<Index>& parents() const { return parents_; }

  void begin(Vertex root);
  void go_up();
  void go_down();
  /// The edges of a set of columns as kernels take them, in order on the part's stream.
  struct Pieces {
    std::uint64_t* list;
    std::uint32_t* count;
  };
  Pieces list_edges(const DeviceArray<std::uint32_t>& set);
  /// After either: what this part has found is counted.
  void finish();
  struct Totals {
    Index found = 0, edges = 0;
  };
  Totals totals();
  /// What it has found becomes the next frontier, of parts that have it all.
  void take_own_frontier();
  /// Several parts: what it has found goes to its place there; then all together are the frontier.
  void send_found(GpuPart& to);
  void send_found(std::span<Word> host);
  void receive_found(int part, std::span<const Word> host);
  void take_frontier(std::span<const std::unique_ptr<GpuPart>> from);
  /// Bytes from this device to another part's, in the order of the stream; what follows
  /// wait_for_sent() there finds all that parts have sent.
  void send(const void* bytes, void* place, std::size_t count, const GpuPart& to);
  /// The same between ranks whose devices are a group: `mine` goes to all other parts, what part p
  /// sends comes to places[p], which is as large.
  void exchange(DeviceGroup& group, std::span<std::byte> mine,
                const std::vector<std::span<std::byte>>& places);
  void exchange_found(DeviceGroup& group);
  void wait_for_sent(std::span<const std::unique_ptr<GpuPart>> from);
  /// Parents in original numbers, as of Parents.
  void write();
  void synchronize() const;

  Index parent_count() const { return parents_.size(); }
  void copy_parents(Index* parents) const;

  /// The tuples of this part, for validation.
  void keep_tuples(const DeviceTuples& tuples) { tuples_ = tuples; }
  /// What can be said of these tuples and of parents of all original vertices, which are copied to
  /// this part unless it runs alone and has them. With `distances` of all original vertices, on
  /// this device, the tree is one of shortest paths. False: levels are too many for it.
  bool validate(std::span<const Index> parents, const DeviceArray<float>* distances, Index root,
                Verdict& verdict, std::vector<std::uint32_t>& is_edge);
  /// Once marks of all parts are joined: the last rule.
  void check_marks(std::span<const std::uint32_t> is_edge, Index root, Verdict& verdict);

  /// `with_weights`: for kernel 3, too.
  static Index bytes_needed(Index vertices, Index edges, int parts, bool with_weights);

 private:
  struct ValidationArrays;
  int device_;
  Partition partition_;
  cuda::CUstream stream_ = nullptr;
  cuda::CUevent sent_ = nullptr;
  Index vertices_ = 0;  ///< original
  DeviceAdjacency rows_, columns_;
  DeviceArray<std::uint32_t> degree_, original_;
  DeviceArray<Vertex> label_;
  DeviceArray<std::uint32_t> visited_, found_, frontier_;
  DeviceArray<Word> gathered_;  ///< what all parts have found, part by part
  DeviceArray<Vertex> parent_;
  DeviceArray<Index> parents_;
  DeviceArray<std::uint64_t> pieces_;
  DeviceArray<std::uint64_t> counts_;  ///< vertices and edges found; pieces listed
  std::uint64_t* host_counts_ = nullptr;
  DeviceTuples tuples_;
  std::shared_ptr<ValidationArrays> validation_;
};

/// A part that was made on the host, on a GPU.
std::unique_ptr<GpuPart> copied(int device, const Graph& graph, const Labels& labels);

}  // namespace goban::graph500
