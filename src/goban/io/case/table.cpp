#include "goban/io/case/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "goban/base/error.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/case/units.hpp"
#include "goban/io/file/characters.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

constexpr char blank = ' ';

struct TableLine {
  Index number;
  std::string_view text;  ///< trimmed
};

std::vector<TableLine> numbered_lines(std::string_view text) {
  std::vector<TableLine> lines;
  for (Index number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    lines.push_back({number, trimmed(text.substr(0, end))});
    text.remove_prefix(end);
    if (!text.empty()) text.remove_prefix(text.starts_with("\r\n") ? 2 : 1);
  }
  return lines;
}

/// What stands between runs of blanks; "t [s]" stays together.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = trimmed(text)).empty()) {
    std::size_t length = 0;
    for (int open = 0; length < text.size(); ++length) {
      const char c = text[length];
      open += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
      if ((c == ' ' || c == '\t') && open <= 0) break;
    }
    const std::string word(text.substr(0, length));
    const bool is_unit = word.starts_with('[') || word.starts_with('(');
    if (is_unit && !words.empty()) {
      words.back() += " " + word;
    } else {
      words.push_back(word);
    }
    text.remove_prefix(length);
  }
  return words;
}

std::vector<std::string> split(std::string_view line, char separator) {
  return separator == blank ? words_of(line) : csv_cells(line, separator);
}

/// What separates the cells of a row.
char separator_of(std::string_view row) {
  for (const char separator : {';', ',', '\t'}) {
    if (row.find(separator) != std::string_view::npos) return separator;
  }
  return blank;
}

std::optional<double> number_of(std::string cell) {
  cell = trimmed(cell);
  const bool has_sign = cell.starts_with('+');
  if (has_sign) cell.erase(0, 1);
  if (has_sign && cell.find_first_of("+-") == 0) return std::nullopt;
  if (cell.find_first_of("nN") != std::string::npos) return std::nullopt;  // nan, infinity
  std::replace_if(
      cell.begin(), cell.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  return parse_number(cell);
}

UserTable::Column column_of(std::string_view title) {
  title = trimmed(title);
  const auto ends_with_unit = [&](char open, char close) {
    return title.ends_with(close) && title.find(open) != std::string_view::npos;
  };
  const auto cut = [&](std::size_t at, std::string_view unit) {
    return UserTable::Column{
        std::string(trimmed(title.substr(0, at))), std::string(trimmed(unit)), {}};
  };
  if (ends_with_unit('[', ']')) {
    const std::size_t at = title.find('[');
    return cut(at, title.substr(at + 1, title.size() - at - 2));
  }
  // Strokes and brackets may mean other things, too.
  std::size_t at = title.find('/');
  if (at != std::string_view::npos && parse_unit(title.substr(at + 1)))
    return cut(at, title.substr(at + 1));
  at = title.find('(');
  if (ends_with_unit('(', ')') && at > 0) {
    const std::string_view unit = title.substr(at + 1, title.size() - at - 2);
    if (parse_unit(unit)) return cut(at, unit);
  }
  return cut(title.size(), "");
}

class TableReader {
 public:
  TableReader(const fs::path& path, FirstLine first)
      : path_(path), text_(read_text(path)), first_(first) {}

  UserTable read() {
    std::string_view text = text_;
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
      throw_unreadable(path_, "it is UTF-16", "save it as UTF-8");
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::optional<TableLine> remark, heading;
    for (const TableLine& line : numbered_lines(text)) {
      if (line.text.empty()) continue;
      if (line.text.starts_with('#')) {
        if (columns_.empty()) remark = line;
      } else if (columns_.empty() && !heading && !holds_number(line)) {
        heading = line;
      } else {
        if (!heading && is_of_other_rows(line)) lift_first_row();
        if (columns_.empty()) begin(line, heading, remark);
        add(line);
      }
    }
    if (columns_.empty()) throw_unreadable(path_, "it has no rows of numbers");
    return {path_, std::move(columns_), std::move(above_)};
  }

 private:
  [[noreturn]] void refuse(const TableLine& line, const std::string& why,
                           const std::string& suggestion = {}) const {
    throw Error(ExitCode::files, fmt::format("cannot read {}:{}", path_.string(), line.number), why,
                suggestion);
  }

  /// Whether the only row so far stands above a table that begins with this line.
  bool is_of_other_rows(const TableLine& line) const {
    if (first_ == FirstLine::is_row || !above_.empty() || columns_.empty()) return false;
    const std::string_view row = without_remark(line.text);
    return columns_.front().values.size() == 1 &&
           split(row, separator_of(row)).size() != columns_.size();
  }
  void lift_first_row() {
    for (const auto& column : columns_) above_.push_back(column.values.front());
    columns_.clear();
  }

  static std::string_view without_remark(std::string_view row) {
    return trimmed(row.substr(0, row.find('#')));
  }

  static bool holds_number(const TableLine& line) {
    const auto cells = split(line.text, separator_of(line.text));
    return std::any_of(cells.begin(), cells.end(),
                       [](const auto& cell) { return number_of(cell) || parse_number(cell); });
  }

  /// The columns, as the first row and what stands above it say.
  void begin(const TableLine& row, const std::optional<TableLine>& heading,
             const std::optional<TableLine>& remark) {
    separator_ = separator_of(without_remark(row.text));
    const std::size_t count = split(without_remark(row.text), separator_).size();
    if (heading) {
      const auto titles = split(heading->text, separator_);
      const auto others = split(heading->text, separator_of(heading->text));
      if (titles.size() == count) return name(titles);
      if (others.size() == count) return name(others);
      refuse(row, fmt::format("{} cells below {} headings", count, others.size()));
    }
    columns_.resize(count);
    if (!remark) return;
    const std::string_view text = trimmed(remark->text.substr(1));
    for (const char separator : {separator_, separator_of(text)}) {
      if (const auto titles = split(text, separator); titles.size() == count) return name(titles);
    }
  }

  void name(const std::vector<std::string>& titles) {
    columns_.clear();
    for (const std::string& title : titles) columns_.push_back(column_of(title));
  }

  void add(const TableLine& line) {
    const auto cells = split(without_remark(line.text), separator_);
    if (cells.size() != columns_.size())
      refuse(line, fmt::format("{} cells instead of {}", cells.size(), columns_.size()));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const auto value = number_of(cells[c]);
      if (!value) refuse_cell(line, cells[c]);
      columns_[c].values.push_back(*value);
    }
  }

  [[noreturn]] void refuse_cell(const TableLine& line, const std::string& cell) const {
    if (trimmed(cell).empty()) refuse(line, "a cell is empty");
    const bool is_decimal_comma = separator_ != ',' && cell.find(',') != std::string::npos;
    refuse(line, fmt::format("'{}' is not a finite number", trimmed(cell)),
           is_decimal_comma ? "write numbers with a decimal point" : "");
  }

  const fs::path& path_;
  std::string text_;
  FirstLine first_;
  char separator_ = blank;
  std::vector<UserTable::Column> columns_;
  std::vector<double> above_;
};

}  // namespace

