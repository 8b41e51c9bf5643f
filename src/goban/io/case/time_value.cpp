#include "goban/io/case/time_value.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "goban/base/error.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/case/table.hpp"
#include "goban/io/case/text.hpp"
#include "goban/io/case/time_expression.hpp"
#include "goban/io/case/units.hpp"
#include "goban/io/file/characters.hpp"

namespace goban {
namespace {

bool is_quote(char c) { return c == '\'' || c == '"'; }

/// Where the bracket is closed within which `at` lies, outside of quotes; npos: nowhere. `at_comma`
/// is told where commas stand that are in no other bracket.
template <class F>
std::size_t end_of_call(std::string_view text, std::size_t at, F&& at_comma) {
  for (int open = 1; at < text.size(); ++at) {
    const char c = text[at];
    if (is_quote(c)) {
      at = text.find(c, at + 1);
      if (at == std::string_view::npos) return at;
    }
    if (c == '(') ++open;
    if (c == ')' && --open == 0) return at;
    if (c == ',' && open == 1) at_comma(at);
  }
  return std::string_view::npos;
}
std::size_t end_of_call(std::string_view text, std::size_t at) {
  return end_of_call(text, at, [](std::size_t) {});
}

/// The name of a file, which may stand in quotes.
std::string unquoted(std::string_view name) {
  name = trimmed(name);
  const bool is_quoted = name.size() > 1 && is_quote(name.front()) && name.back() == name.front();
  return std::string(is_quoted ? name.substr(1, name.size() - 2) : name);
}
std::string quoted(const std::string& name) {
  if (name.find_first_of("(),'\"") == std::string::npos) return name;
  const char quote = name.find('\'') == std::string::npos ? '\'' : '"';
  return quote + name + quote;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Whether a unit may begin so, with letters of other alphabets, too.
bool may_begin_unit(char c) {
  return is_letter(c) || c == '%' || static_cast<unsigned char>(c) >= 0x80;
}

/// Why a text is no expression.
struct Refusal {
  std::string why;
};

class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, const std::string& unit)
      : text_(text), unit_(unit), wanted_(parse_unit(unit)) {}

  TimeExpressionPtr read() {
    TimeExpressionPtr all = sum();
    if (at_ < text_.size()) refuse("'" + ahead() + "' is too much");
    return all;
  }

 private:
  static constexpr int deepest = 64;
  static constexpr std::size_t longest_unit = 64;

  [[noreturn]] static void refuse(const std::string& why) { throw Refusal{why}; }

  /// What is still to be read, for a message.
  std::string ahead() const { return shortened(text_.substr(at_)); }

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool skip(char c) { return next() == c ? (++at_, true) : false; }
  void expect(char c) {
    if (!skip(c)) {
      refuse(at_ < text_.size() ? fmt::format("'{}' is expected before '{}'", c, ahead())
                                : fmt::format("'{}' is missing at the end", c));
    }
  }

  TimeExpressionPtr sum() {
    if (++depth_ > deepest) refuse("it is nested too deeply");
    TimeExpressionPtr all = chain('+', '-', [this] { return product(); });
    --depth_;
    return all;
  }
  TimeExpressionPtr product() {
    return chain('*', '/', [this] { return factor(); });
  }
  template <class Operand>
  TimeExpressionPtr chain(char one, char other, const Operand& operand) {
    TimeExpressionPtr first = operand();
    std::vector<ChainLink> links;
    while (next() == one || next() == other) {
      const std::string_view sign = text_.substr(at_++, 1);
      links.push_back({sign, operand()});
    }
    return links.empty() ? first : make_chain(first, links);
  }
  TimeExpressionPtr factor() {
    if (++depth_ > deepest) refuse("it is nested too deeply");
    TimeExpressionPtr found;
    if (next() == '-' || next() == '+') {
      const std::string_view sign = text_.substr(at_++, 1);
      found = make_function(sign, {factor()});
    } else {
      found = atom();
      if (skip('^')) found = make_function("^", {std::move(found), factor()});
    }
    --depth_;
    return found;
  }

  TimeExpressionPtr atom() {
    const char c = next();
    if (is_digit(c) || c == '.') return make_number(number());
    if (skip('(')) {
      TimeExpressionPtr inner = sum();
      expect(')');
      return inner;
    }
    if (is_letter(c)) return named();
    refuse(c == '\0' ? "it ends where a number is expected"
                     : "'" + ahead() + "' does not begin with a number");
  }

