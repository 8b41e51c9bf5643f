#include "goban/io/case/units.hpp"
#include "goban/io/case/text.hpp"
#include "goban/io/file/characters.hpp"

#include <charconv>
#include <cmath>
#include <vector>

namespace goban {
namespace {

struct Symbol {
  std::string_view name;
  Unit unit;
  bool prefixed;
};

struct Prefix {
  std::string_view name;
  int decimal;
};

constexpr double degree = 3.14159265358979323846 / 180;

// Dimensions in the order m, kg, s, K, A, mol, byte.
const std::vector<Symbol>& symbols() {
  static const std::vector<Symbol> table = {
      {"m", {{1, 0, 0, 0, 0, 0, 0}, 0, 1}, true},
      {"g", {{0, 1, 0, 0, 0, 0, 0}, -3, 1}, true},
      {"s", {{0, 0, 1, 0, 0, 0, 0}, 0, 1}, true},
      {"min", {{0, 0, 1, 0, 0, 0, 0}, 0, 60}, false},
      {"h", {{0, 0, 1, 0, 0, 0, 0}, 0, 3600}, false},
      {"d", {{0, 0, 1, 0, 0, 0, 0}, 0, 86400}, false},
      {"K", {{0, 0, 0, 1, 0, 0, 0}, 0, 1}, true},
      {"A", {{0, 0, 0, 0, 1, 0, 0}, 0, 1}, true},
      {"mol", {{0, 0, 0, 0, 0, 1, 0}, 0, 1}, true},
      {"N", {{1, 1, -2, 0, 0, 0, 0}, 0, 1}, true},
      {"Pa", {{-1, 1, -2, 0, 0, 0, 0}, 0, 1}, true},
      {"J", {{2, 1, -2, 0, 0, 0, 0}, 0, 1}, true},
      {"W", {{2, 1, -3, 0, 0, 0, 0}, 0, 1}, true},
      {"V", {{2, 1, -3, 0, -1, 0, 0}, 0, 1}, true},
      {"Hz", {{0, 0, -1, 0, 0, 0, 0}, 0, 1}, true},
      {"B", {{0, 0, 0, 0, 0, 0, 1}, 0, 1}, true},
      {"KiB", {{0, 0, 0, 0, 0, 0, 1}, 0, 0x1p10}, false},
      {"MiB", {{0, 0, 0, 0, 0, 0, 1}, 0, 0x1p20}, false},
      {"GiB", {{0, 0, 0, 0, 0, 0, 1}, 0, 0x1p30}, false},
      {"TiB", {{0, 0, 0, 0, 0, 0, 1}, 0, 0x1p40}, false},
      {"rad", {{}, 0, 1}, true},
      {"deg", {{}, 0, degree}, false},
      {"%", {{}, -2, 1}, false},
      {"1", {{}, 0, 1}, false},
  };
  return table;
}

constexpr Prefix prefixes[] = {{"f", -15},       {"p", -12}, {"n", -9}, {"u", -6},
                               {"\xc2\xb5", -6},  // micro sign
                               {"\xce\xbc", -6},  // Greek mu
                               {"m", -3},        {"c", -2},  {"d", -1}, {"h", 2},
                               {"k", 3},         {"M", 6},   {"G", 9},  {"T", 12}};

std::optional<Unit> parse_symbol(std::string_view name) {
  for (const Symbol& symbol : symbols()) {
    if (symbol.name == name) return symbol.unit;
  }
  for (const Prefix& prefix : prefixes) {
    if (!name.starts_with(prefix.name)) continue;
    for (const Symbol& symbol : symbols()) {
      if (!symbol.prefixed || symbol.name != name.substr(prefix.name.size())) continue;
      Unit unit = symbol.unit;
      unit.decimal += prefix.decimal;
      return unit;
    }
  }
  return std::nullopt;
}

Unit power(const Unit& base, int exponent) {
  Unit unit;
  for (std::size_t i = 0; i < unit.dimension.size(); ++i) {
    unit.dimension[i] = base.dimension[i] * exponent;
  }
  unit.decimal = base.decimal * exponent;
  unit.factor = std::pow(base.factor, exponent);
  return unit;
}

Unit times(const Unit& a, const Unit& b) {
  Unit unit;
  for (std::size_t i = 0; i < unit.dimension.size(); ++i) {
    unit.dimension[i] = a.dimension[i] + b.dimension[i];
  }
  unit.decimal = a.decimal + b.decimal;
  unit.factor = a.factor * b.factor;
  return unit;
}

/// unit := factor ((" " | "*" | "/") factor)*, factor := (symbol | "(" unit ")") exponent?
class UnitReader {
 public:
  explicit UnitReader(std::string_view text) : rest_(text) {}

  std::optional<Unit> read() {
    std::optional<Unit> unit = product(0);
    return unit && rest_.empty() ? unit : std::nullopt;
  }

 private:
  static constexpr int deepest = 4;

  std::optional<Unit> product(int depth) {
    std::optional<Unit> unit = factor(depth);
    while (unit) {
      const bool blank = skip_blanks();
      if (rest_.empty() || rest_.front() == ')') return unit;
      const bool divide = rest_.front() == '/';
      if (divide || rest_.front() == '*') {
        rest_.remove_prefix(1);
        skip_blanks();
      } else if (!blank) {
        return std::nullopt;
      }
      const std::optional<Unit> next = factor(depth);
      if (!next) return std::nullopt;
      unit = times(*unit, power(*next, divide ? -1 : 1));
    }
    return unit;
  }

