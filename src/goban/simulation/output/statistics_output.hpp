#pragma once
// Mean, variance and extrema of a field over time, as snapshots.

#include <optional>

#include "goban/domain/data/shared_boxes.hpp"
#include "goban/grid/decomposition.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"
#include "goban/simulation/output/snapshot_output.hpp"
#include "goban/simulation/output/statistics.hpp"

namespace goban {

/// Samples when its schedule says so; writes with every snapshot of others and when the run is
/// over.
class StatisticsOutput : public SeriesOfSnapshots {
 public:
  StatisticsOutput(AnyField field, When when, double from);

  std::vector<AnyField> fields() const override { return {field_}; }
  Index bytes_needed() const override;
  double bytes_per_write() const override;
  /// At least.
  Index writes(Index, double) const override { return 1; }
  bool is_last() const override { return true; }
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  bool acts_on(const Moment& moment) const override;
  void write(const Moment& moment) override;
  std::string describe() const override;

  std::vector<CheckpointArray> arrays() override;
  nlohmann::ordered_json state() const override;
  void restore(const nlohmann::ordered_json& state) override;

 private:
  std::vector<std::string> names() const;
  RunningStatistics& statistics();
  void sample();
  Snapshot snapshot_at(const Clock& clock, const std::vector<BoxSource>& sources) const;
  void write_file(const Clock& clock);
  /// Arrays of every rank's own cells, as ones of all cells.
  SharedBoxes shared() const;
  BoxSource collected(std::span<const double> values) const;

  AnyField field_;
  double from_;
  Decomposition decomposition_;  ///< says whose arrays are of which cells
  Box own_;
  std::optional<RunningStatistics> statistics_;  ///< of own_, x fastest, component slowest
  Index sampled_ = -1, written_ = -1;            ///< last steps
  IndexedSteps steps_to_find_;                   ///< in the index of the run that is continued
};

}  // namespace goban