  TimeExpressionPtr named() {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    const std::string name(text_.substr(at_, end - at_));
    at_ = end;
    if (name == "t") return make_time();
    if (name == "pi") return make_number(std::numbers::pi);
    if (!skip('(')) refuse_name(name);
    if (name == "table") return table();
    if (name == "file") return file();
    std::vector<TimeExpressionPtr> arguments{sum()};
    while (skip(',')) arguments.push_back(sum());
    expect(')');
    const auto known = function_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) refuse_name(name);
    const std::size_t count = arguments.size();
    TimeExpressionPtr found = make_function(name, std::move(arguments));
    if (!found) refuse(fmt::format("{} does not take {} values", name, count));
    return found;
  }

  [[noreturn]] static void refuse_name(const std::string& name) {
    refuse("'" + shortened(name) + "' is unknown: there are t, pi, table, file, " +
           joined(function_names()));
  }

  TimeExpressionPtr table() {
    TimeExpressionPtr argument = sum();
    std::vector<double> points, values;
    while (skip(',')) {
      points.push_back(fixed(sum()));
      expect(',');
      values.push_back(fixed(sum()));
    }
    expect(')');
    return checked_table(std::move(argument), std::move(points), std::move(values), "the table");
  }

  static double fixed(const TimeExpressionPtr& expression) {
    if (expression->varies) refuse("what a table holds cannot depend on t");
    return expression->at(0);
  }

  static TimeExpressionPtr checked_table(TimeExpressionPtr argument, std::vector<double> points,
                                         std::vector<double> values, const std::string& what) {
    if (points.empty()) refuse(what + " has no rows");
    for (std::size_t n = 0; n < points.size(); ++n) {
      if (!std::isfinite(points[n]) || !std::isfinite(values[n])) {
        refuse(fmt::format("row {} of {} is no number", n + 1, what));
      }
      if (n > 0 && points[n] <= points[n - 1]) {
        refuse(fmt::format("{} does not grow: {} follows {}", what, points[n], points[n - 1]));
      }
    }
    return make_table(argument, std::move(points), std::move(values));
  }

  /// The first two columns, whose headings may name their units.
  TimeExpressionPtr file() {
    TimeExpressionPtr argument = sum();
    expect(',');
    next();
    const std::size_t end = end_of_call(text_, at_);
    if (end == std::string_view::npos) refuse("')' is missing at the end");
    const std::string name = unquoted(text_.substr(at_, end - at_));
    at_ = end + 1;
    try {
      const UserTable rows = read_table(name);
      return checked_table(std::move(argument), rows.in(0, "s"), rows.in(1, unit_), name);
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  double number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.') ++at_, digits();
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      std::size_t ahead = at_ + 1;
      if (ahead < text_.size() && (text_[ahead] == '+' || text_[ahead] == '-')) ++ahead;
      if (ahead < text_.size() && is_digit(text_[ahead])) at_ = ahead, digits();
    }
    const std::string digits_read(text_.substr(begin, at_ - begin));
    const std::string unit(unit_ahead());
    if (unit.empty()) return value_of(digits_read, "");
    // Where a power of time and the unit of the value are meant by the same symbols they agree.
    const Unit given = *parse_unit(unit);
    const auto is_in = [&](const std::string& wanted) {
      return parse_unit(wanted)->dimension == given.dimension;
    };
    if (wanted_ && wanted_->dimension == given.dimension) {
      return value_of(digits_read + " " + unit, unit_);
    }
    for (const char* other : {"s", "Hz", "1"}) {
      if (is_in(other)) return value_of(digits_read + " " + unit, other);
    }
    refuse(unit + " is a unit neither of time nor of the value" +
           (unit_.empty() ? "" : ", which is in " + unit_));
  }

  static double value_of(const std::string& text, const std::string& unit) {
    const Quantity read = parse_quantity(text, unit);
    if (!read.value) refuse("'" + shortened(text) + "': " + read.why);
    return *read.value;
  }