  std::optional<Unit> factor(int depth) {
    std::optional<Unit> unit;
    if (rest_.starts_with('(')) {
      if (depth == deepest) return std::nullopt;
      rest_.remove_prefix(1);
      unit = product(depth + 1);
      if (!unit || !rest_.starts_with(')')) return std::nullopt;
      rest_.remove_prefix(1);
    } else {
      std::size_t length = 0;
      while (length < rest_.size() && is_letter(rest_[length])) ++length;
      if (length == 0 && rest_.starts_with('1')) length = 1;
      unit = parse_symbol(rest_.substr(0, length));
      rest_.remove_prefix(length);
    }
    return unit ? std::optional<Unit>(power(*unit, exponent())) : std::nullopt;
  }

  int exponent() {
    std::string_view digits = rest_;
    if (digits.starts_with('^')) digits.remove_prefix(1);
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    if (digits.empty() || digits[0] < '1' || digits[0] > '9') return 1;
    const int value = digits[0] - '0';
    rest_ = digits.substr(1);
    return negative ? -value : value;
  }

  bool skip_blanks() {
    bool any = false;
    while (rest_.starts_with(' ')) rest_.remove_prefix(1), any = true;
    return any;
  }

  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' ||
           static_cast<unsigned char>(c) >= 0x80;
  }

  std::string_view rest_;
};

/// Length of the decimal number at the start of `text`; 0 when there is none.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0, digits = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  while (i < text.size() && is_digit(text[i])) ++i, ++digits;
  if (i < text.size() && text[i] == '.') {
    ++i;
    while (i < text.size() && is_digit(text[i])) ++i, ++digits;
  }
  if (digits == 0) return 0;
  if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    if (text[j] == '+' || text[j] == '-') ++j;
    if (j < text.size() && is_digit(text[j])) {
      while (j < text.size() && is_digit(text[j])) ++j;
      i = j;
    }
  }
  return i;
}

/// number * 10^decimal, correctly rounded; nothing when out of range.
std::optional<double> scaled(std::string_view number, int decimal) {
  if (number.starts_with('+')) number.remove_prefix(1);
  const auto e = number.find_first_of("eE");
  long exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = number.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (parsed.ec != std::errc{} || std::labs(exponent) > 100000) return std::nullopt;
    number = number.substr(0, e);
  }
  const std::string text = std::string(number) + "e" + std::to_string(exponent + decimal);
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// "[d-]h:mm:ss" in seconds.
std::optional<double> parse_clock(std::string_view text) {
  int days = 0, parts[3] = {};
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto whole = [&](int& value) {
    if (at == end || !is_digit(*at)) return false;
    const auto parsed = std::from_chars(at, end, value);
    at = parsed.ptr;
    return parsed.ec == std::errc{};
  };
  const auto skip = [&](char c) { return at != end && *at == c ? (++at, true) : false; };
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    if (!whole(days) || !skip('-')) return std::nullopt;
  }
  if (!whole(parts[0]) || !skip(':') || !whole(parts[1]) || !skip(':') || !whole(parts[2])) {
    return std::nullopt;
  }
  if (at != end || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  return 86400.0 * days + 3600.0 * parts[0] + 60.0 * parts[1] + parts[2];
}

}  // namespace

std::optional<Unit> parse_unit(std::string_view text) { return UnitReader(trimmed(text)).read(); }

Quantity parse_quantity(std::string_view text, const std::string& unit) {
  text = trimmed(text);
  const std::optional<Unit> wanted = parse_unit(unit);
  const bool is_time = wanted && wanted->dimension == Unit{{0, 0, 1}, 0, 1}.dimension;
  if (is_time && text.find(':') != std::string_view::npos) {
    const std::optional<double> seconds = parse_clock(text);
    if (!seconds) return {std::nullopt, "a clock time is hours:minutes:seconds"};
    return {*seconds / (wanted->factor * std::pow(10.0, wanted->decimal)), ""};
  }
  const std::size_t length = number_length(text);
  if (length == 0) return {std::nullopt, "it does not begin with a number"};
  const std::string_view name = trimmed(text.substr(length));
  int decimal = 0;
  double factor = 1, divisor = 1;
  if (!name.empty()) {
    if (!wanted) return {std::nullopt, "this key takes a plain number"};
    const std::optional<Unit> given = parse_unit(name);
    if (!given) return {std::nullopt, "unknown unit '" + shortened(name) + "'"};
    if (given->dimension != wanted->dimension) {
      return {std::nullopt, shortened(name) + " does not convert to " + unit};
    }
    decimal = given->decimal - wanted->decimal;
    factor = given->factor;
    divisor = wanted->factor;
  }
  const std::optional<double> value = scaled(text.substr(0, length), decimal);
  if (!value || !std::isfinite(*value * factor)) {
    return {std::nullopt, "the number is out of range"};
  }
  return {*value * factor / divisor, ""};
}

}  // namespace goban
