#pragma once
// Whole fields as files for ParaView.

#include <optional>

#include "goban/io/snapshot_writer.hpp"
#include "goban/simulation/options.hpp"
#include "goban/simulation/output.hpp"

namespace goban {

/// A snapshot of the grid of `field`, still without fields.
Snapshot empty_snapshot(const GridState& grid, const RunPlace& place, const Clock& clock);

/// Step and time of what an index names, for checkpoints.
using IndexedSteps = std::vector<std::pair<Index, double>>;

class SnapshotOutput : public SimulationOutput {
 public:
  /// Errors (usage): no fields, fields of several grids.
  SnapshotOutput(std::vector<AnyField> fields, When when, const OutputOptions& options);

  std::vector<AnyField> fields() const override { return fields_; }
  bool is_snapshot() const override { return true; }
  double bytes_per_write() const override;
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  void write(const Moment& moment) override;
  std::vector<std::filesystem::path> files() const override;
  std::string describe() const override;
  nlohmann::ordered_json state() const override;
  void restore(const nlohmann::ordered_json& state) override;

 private:
  Snapshot snapshot_at(const Clock& clock) const;

  std::vector<AnyField> fields_;
  IndexedSteps steps_to_find_;  ///< in the index of the run that is continued
  RunPlace place_;
  std::optional<SnapshotSeries> series_;
  std::vector<std::filesystem::path> files_;
};

/// The endings of snapshot files of these fields, in this build.
std::vector<std::string> snapshot_endings(const std::vector<std::string>& fields);

}  // namespace goban