  /// The longest unit here, without the blanks before it.
  std::string_view unit_ahead() {
    const std::size_t before = at_;
    if (!may_begin_unit(next())) {
      at_ = before;
      return {};
    }
    std::size_t last = 0;
    int open = 0;
    const std::size_t most = std::min(text_.size(), at_ + longest_unit);
    for (std::size_t end = at_ + 1; end <= most; ++end) {
      const char c = text_[end - 1];
      if ((c == ' ' && open == 0) || c == ',') break;
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (open < 0) break;
      const char follows = end < text_.size() ? text_[end] : ' ';
      const bool goes_on = may_begin_unit(follows) || is_digit(follows) || follows == '.' ||
                           follows == '^' || follows == '(';
      if (open == 0 && !goes_on && parse_unit(text_.substr(at_, end - at_))) last = end;
    }
    if (last == 0) {
      refuse("unknown unit '" + shortened(text_.substr(at_, text_.find(' ', at_) - at_)) + "'");
    }
    const std::string_view unit = text_.substr(at_, last - at_);
    at_ = last;
    return unit;
  }

  std::string_view text_;
  const std::string& unit_;
  std::optional<Unit> wanted_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// A number with a unit is what such a text was meant to be.
bool looks_like_quantity(std::string_view text) {
  const auto first = text.find_first_not_of(" -");
  return first == std::string_view::npos ||
         (is_digit(text[first]) && text.find_first_of("(+*^") == std::string_view::npos);
}

}  // namespace

double TimeValue::at(double time) const {
  if (!expression_) return factor_;
  const double value = expression_->at(time) * factor_;
  if (!std::isfinite(value)) {
    throw Error(ExitCode::diverged, fmt::format("\"{}\" is {} at t = {} s", text_, value, time),
                "a number is needed in every step", "see what it divides by or takes the root of");
  }
  return value;
}

TimeValue TimeValue::times(double factor) const {
  TimeValue scaled = *this;
  scaled.factor_ *= factor;
  return scaled;
}

bool varies(const TimeValue3& values) {
  return std::any_of(values.begin(), values.end(), [](const auto& v) { return v.varies(); });
}

std::array<double, 3> at(const TimeValue3& values, double time) {
  return {values[0].at(time), values[1].at(time), values[2].at(time)};
}

TimeValue3 times(const TimeValue3& values, double factor) {
  return {values[0].times(factor), values[1].times(factor), values[2].times(factor)};
}

TimeQuantity parse_time_value(std::string_view text, const std::string& unit) {
  Quantity number = parse_quantity(text, unit);
  if (number.value) return {TimeValue(*number.value), ""};
  try {
    const TimeExpressionPtr expression = ExpressionReader(text, unit).read();
    if (!expression->varies) return {TimeValue(expression->at(0)), ""};
    return {TimeValue(expression, std::string(text)), ""};
  } catch (const Refusal& refusal) {
    return {std::nullopt, looks_like_quantity(text) ? number.why : refusal.why};
  }
}

namespace {

/// A name in a file(...) of an expression.
struct NamedFile {
  std::size_t begin, end;
  std::filesystem::path path;
};

std::vector<NamedFile> names_in(std::string_view text) {
  std::vector<NamedFile> names;
  constexpr std::string_view begin = "file(";
  for (std::size_t call = text.find(begin); call != std::string_view::npos;) {
    // The name follows the last comma of the call, outside of the brackets of its argument.
    std::size_t name = std::string_view::npos;
    const std::size_t end =
        end_of_call(text, call + begin.size(), [&](std::size_t comma) { name = comma + 1; });
    if (end == std::string_view::npos || name == std::string_view::npos) return names;
    names.push_back({name, end, unquoted(text.substr(name, end - name))});
    call = text.find(begin, end);
  }
  return names;
}

}  // namespace

std::vector<std::filesystem::path> files_in(std::string_view text) {
  std::vector<std::filesystem::path> files;
  for (const NamedFile& file : names_in(text)) files.push_back(file.path);
  return files;
}

std::string with_whole_paths(std::string_view text, const std::filesystem::path& folder) {
  std::string whole;
  std::size_t at = 0;
  for (const NamedFile& file : names_in(text)) {
    const auto path = (std::filesystem::current_path() / folder / file.path).lexically_normal();
    whole += std::string(text.substr(at, file.begin - at)) + " " + quoted(path.string());
    at = file.end;
  }
  return whole + std::string(text.substr(at));
}

}  // namespace goban
