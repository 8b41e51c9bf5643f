#pragma once
// Values on a plane as snapshots with one layer of cells.

#include "goban/simulation/options.hpp"
#include "goban/simulation/output/snapshot_output.hpp"

namespace goban {

/// The plane lies where it is asked for: values are interpolated between the layers beside it.
class PlaneOutput : public SeriesOfSnapshots {
 public:
  /// Errors (usage): no fields, fields of several grids, a plane outside of the grid.
  PlaneOutput(const std::string& name, std::vector<AnyField> fields, const PlaneOptions& options,
              When when, std::string length_unit = {});

  std::vector<AnyField> fields() const override { return fields_; }
  double bytes_per_write() const override;
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  void write(const Moment& moment) override;
  std::string describe() const override;

 private:
  BoxSource values_of_plane(const AnyField& field) const;

  std::vector<AnyField> fields_;
  Axis axis_;
  double position_ = 0;
  std::string length_unit_;
};

}  // namespace goban
