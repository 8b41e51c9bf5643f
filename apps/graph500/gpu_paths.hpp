#pragma once
// Kernel 3 on GPUs: the host moves the limit of distances, the GPUs do all else.

#include "graph500/gpu_part.hpp"
#include "graph500/paths.hpp"

namespace goban::graph500 {

/// As in gpu_paths.cuh.
struct PathItem {
  Word word = 0;
  Vertex label = no_vertex;
  std::uint32_t unused = 0;
};
struct PathCounts {
  std::uint32_t taken = 0, moved = 0, not_nearest = 0, has_most_steps = 0;
};

/// What a part, whose columns have weights, needs beside its lists. Calls return at once, but for
/// those that return values.
class GpuPathPart {
 public:
  GpuPathPart(GpuPart& part, const PathWords& words);

  void begin(Vertex root);
  /// Near vertices become the frontier, or items where there are several parts.
  void take_near();
  PathCounts counts();
  /// The frontier of several parts: their items, one after the other.
  void begin_frontier();
  void send_items(Index count, GpuPathPart& to, Index place);
  void get_items(std::span<PathItem> items);
  /// `counts` of all parts.
  void exchange_items(DeviceGroup& group, const std::vector<std::uint64_t>& counts);
  void put_items(std::span<const PathItem> items);
  void receive_items(Index count);
  /// Edges of the frontier, or of all that was on it since the last heavy ones.
  void relax_light(const DistanceBins& bins);
  void relax_heavy(const DistanceBins& bins);
  void next_bin(const DistanceBins& bins);
  /// Parents go to the part's.
  void write();

  const DeviceArray<float>& distances() const { return distances_; }
  const GpuPart& part() const { return part_; }

 private:
  void relax(const DeviceArray<std::uint32_t>& set, const DistanceBins& bins, bool heavy);
  bool is_alone() const { return part_.partition().parts() == 1; }

  GpuPart& part_;
  std::uint32_t parent_bits_;
  DeviceArray<Word> best_;  ///< words of own vertices
  /// Words of all vertices, as their owners have said; empty: as in best_.
  DeviceArray<Word> reach_;
  DeviceArray<std::uint32_t> near_, far_;          ///< sets of own vertices
  DeviceArray<std::uint32_t> frontier_, settled_;  ///< sets of all vertices
  DeviceArray<PathItem> items_;      ///< own items on the frontier, where there are several parts
  DeviceArray<PathItem> all_items_;  ///< items of all parts
  DeviceArray<PathCounts> counts_;
  DeviceArray<float> distances_;
};

/// Distances and parents are those of ShortestPaths. What it is given must outlive it.
class GpuPaths {
 public:
  GpuPaths(const std::vector<std::unique_ptr<GpuPart>>& parts, const Labels& labels,
           Communicator& ranks, const DistanceBins& bins, DeviceGroup* group = nullptr);

  /// Collective. Returns when parents and distances are in memory of the GPUs. Error (usage): as of
  /// ShortestPaths.
  void run(Index root);
  /// The distances of part n of this rank, laid out as its parents.
  const DeviceArray<float>& distances(std::size_t n) const { return paths_[n]->distances(); }

 private:
  bool take_near();
  void share_frontier(const std::vector<Index>& counts);
  void share_by_group(Index count);
  void share_by_host(Index count);
  bool next_bin();

  const std::vector<std::unique_ptr<GpuPart>>& parts_;
  const Labels& labels_;
  Communicator& ranks_;
  PathWords words_;
  DistanceBins bins_;
  DeviceGroup* group_;
  std::vector<std::unique_ptr<GpuPathPart>> paths_;
};

}  // namespace goban::graph500
