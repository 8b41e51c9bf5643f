#pragma once
// Values along a line as CSV files.

#include "goban/simulation/options.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

class LineOutput : public SimulationOutput {
 public:
  /// Errors (usage): no fields, a line without length, ends outside of the grid.
  LineOutput(const std::string& name, std::vector<AnyField> fields, const LineOptions& options,
             When when, std::string length_unit = {});

  std::vector<AnyField> fields() const override { return fields_; }
  double bytes_per_write() const override;
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  void write(const Moment& moment) override;
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string describe() const override;

 private:
  std::vector<AnyField> fields_;
  std::vector<Position> points_;
  double length_ = 0;
  std::string length_unit_;
  RunPlace place_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace goban
