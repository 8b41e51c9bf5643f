#pragma once
// Numbers over time as a CSV file.

#include <optional>

#include "goban/io/file/csv.hpp"
#include "goban/simulation/output/column.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

/// The file of a series in a run's folder: a new one, or with `keep_until` the one there, which
/// must hold at least `rows_to_find`.
CsvSeries open_series(const RunPlace& place, const std::string& name,
                      const std::vector<CsvColumn>& columns, std::optional<Index> keep_until,
                      std::optional<Index> rows_to_find);

/// Makes a series durable; says so if another program had taken its file away.
void sync_series(const RunPlace& place, CsvSeries& series);

class SeriesOutput : public SimulationOutput {
 public:
  /// Errors (usage): no columns.
  SeriesOutput(const std::string& name, std::vector<Column> columns, When when);

  std::vector<AnyField> fields() const override;
  bool reads_anything() const override;
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  void write(const Moment& moment) override;
  void sync() override;
  Index open_files() const override { return 1; }
  std::string lost_value() const override { return lost_value_; }
  bool conserves() const override;
  void check_conserved(Index step) override;
  std::vector<std::filesystem::path> files() const override;
  double bytes_per_write() const override;
  std::string describe() const override;
  nlohmann::ordered_json state() const override;
  void restore(const nlohmann::ordered_json& state) override;

 private:
  /// `row`: time and a number per column.
  void check(Index step, const std::vector<double>& row);

  std::vector<Column> columns_;
  std::vector<double> last_row_;
  std::vector<double> at_first_;  ///< of columns that are conserved, when the run began or went on
  std::string lost_value_;
  std::optional<Index> rows_to_find_;  ///< in the file of the run that is continued
  RunPlace place_;
  std::optional<CsvSeries> file_;
};

}  // namespace goban
