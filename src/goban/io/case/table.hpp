#pragma once
// Tables of numbers that users give: exported by a spreadsheet, saved by NumPy, typed.
//
//   # measured in May
//   t [ms]; power [kW/m3]
//   0; 1.5
//   10; 2.5

#include <filesystem>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// Rows of numbers, perhaps with headings of their columns.
class UserTable {
 public:
  struct Column {
    std::string name;  ///< empty: it has no heading
    std::string unit;  ///< as its heading says; empty: none
    std::vector<double> values;
  };

  UserTable(std::filesystem::path path, std::vector<Column> columns,
            std::vector<double> line_above = {})
      : path_(std::move(path)), columns_(std::move(columns)), line_above_(std::move(line_above)) {}

  const std::filesystem::path& path() const { return path_; }
  Index columns() const { return static_cast<Index>(columns_.size()); }
  Index rows() const { return static_cast<Index>(columns_.front().values.size()); }

  /// Numbers of the line above the rows, see read_table; empty: there is none.
  const std::vector<double>& line_above() const { return line_above_; }
  /// Whether a heading has this name.
  bool has(const std::string& name) const;
  /// Position of the column of this name; Error(files) listing the names if there is none.
  Index find(const std::string& name) const;
  /// As the heading of a column says; empty: it names none, or there is no such column.
  std::string unit(Index column) const {
    return column < columns() ? columns_[static_cast<std::size_t>(column)].unit : "";
  }
  /// The values of a column in `unit`, in which they are if its heading names none. Error(files):
  /// there is no such column, or what it holds is of another kind.
  std::vector<double> in(Index column, const std::string& unit) const;
  /// Times in s; Error(files) also if they do not grow from row to row.
  std::vector<double> times(Index column) const;

 private:
  std::filesystem::path path_;
  std::vector<Column> columns_;
  std::vector<double> line_above_;
};

/// Reads every row or refuses the file: nothing is left out in silence.
///  - Cells are separated by ; or , or tabs or, failing these, blanks.
///  - A first line without a number holds the headings; without one, so does the comment just
///    before the first row if it has as many cells (numpy.savetxt). "t [ms]", "t (ms)" and "t/ms"
///    name units.
///  - Comments begin with #; they and blank lines may stand anywhere.
///  - Lines end with LF, CR LF or CR, the last one perhaps not at all; a UTF-8 mark is skipped.
///  - Numbers have a decimal point, an exponent after e, E, d or D, and are finite.
///  - With FirstLine::may_stand_above, one line of numbers without headings may stand above rows
///    that have another number of cells.
/// Error(files) naming the line.
enum class FirstLine { is_row, may_stand_above };
UserTable read_table(const std::filesystem::path& path, FirstLine first = FirstLine::is_row);

}  // namespace goban
