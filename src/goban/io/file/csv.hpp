#pragma once
// Time series as comma-separated values, as goban writes them. Tables that users write are read by
// io/case/table.hpp.
//
//   step,time [s],kinetic energy [J]
//   0,0,1.25
//   10,0.05,1.2499
//
// Numbers are written with the fewest digits that read back to the same bits.

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/io/file/atomic_file.hpp"

namespace goban {

struct CsvColumn {
  std::string name;
  std::string unit;  ///< empty: a pure number
};

/// A series being written. Every row is handed to the system whole, so that a killed run leaves
/// complete rows and others can read along.
class CsvSeries {
 public:
  /// Starts the file anew with columns "step" and `columns`; or, with `keep_until`, continues the
  /// file already there after removing rows of later steps and a torn last row. Error(files) if
  /// that file has other columns. `check` is told how many rows are kept before any is removed.
  CsvSeries(std::filesystem::path path, std::vector<CsvColumn> columns,
            std::optional<Index> keep_until = {},
            const std::function<void(Index rows)>& check = {});

  /// Appends a row with one value per column.
  void append(Index step, std::span<const double> values);
  /// As of AppendFile.
  bool sync() { return file_->sync(); }
  const std::filesystem::path& path() const { return path_; }
  Index rows() const { return rows_; }

 private:
  std::filesystem::path path_;
  std::size_t columns_;
  Index rows_ = 0;
  std::optional<AppendFile> file_;
};

/// A whole table; `values[c][r]` is row r of column c.
struct CsvTable {
  std::vector<CsvColumn> columns;
  std::vector<std::vector<double>> values;

  Index rows() const { return values.empty() ? 0 : static_cast<Index>(values.front().size()); }
  /// Position of the column; Error(usage) listing the names if there is none.
  std::size_t column(const std::string& name) const;
};

/// Writes a table whole or not at all; columns are equally long.
void write_csv(const std::filesystem::path& path, const std::vector<CsvColumn>& columns,
               const std::vector<std::vector<double>>& values);

/// Reads a table of write_csv or CsvSeries, also while it grows: one header line, before which
/// lines may begin with #; a last line without its end is left out. Error(files) naming the line if
/// a cell is not a number or a row has another number of cells.
CsvTable read_csv(const std::filesystem::path& path);

/// What stands between separators outside of double quotes, without the quotes.
std::vector<std::string> csv_cells(std::string_view line, char separator);

}  // namespace goban
