#include "goban/simulation/series_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "goban/base/error.hpp"
#include "goban/io/file.hpp"

namespace goban {

SeriesOutput::SeriesOutput(const std::string& name, std::vector<Column> columns, When when)
    : SimulationOutput(name, std::move(when)), columns_(std::move(columns)) {
  require(!columns_.empty(), "series '" + name + "' has no columns");
}

std::vector<AnyField> SeriesOutput::fields() const {
  std::vector<AnyField> all;
  for (const Column& column : columns_) {
    all.insert(all.end(), column.fields.begin(), column.fields.end());
  }
  return all;
}

bool SeriesOutput::reads_anything() const {
  return std::any_of(columns_.begin(), columns_.end(),
                     [](const Column& column) { return column.reads_anything; });
}

void SeriesOutput::open(const RunPlace& place, std::optional<Index> keep_until) {
  if (!place.writes) return;
  std::vector<CsvColumn> headings{{"time", place.time_unit}};
  for (const Column& column : columns_) headings.push_back({column.name, column.unit});
  file_.emplace(place.directory / (place.name + "_" + name() + ".csv"), headings, keep_until);
}

void SeriesOutput::write(const Moment& moment) {
  std::vector<double> row{moment.clock.time};
  for (const Column& column : columns_) row.push_back(column.value());
  if (file_) file_->append(moment.clock.step, row);
}

void SeriesOutput::sync() {
  if (!file_) return;
  const int file = ::open(file_->path().c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw_file_error("write", file_->path(), errno);
  const int error_number = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  if (error_number != 0) throw_file_error("write", file_->path(), error_number);
}

std::vector<std::filesystem::path> SeriesOutput::files() const {
  if (!file_) return {};
  return {file_->path()};
}

double SeriesOutput::bytes_per_write() const {
  constexpr double per_number = 18;
  return per_number * static_cast<double>(columns_.size() + 2);
}

std::string SeriesOutput::describe() const {
  std::string text;
  for (const Column& column : columns_) text += (text.empty() ? "" : ", ") + column.name;
  return text + " as CSV";
}

}  // namespace goban
