#include "goban/simulation/output/series_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "goban/base/error.hpp"
#include "goban/io/file/file.hpp"
#include "goban/simulation/output/outputs.hpp"

namespace goban {
namespace {

class SeriesOutput : public SimulationOutput {
 public:
  /// Errors (usage): no columns.
  SeriesOutput(const std::string& name, std::vector<Column> columns, When when)
      : SimulationOutput(name, std::move(when)), columns_(std::move(columns)) {
    require(!columns_.empty(), "series '" + name + "' has no columns");
  }

  std::vector<AnyField> fields() const override {
    std::vector<AnyField> all;
    for (const Column& column : columns_) {
      all.insert(all.end(), column.fields.begin(), column.fields.end());
    }
    return all;
  }
  std::vector<std::shared_ptr<const ParameterRecord>> parameters() const override {
    std::vector<std::shared_ptr<const ParameterRecord>> all;
    for (const Column& column : columns_) {
      if (column.parameter) all.push_back(column.parameter);
    }
    return all;
  }
  bool reads_anything() const override {
    return std::any_of(columns_.begin(), columns_.end(),
                       [](const Column& column) { return column.reads_anything; });
  }
  void open(const RunPlace& place, std::optional<Index> keep_until) override {
    if (!place.writes) return;
    std::vector<CsvColumn> headings{{"time", place.time_unit}};
    for (const Column& column : columns_) headings.push_back({column.name, column.unit});
    place_ = place;
    file_.emplace(open_series(place, name(), headings, keep_until, rows_to_find_));
    if (place.follow) listener_ = place.follow(name(), headings);
    if (listener_ && keep_until) tell_earlier_rows();
  }
  void write(const Moment& moment) override {
    std::vector<double> row{moment.clock.time};
    for (const Column& column : columns_) row.push_back(column.value());
    for (std::size_t c = 1; c < row.size() && !last_row_.empty() && lost_value_.empty(); ++c) {
      if (!std::isfinite(row[c]) && std::isfinite(last_row_[c]))
        lost_value_ = fmt::format("'{}' of series '{}'", columns_[c - 1].name, name());
    }
    last_row_ = row;
    if (file_) file_->append(moment.clock.step, row);
    if (listener_) listener_(row);
    check(moment.clock.step, row);
  }
  void sync() override {
    if (file_) sync_series(place_, *file_);
  }
  Index open_files() const override { return 1; }
  std::string lost_value() const override { return lost_value_; }
  bool conserves() const override {
    return std::any_of(columns_.begin(), columns_.end(),
                       [](const Column& column) { return std::isfinite(column.conserved_within); });
  }
  void check_conserved(Index step) override {
    std::vector<double> row{0};
    for (const Column& column : columns_) {
      row.push_back(std::isfinite(column.conserved_within) ? column.value() : 0);
    }
    check(step, row);
  }
  std::vector<std::filesystem::path> files() const override {
    if (!file_) return {};
    return {file_->path()};
  }
  double bytes_per_write() const override {
    constexpr double per_number = 18;
    return per_number * static_cast<double>(columns_.size() + 2);
  }
  std::string describe() const override {
    std::string text;
    for (const Column& column : columns_) text += (text.empty() ? "" : ", ") + column.name;
    return text + " as CSV";
  }
  nlohmann::ordered_json state() const override {
    return file_ ? nlohmann::ordered_json{{"rows", file_->rows()}} : nullptr;
  }
  void restore(const nlohmann::ordered_json& state) override { rows_to_find_ = state.at("rows"); }

 private:
  void tell_earlier_rows() {
    const CsvTable table = read_csv(file_->path());
    std::vector<double> row(columns_.size() + 1);
    for (std::size_t r = 0; r < static_cast<std::size_t>(table.rows()); ++r) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = table.values[c + 1][r];
      listener_(row);
    }
  }
  /// `row`: time and a number per column.
  void check(Index step, const std::vector<double>& row) {
    const bool is_first = at_first_.empty();
    std::size_t n = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Column& column = columns_[c];
      if (!std::isfinite(column.conserved_within)) continue;
      const double value = row[c + 1];
      const std::string what = fmt::format("'{}' of series '{}'", column.name, name());
      if (is_first) {
        require(value != 0, what + " cannot be watched", "it is 0, of which there are no parts",
                "leave it out of what is conserved");
        at_first_.push_back(value);
        continue;
      }
      const double first = at_first_[n++];
      if (std::abs(value - first) <= column.conserved_within * std::abs(first)) continue;
      throw Error(ExitCode::corrupted, what + " is not conserved",
                  fmt::format("step {}: {:.17g}, at first {:.17g}, of which {} may change", step,
                              value, first, column.conserved_within),
                  "look at the memory and the processors of the machine and go on from the last "
                  "checkpoint; or leave out of what is conserved what the case does not conserve");
    }
  }

  std::vector<Column> columns_;
  std::vector<double> last_row_;
  std::vector<double> at_first_;  ///< conserved columns when the run began or went on
  std::string lost_value_;
  std::optional<Index> rows_to_find_;  ///< rows in the file of the run that is continued
  RunPlace place_;
  std::optional<CsvSeries> file_;
  RowListener listener_;
};

}  // namespace

CsvSeries open_series(const RunPlace& place, const std::string& name,
                      const std::vector<CsvColumn>& columns, std::optional<Index> keep_until,
                      std::optional<Index> rows_to_find) {
  const auto path = place.directory / (place.name + "_" + name + ".csv");
  return {path, columns, keep_until, [&](Index rows) {
            if (!keep_until || !rows_to_find || rows >= *rows_to_find) return;
            place.on_lost(
                Error(ExitCode::files, fmt::format("cannot continue {}", path.string()),
                      fmt::format("it holds {} of the {} rows that were written up to step {}",
                                  rows, *rows_to_find, *keep_until),
                      "put the whole file back; output.if_unwritable=warn goes on without them"));
          }};
}

void sync_series(const RunPlace& place, CsvSeries& series) {
  if (!series.sync()) return;
  const std::string name = series.path().string();
  const std::string other = replaced_path_of(name).string();
  place.say(is_there(other) ? fmt::format("{} is back: another program had replaced it (its file "
                                          "is now {})",
                                          name, other)
                            : fmt::format("{} is back: another program had removed it", name));
}

std::unique_ptr<SimulationOutput> series_output(const std::string& name,
                                                std::vector<Column> columns, When when) {
  return std::make_unique<SeriesOutput>(name, std::move(columns), std::move(when));
}

}  // namespace goban
