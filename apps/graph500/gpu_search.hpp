#pragma once
// Kernel 2 on GPUs: the host decides on directions, the GPUs do all else.

#include <memory>
#include <vector>

#include "graph500/gpu_part.hpp"

namespace goban::graph500 {

/// The parts of this rank, of a graph that all ranks have together; what it is given must outlive
/// it. Parents are those of Search.
class GpuSearch {
 public:
  /// `group`: the devices of all ranks; null: they exchange by way of the host.
  GpuSearch(const std::vector<std::unique_ptr<GpuPart>>& parts, const Labels& labels,
            Communicator& ranks, const DirectionRule& rule = {}, DeviceGroup* group = nullptr);

  /// Collective. Returns when parents are in memory of the GPUs.
  void run(Index root);
  const std::vector<Level>& levels() const { return levels_; }

 private:
  void spread();
  void spread_by_host();

  const std::vector<std::unique_ptr<GpuPart>>& parts_;
  const Labels& labels_;
  Communicator& ranks_;
  DirectionRule rule_;
  DeviceGroup* group_;
  int part_count_;
  Index edges_ = 0;
  Index sent_ = 0;  ///< bytes to other ranks, in this level
  std::vector<Level> levels_;
  std::vector<Word> words_;
};

}  // namespace goban::graph500
