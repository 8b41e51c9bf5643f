#include "goban/io/case_toml.hpp"

// toml++ aborts on malformed input when its assertions are on, and recurses without a useful
// limit by default.
#ifndef NDEBUG
#define NDEBUG 1
#endif
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#undef TOML_MAX_NESTED_VALUES
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

#include <algorithm>

namespace goban {
namespace {

constexpr std::size_t most_problems = 20;

TextPosition position(const toml::source_position& where) {
  return {static_cast<int>(where.line), static_cast<int>(where.column)};
}

TomlValue converted(const toml::node& node) {
  TomlValue value;
  value.where = position(node.source().begin);
  if (const auto* table = node.as_table()) {
    value.kind = TomlValue::Kind::table;
    for (const auto& [key, child] : *table) {
      value.items.push_back(converted(child));
      value.items.back().key = std::string(key.str());
      value.items.back().key_where = position(key.source().begin);
    }
    std::sort(value.items.begin(), value.items.end(),
              [](const auto& a, const auto& b) { return a.key_where < b.key_where; });
  } else if (const auto* array = node.as_array()) {
    value.kind = TomlValue::Kind::list;
    for (const auto& child : *array) value.items.push_back(converted(child));
  } else if (const auto* text = node.as_string()) {
    value.kind = TomlValue::Kind::text;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = TomlValue::Kind::integer;
    value.integer = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    value.kind = TomlValue::Kind::real;
    value.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = TomlValue::Kind::boolean;
    value.boolean = boolean->get();
  } else {
    value.kind = TomlValue::Kind::date;
  }
  return value;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

std::string trimmed(std::string text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// What stands between the last pair of single quotes.
std::string last_quoted(const std::string& text) {
  const auto close = text.rfind('\'');
  if (close == std::string::npos || close == 0) return "";
  const auto open = text.rfind('\'', close - 1);
  return open == std::string::npos ? "" : text.substr(open + 1, close - open - 1);
}

/// "0.5" of ".5", "1.0" of "1."; "" for anything else.
std::string completed_number(const std::string& value) {
  const auto digits = value.find_first_not_of("+-");
  if (digits == std::string::npos ||
      value.find_first_not_of("+-.0123456789") != std::string::npos) {
    return "";
  }
  std::string number = value;
  if (number.ends_with('.')) number += '0';
  if (number[digits] == '.') number.insert(digits, "0");
  return number == value ? "" : number;
}

/// A number with a unit, a word or a path.
bool wants_quotes(const std::string& value) {
  if (value.find_first_of("\"'=;#") != std::string::npos) return false;
  const char first = value.front();
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (is_letter(first) || first == '.' || first == '/' || first == '~') return true;
  const auto blank = value.find(' ');
  return first >= '0' && first <= '9' && blank != std::string::npos && is_letter(value[blank + 1]);
}

/// How a wrong statement may be put right; "" when nothing is likely.
std::string correction(const std::string& line) {
  const std::string statement = trimmed(line);
  if (statement.starts_with('[')) return "a section is [name] on a line of its own";
  const auto equals = line.find('=');
  const std::string key = trimmed(line.substr(0, equals));
  if (equals == std::string::npos || key.find_first_of("&:;(){}") != std::string::npos) {
    return "write key = value";
  }
  const std::string value = trimmed(line.substr(equals + 1, line.find('#') - equals - 1));
  if (value.empty()) return "give a value after =";
  if (value == "True" || value == "TRUE") return "write " + key + " = true";
  if (value == "False" || value == "FALSE") return "write " + key + " = false";
  if (const std::string number = completed_number(value); !number.empty()) {
    return "write " + key + " = " + number;
  }
  if (wants_quotes(value)) {
    return "texts and numbers with units stand in quotes: " + key + " = \"" + value + "\"";
  }
  const bool quoted = value.starts_with('"') || value.starts_with('\'');
  if (quoted && value.find('\\') != std::string::npos) {
    return "write backslashes twice or the text in single quotes";
  }
  if (quoted && value.find(value.front(), 1) == std::string::npos) return "close the quote";
  if (value.find("//") != std::string::npos) return "comments begin with #";
  if (value.find_first_of("=;") != std::string::npos) return "write one key = value on a line";
  return "";
}

TextProblem explained(const toml::parse_error& error, const std::string& line) {
  const std::string description(error.description());
  TextProblem problem{position(error.source().begin), "", "", ""};
  const auto says = [&](const char* phrase) {
    return description.find(phrase) != std::string::npos;
  };
  const std::string quoted = last_quoted(description);
  const bool header = trimmed(line).starts_with('[');
  const auto point_at = [&](const std::string& what) {
    const auto found = line.find(what);
    problem.where.column = found == std::string::npos ? 1 : static_cast<int>(found) + 1;
  };
  if (says("redefine")) {
    const std::string statement = trimmed(line);
    point_at(statement.substr(0, 1));
    problem.problem = (header ? statement : trimmed(statement.substr(0, statement.find('=')))) +
                      " is given twice";
    problem.why = "the name already stands above";
    problem.suggestion = header ? "move its keys there" : "remove one of the two";
  } else if (says("floating-point") && says("could not be interpreted")) {
    point_at(quoted);
    problem.problem = quoted + " is not a finite number";
    problem.why = "a double holds magnitudes up to 1.8e308";
  } else if (says("not representable in 64 bits")) {
    point_at(quoted);
    problem.problem = quoted + " is too large";
    problem.why = "an integer has 64 bits";
  } else {
    const std::string start = "Error while parsing ";
    const bool known = description.starts_with(start);
    problem.problem = "this is not TOML";
    problem.why = known ? description.substr(start.size()) : description;
    if (const auto macro = problem.why.find(" (TOML_"); macro != std::string::npos) {
      problem.why.erase(macro);
    }
    problem.suggestion = correction(line);
  }
  return problem;
}

/// A document from which statements can be taken out without moving the others.
class Statements {
 public:
  explicit Statements(std::string_view text) : text_(text) {}

  const std::string& text() const { return text_; }

  /// The line on which the statement that covers `line` begins.
  std::string first_line(int line) const { return lines_of(text_)[start_of(line)]; }

  /// A section header becomes a section nobody reads, so that the keys below it stay apart.
  void leave_out(int line) {
    std::vector<std::string> lines = lines_of(text_);
    const std::size_t first = start_of(line);
    const bool header = trimmed(lines[first]).starts_with('[');
    for (std::size_t i = first; i <= index(line, lines.size()); ++i) lines[i].clear();
    if (header)
      lines[first] = "[" + std::string(skipped_section) + std::to_string(left_out_++) + "]";
    text_.clear();
    for (const std::string& kept : lines) text_ += kept + "\n";
    text_.pop_back();
  }

 private:
  static std::size_t index(int line, std::size_t lines) {
    return std::clamp<std::size_t>(static_cast<std::size_t>(line), 1, lines) - 1;
  }
  std::size_t start_of(int line) const {
    const std::vector<int> starts = statement_starts(text_);
    return static_cast<std::size_t>(starts[index(line, starts.size())]) - 1;
  }

  std::string text_;
  int left_out_ = 0;
};

}  // namespace

TomlValue* TomlValue::find(std::string_view name) {
  const auto at = std::find_if(items.begin(), items.end(),
                               [&](const TomlValue& item) { return item.key == name; });
  return kind != Kind::table || at == items.end() ? nullptr : &*at;
}

const TomlValue* TomlValue::find(std::string_view name) const {
  return const_cast<TomlValue*>(this)->find(name);
}

TomlDocument parse_toml(std::string_view text) {
  TomlDocument document;
  Statements statements(text);
  while (document.problems.size() < most_problems) {
    if (auto foreign = foreign_character(statements.text())) {
      statements.leave_out(foreign->where.line);
      document.problems.push_back(std::move(*foreign));
      continue;
    }
    try {
      document.root = converted(toml::parse(statements.text()));
      break;
    } catch (const toml::parse_error& error) {
      const int line = static_cast<int>(error.source().begin.line);
      document.problems.push_back(explained(error, statements.first_line(line)));
      statements.leave_out(line);
    }
  }
  return document;
}

bool parse_toml_value(std::string_view text, TomlValue& value) {
  const std::string statement = "value = " + std::string(text);
  if (statement.find('\n') != std::string::npos || guard(statement) ||
      foreign_character(statement)) {
    return false;
  }
  try {
    value = converted(*toml::parse(statement).get("value"));
    return true;
  } catch (const toml::parse_error&) {
    return false;
  }
}

}  // namespace goban
