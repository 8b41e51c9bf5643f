#pragma once
// Whole fields as files for ParaView.

#include <optional>

#include "goban/io/snapshot/snapshot_writer.hpp"
#include "goban/simulation/options.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

/// A snapshot of the grid of `field`, still without fields.
Snapshot empty_snapshot(const GridState& grid, const RunPlace& place, const Clock& clock);

/// Step and time of what an index names, for checkpoints.
using IndexedSteps = std::vector<std::pair<Index, double>>;

/// A series of snapshots, of whatever.
class SeriesOfSnapshots : public SimulationOutput {
 public:
  using SimulationOutput::SimulationOutput;
  std::vector<std::filesystem::path> files() const override;

 protected:
  /// As open(), of fields of these names.
  void open_series(const RunPlace& place, const std::vector<std::string>& fields,
                   std::optional<Index> keep_until);
  void add(const Snapshot& snapshot);

  RunPlace place_;
  std::optional<SnapshotSeries> series_;

 private:
  std::vector<std::filesystem::path> files_;
};

}  // namespace goban