bool UserTable::has(const std::string& name) const {
  return std::any_of(columns_.begin(), columns_.end(),
                     [&](const Column& column) { return column.name == name; });
}

Index UserTable::find(const std::string& name) const {
  std::vector<std::string> names;
  for (const Column& column : columns_) {
    if (column.name == name) return static_cast<Index>(names.size());
    names.push_back(column.name);
  }
  const bool has_names = !columns_.front().name.empty();
  throw Error(ExitCode::files, fmt::format("{} has no column '{}'", path_.string(), name),
              has_names ? "there are " + joined(names) : "its columns have no headings",
              has_names ? did_you_mean(nearest_name(name, names)) : "write them into a first line");
}

std::vector<double> UserTable::in(Index column, const std::string& unit) const {
  if (column >= columns())
    throw_unreadable(path_, fmt::format("it has {} column{}, {} are needed", columns(),
                                        columns() == 1 ? "" : "s", column + 1));
  const auto& [name, given, values] = columns_[static_cast<std::size_t>(column)];
  if (given.empty()) return values;
  const std::string wanted = unit.empty() ? "1" : unit;
  const Quantity there = parse_quantity("1 " + given, wanted);
  if (!there.value)
    throw_unreadable(path_, fmt::format("column '{}': {}", name, there.why),
                     unit.empty() ? "it holds pure numbers" : "it is read in " + unit);
  // Dividing by a whole number is exact to the last bit, multiplying by its inverse is not.
  const double back = parse_quantity("1 " + wanted, given).value.value_or(1 / *there.value);
  std::vector<double> scaled = values;
  for (double& value : scaled) value = *there.value < 1 ? value / back : value * *there.value;
  return scaled;
}

std::vector<double> UserTable::times(Index column) const {
  std::vector<double> times = in(column, "s");
  for (std::size_t n = 1; n < times.size(); ++n) {
    if (times[n] <= times[n - 1])
      throw_unreadable(path_,
                       fmt::format("its times do not grow: {} follows {}", times[n], times[n - 1]));
  }
  return times;
}

UserTable read_table(const fs::path& path, FirstLine first) {
  return TableReader(path, first).read();
}

}  // namespace goban
