#include "goban/io/file/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "goban/base/error.hpp"
#include "goban/io/file/characters.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string title_of(const CsvColumn& column) {
  return csv_quoted(column.unit.empty() ? column.name
                                        : fmt::format("{} [{}]", column.name, column.unit));
}

std::string header_of(const std::vector<CsvColumn>& columns) {
  std::string header = "step";
  for (const CsvColumn& column : columns) header += "," + title_of(column);
  return header + "\n";
}

/// Removes and returns the first line without its end; lines without an end stay.
std::optional<std::string_view> next_line(std::string_view& text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

CsvColumn column_of(const std::string& title) {
  const auto begin = title.rfind(" [");
  if (begin == std::string::npos || !title.ends_with(']')) return {.name = title, .unit = {}};
  return {.name = title.substr(0, begin),
          .unit = title.substr(begin + 2, title.size() - begin - 3)};
}

/// The rows of steps <= keep_until below the header, as text.
std::string kept_rows(const fs::path& path, const std::string& header, Index keep_until) {
  const std::string content = read_text(path);
  std::string_view text = content;
  if (!text.starts_with(header))
    throw Error(ExitCode::files, fmt::format("cannot continue {}", path.string()),
                "its columns are not those of this run",
                fmt::format("move it away; expected '{}'", header.substr(0, header.size() - 1)));
  text.remove_prefix(header.size());
  std::string kept;
  while (const auto line = next_line(text)) {
    Index step = 0;
    const auto [end, code] = std::from_chars(line->data(), line->data() + line->size(), step);
    if (code != std::errc{} || (end != line->data() + line->size() && *end != ',')) continue;
    if (step <= keep_until) kept.append(*line).append("\n");
  }
  return kept;
}

}  // namespace

std::vector<std::string> csv_cells(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool inside_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && inside_quotes && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      inside_quotes = !inside_quotes;
    } else if (c == separator && !inside_quotes) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

CsvSeries::CsvSeries(fs::path path, std::vector<CsvColumn> columns, std::optional<Index> keep_until,
                     const std::function<void(Index rows)>& check)
    : path_(std::move(path)), columns_(columns.size()) {
  const std::string header = header_of(columns);
  std::string rows;
  if (keep_until && is_there(path_)) rows = kept_rows(path_, header, *keep_until);
  rows_ = std::count(rows.begin(), rows.end(), '\n');
  if (check) check(rows_);
  write_file(path_, header + rows);
  file_.emplace(path_);
}

void CsvSeries::append(Index step, std::span<const double> values) {
  require(values.size() == columns_, fmt::format("a row of {} has {} values, its header {}",
                                                 path_.string(), values.size(), columns_));
  std::string row = fmt::format("{}", step);
  for (const double value : values) fmt::format_to(std::back_inserter(row), ",{}", value);
  file_->append(row + "\n");
  ++rows_;
}

std::size_t CsvTable::column(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].name == name) return c;
    names.push_back(columns[c].name);
  }
  throw Error(ExitCode::usage, fmt::format("there is no column '{}'", name),
              fmt::format("there are {}", fmt::join(names, ", ")));
}

void write_csv(const fs::path& path, const std::vector<CsvColumn>& columns,
               const std::vector<std::vector<double>>& values) {
  std::string text;
  for (const CsvColumn& column : columns) text += (text.empty() ? "" : ",") + title_of(column);
  for (std::size_t row = 0; row < values.front().size(); ++row) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      text += fmt::format("{}{}", c == 0 ? '\n' : ',', values[c][row]);
    }
  }
  write_file(path, text + "\n");
}

CsvTable read_csv(const fs::path& path) {
  const std::string content = read_text(path);
  std::string_view text = content;
  const auto refuse = [&](Index line, const std::string& why) {
    throw Error(ExitCode::files, fmt::format("cannot read {}:{}", path.string(), line), why);
  };
  CsvTable table;
  Index number = 1;
  auto header = next_line(text);
  for (; header && header->starts_with('#'); ++number) header = next_line(text);
  if (!header) refuse(number, "the header line is missing");
  for (const std::string& title : csv_cells(*header, ','))
    table.columns.push_back(column_of(title));
  table.values.resize(table.columns.size());
  while (const auto line = next_line(text)) {
    ++number;
    if (line->empty()) continue;
    const auto cells = csv_cells(*line, ',');
    if (cells.size() != table.columns.size())
      refuse(number, fmt::format("{} cells instead of {}", cells.size(), table.columns.size()));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const auto value = parse_number(cells[c]);
      if (!value) refuse(number, fmt::format("'{}' is not a number", cells[c]));
      table.values[c].push_back(*value);
    }
  }
  return table;
}

}  // namespace goban
