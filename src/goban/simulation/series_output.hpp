#pragma once
// Numbers over time as a CSV file.

#include <optional>

#include "goban/io/csv.hpp"
#include "goban/simulation/column.hpp"
#include "goban/simulation/output.hpp"

namespace goban {

class SeriesOutput : public SimulationOutput {
 public:
  /// Errors (usage): no columns.
  SeriesOutput(const std::string& name, std::vector<Column> columns, When when);

  std::vector<AnyField> fields() const override;
  bool reads_anything() const override;
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  void write(const Moment& moment) override;
  void sync() override;
  std::vector<std::filesystem::path> files() const override;
  double bytes_per_write() const override;
  std::string describe() const override;

 private:
  std::vector<Column> columns_;
  std::optional<CsvSeries> file_;
};

}  // namespace goban
