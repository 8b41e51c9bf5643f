#include "goban/io/case/check.hpp"

#include <algorithm>
#include <cmath>

#include "goban/io/case/names.hpp"
#include "goban/io/case/text.hpp"
#include "goban/io/case/time_value.hpp"
#include "goban/io/case/units.hpp"
#include "goban/io/file/characters.hpp"

namespace goban {
namespace {

using Kind = TomlValue::Kind;

constexpr double largest_exact_integer = 0x1p53;

/// "an integer" of "a list of 3 integers".
std::string entry_expects(KeyType type) {
  return type == KeyType::integers ? "an integer" : type == KeyType::reals ? "a number" : "a text";
}

class Checker {
 public:
  Checker(const CaseKey& key, const TomlValue& value, std::string shown,
          const std::filesystem::path& folder, std::vector<ValueProblem>& problems)
      : key_(key), value_(value), shown_(std::move(shown)), folder_(folder), problems_(problems) {}

  CaseValue check() {
    if (value_.kind == Kind::text && is_word(value_.text)) return value_.text;
    if (key_.is_varying() && key_.is_number() && has_expression()) return varying();
    switch (key_.type()) {
      case KeyType::boolean:
        if (value_.kind == Kind::boolean) return value_.boolean;
        return wrong_type();
      case KeyType::integer: return scalar(integer(value_, shown_));
      case KeyType::real: return scalar(real(value_, shown_));
      case KeyType::text: return text();
      case KeyType::choice: return choice();
      case KeyType::path: return path();
      case KeyType::integers:
        return list<Index>([this](const auto& v, const auto& name) { return integer(v, name); });
      case KeyType::reals:
        return list<double>([this](const auto& v, const auto& name) { return real(v, name); });
      default:
        return list<std::string>([this](const TomlValue& v, const std::string& name) {
          if (v.kind == Kind::text) {
            return std::optional<std::string>(key_.is_varying() ? with_whole_paths(v.text, folder_)
                                                                : v.text);
          }
          wrong_entry(v, name);
          return std::optional<std::string>();
        });
    }
  }

 private:
  template <class T>
  static CaseValue scalar(std::optional<T> value) {
    return value ? CaseValue(*value) : CaseValue();
  }

  bool is_word(const std::string& text) const {
    return std::find(key_.words().begin(), key_.words().end(), text) != key_.words().end();
  }

  CaseValue report(const TomlValue& at, std::string problem, std::string why,
                   std::string suggestion) {
    problems_.push_back({at.where, std::move(problem), std::move(why), std::move(suggestion)});
    return {};
  }

  CaseValue text() {
    if (value_.kind != Kind::text) return wrong_type();
    const std::string& text = value_.text;
    const bool fits = !text.empty() && std::none_of(text.begin(), text.end(), [](unsigned char c) {
      return c == '/' || c < ' ' || c == 127;
    });
    if (key_.is_in_file_name() && !fits) {
      return report(value_, shown_ + " = " + toml_quoted(shortened(text)) + " is refused",
                    "it is part of the name of a file", "write letters, digits, '-' and '_'");
    }
    return text;
  }

  /// Some number is given as more than a number with a unit.
  bool has_expression() const {
    const auto is_expression = [&](const TomlValue& value) {
      return value.kind == Kind::text && !parse_quantity(value.text, key_.unit()).value;
    };
    return is_expression(value_) ||
           (key_.is_list() && value_.kind == Kind::list &&
            std::any_of(value_.items.begin(), value_.items.end(), is_expression));
  }

  CaseValue varying() {
    const auto read = [this](const TomlValue& v, const std::string& name) {
      return expression(v, name);
    };
    if (key_.is_list()) return list<std::string>(read);
    return scalar(read(value_, shown_));
  }

  /// As a text, with whole paths of its files.
  std::optional<std::string> expression(const TomlValue& value, const std::string& name) {
    if (value.kind != Kind::text) {
      const std::optional<double> number = real(value, name);
      return number ? std::optional(plain_number(*number)) : std::nullopt;
    }
    std::string text = with_whole_paths(value.text, folder_);
    const TimeQuantity read = parse_time_value(text, key_.unit());
    if (read.value) return text;
    const std::string unit = key_.unit().empty() ? "" : " " + key_.unit();
    report(value, name + " = " + toml_quoted(shortened(value.text)) + " cannot be read", read.why,
           "write a number or, as docs/case-files.md says, for example \"2" + unit +
               " * sin(pi*t/8)\"");
    return std::nullopt;
  }

  /// "write steps = 100".
  std::string write_example() const {
    return "write " + last_part_of(key_.name()) + " = " + key_.example();
  }

  /// "write steps = 10" where 10.5 is given; "write cells = [3, 3, 1]" where [3, 3] is, [3, 3, 3]
  /// where 3 is (but patches = [3, 1, 1]); the default or some value where nothing like it would
  /// do.
  std::string write_nearest() const {
    const std::string write = "write " + last_part_of(key_.name()) + " = ";
    if (key_.type() == KeyType::integer && value_.kind == Kind::real) {
      for (const double whole : {std::floor(value_.real), std::ceil(value_.real)}) {
        if (std::abs(whole) <= largest_exact_integer && key_.range().contains(whole)) {
          return write + std::to_string(static_cast<Index>(whole));
        }
      }
    }
    if (!key_.is_list() || key_.shortest() != key_.longest()) return write_example();
    if (value_.kind == Kind::list && value_.items.empty()) return write_example();
    std::string list;
    const bool is_list = value_.kind == Kind::list;
    const std::size_t given = is_list                ? value_.items.size()
                              : key_.words().empty() ? key_.shortest()
                                                     : 1;
    const std::string one = key_.type() == KeyType::reals ? "1.0" : "1";
    for (std::size_t i = 0; i < key_.shortest(); ++i) {
      const std::string entry = i < given ? entry_text(is_list ? value_.items[i] : value_) : one;
      if (entry.empty()) return write_example();
      list += (i == 0 ? "" : ", ") + entry;
    }
    return write + "[" + list + "]";
  }

  /// A number of a list as it can be written again; empty if it does not belong there.
  std::string entry_text(const TomlValue& entry) const {
    if (entry.kind == Kind::integer && key_.is_number() &&
        key_.range().contains(static_cast<double>(entry.integer))) {
      return std::to_string(entry.integer);
    }
    if (entry.kind == Kind::real && key_.type() == KeyType::reals &&
        key_.range().contains(entry.real)) {
      return toml_text(entry.real);
    }
    const bool is_quantity = entry.kind == Kind::text && key_.type() == KeyType::reals &&
                             parse_quantity(entry.text, key_.unit()).value.has_value();
    return is_quantity ? toml_quoted(entry.text) : "";
  }

  CaseValue wrong_type() {
    std::string suggestion = write_nearest();
    if (value_.kind == Kind::text && !key_.words().empty()) {
      const std::string near = nearest_name(value_.text, key_.words());
      if (!near.empty()) suggestion = did_you_mean("\"" + near + "\"");
    }
    if (value_.kind == Kind::date && !key_.unit().empty()) {
      suggestion = "write clock times in quotes";
    }
    if (value_.kind == Kind::text && key_.is_number() &&
        parse_quantity(value_.text, "").value.has_value()) {
      suggestion = "leave out the quotes: " + std::string(trimmed(value_.text));
    }
    return report(value_, shown_ + " must be " + key_.expects(), "found " + found(value_),
                  suggestion);
  }

  void wrong_entry(const TomlValue& entry, const std::string& name) {
    report(entry, name + " must be " + entry_expects(key_.type()), "found " + found(entry), "");
  }

  /// The wrong type of a number, of the key itself or of an entry of its list.
  void wrong_number(const TomlValue& value, const std::string& name) {
    if (key_.is_list() && &value != &value_) {
      wrong_entry(value, name);
    } else {
      wrong_type();
    }
  }

  bool in_range(const TomlValue& at, const std::string& name, double value,
                const std::string& shown_value) {
    if (key_.range().contains(value)) return true;
    const std::string unit = key_.unit().empty() ? "" : " " + key_.unit();
    const bool bare = key_.range().describe() == "positive";
    report(at, name + " = " + shown_value + " is out of range",
           "it must be " + key_.range().describe() + (bare ? "" : unit),
           key_.has_default() ? "the default is " + key_.example() : "");
    return false;
  }

  /// A text read as a number with a unit; nothing is reported unless the key has a unit.
  std::optional<double> quantity(const TomlValue& value, const std::string& name) {
    if (key_.unit().empty() || !parse_unit(key_.unit())) {
      wrong_number(value, name);
      return std::nullopt;
    }
    const Quantity read = parse_quantity(value.text, key_.unit());
    if (read.value) return read.value;
    for (const std::string& other : key_.other_units()) {
      if (const Quantity as_other = parse_quantity(value.text, other); as_other.value) {
        return as_other.value;
      }
    }
    report(value, name + " = " + toml_quoted(shortened(value.text)) + " cannot be read", read.why,
           "write a number in " + key_.units() + " or a text such as \"10 " + key_.unit() + "\"");
    return std::nullopt;
  }

  std::optional<double> real(const TomlValue& value, const std::string& name) {
    std::optional<double> number;
    if (value.kind == Kind::integer) {
      number = static_cast<double>(value.integer);
    } else if (value.kind == Kind::real) {
      number = value.real;
    } else if (value.kind == Kind::text) {
      number = quantity(value, name);
      if (!number) return std::nullopt;
    } else {
      wrong_number(value, name);
      return std::nullopt;
    }
    if (!std::isfinite(*number)) {
      report(value, name + " = " + plain_number(*number) + " is not a finite number",
             "nothing can be computed with it", "");
      return std::nullopt;
    }
    if (!in_range(value, name, *number, plain_number(*number))) return std::nullopt;
    return number;
  }

  std::optional<Index> integer(const TomlValue& value, const std::string& name) {
    std::optional<Index> number;
    if (value.kind == Kind::integer) {
      number = value.integer;
    } else if (value.kind == Kind::real || value.kind == Kind::text) {
      const std::optional<double> real =
          value.kind == Kind::real ? std::optional<double>(value.real) : quantity(value, name);
      if (!real) return std::nullopt;
      if (*real == std::floor(*real) && std::abs(*real) <= largest_exact_integer) {
        number = static_cast<Index>(*real);
      }
    }
    if (!number) {
      wrong_number(value, name);
      return std::nullopt;
    }
    const bool good = in_range(value, name, static_cast<double>(*number), std::to_string(*number));
    return good ? number : std::nullopt;
  }

  CaseValue choice() {
    if (value_.kind != Kind::text) return wrong_type();
    const auto& choices = key_.choices();
    if (std::find(choices.begin(), choices.end(), value_.text) != choices.end()) {
      return value_.text;
    }
    return report(value_, shown_ + " = " + toml_quoted(shortened(value_.text)) + " is not a choice",
                  "the choices are " + joined(choices),
                  did_you_mean(nearest_name(value_.text, choices)));
  }

  CaseValue path() {
    if (value_.kind != Kind::text) return wrong_type();
    if (value_.text.empty()) return value_.text;
    const std::filesystem::path resolved =
        (std::filesystem::current_path() / folder_ / value_.text).lexically_normal();
    return resolved.string();
  }

  template <class T, class Read>
  CaseValue list(Read&& read) {
    std::vector<T> values;
    const auto before = problems_.size();
    if (value_.kind == Kind::list) {
      if (value_.items.size() < key_.shortest() || value_.items.size() > key_.longest()) {
        return wrong_type();
      }
      for (std::size_t i = 0; i < value_.items.size(); ++i) {
        const std::string name = "entry " + std::to_string(i + 1) + " of " + shown_;
        if (std::optional<T> entry = read(value_.items[i], name)) {
          values.push_back(std::move(*entry));
        }
      }
    } else if (key_.one_for_all() && value_.kind != Kind::table) {
      if (std::optional<T> entry = read(value_, shown_)) values.assign(key_.shortest(), *entry);
    } else {
      return wrong_type();
    }
    return problems_.size() == before ? CaseValue(std::move(values)) : CaseValue();
  }

  const CaseKey& key_;
  const TomlValue& value_;
  std::string shown_;
  const std::filesystem::path& folder_;
  std::vector<ValueProblem>& problems_;
};

TomlValue text_value(std::string_view text) {
  TomlValue value;
  value.kind = Kind::text;
  value.text = std::string(trimmed(text));
  return value;
}

/// A TOML value if it is one (a clock time is left to the units), else the text itself.
TomlValue value_or_text(std::string_view text) {
  TomlValue value;
  if (parse_toml_value(text, value) && value.kind != Kind::date) return value;
  return text_value(text);
}

TomlValue entry_or_text(std::string_view text, KeyType type) {
  const bool quoted = trimmed(text).starts_with('"') || trimmed(text).starts_with('\'');
  return type == KeyType::texts && !quoted ? text_value(text) : value_or_text(text);
}

TomlValue split(std::string_view text, const CaseKey& key) {
  TomlValue list;
  list.kind = Kind::list;
  while (true) {
    const auto end = text.find(key.separator());
    list.items.push_back(entry_or_text(text.substr(0, end), key.type()));
    if (end == std::string_view::npos) return list;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

TomlValue typed(const TomlValue& word, const CaseKey& key) {
  const std::string_view text = trimmed(word.text);
  const bool quoted = text.starts_with('"') || text.starts_with('\'');
  TomlValue value;
  if (key.type() == KeyType::text || key.type() == KeyType::choice || key.type() == KeyType::path) {
    value = quoted ? value_or_text(text) : text_value(text);
  } else if (key.is_list() && !text.starts_with('[')) {
    const auto& words = key.words();
    const bool alone = key.one_for_all() && text.find(key.separator()) == std::string_view::npos;
    const bool known = std::find(words.begin(), words.end(), text) != words.end();
    value = alone || known ? value_or_text(text) : split(text, key);
  } else {
    value = value_or_text(text);
  }
  value.key = word.key;
  value.override_number = word.override_number;
  return value;
}

std::string unit_given(const CaseKey& key, const TomlValue& value) {
  if (value.kind != Kind::text || parse_quantity(value.text, "").value) return "";
  if (parse_quantity(value.text, key.unit()).value) return key.unit();
  for (const std::string& other : key.other_units()) {
    if (parse_quantity(value.text, other).value) return other;
  }
  return "";
}

CaseValue checked(const CaseKey& key, const TomlValue& value, const std::string& shown,
                  const std::filesystem::path& folder, std::vector<ValueProblem>& problems) {
  return Checker(key, value, shown, folder, problems).check();
}

std::string found(const TomlValue& value) {
  switch (value.kind) {
    case Kind::boolean: return value.boolean ? "true" : "false";
    case Kind::integer: return "the integer " + std::to_string(value.integer);
    case Kind::real: return "the number " + plain_number(value.real);
    case Kind::date: return "a date or time";
    case Kind::list: return "a list of " + std::to_string(value.items.size());
    case Kind::table: return "a section";
    default: return "the text " + toml_quoted(shortened(value.text));
  }
}

}  // namespace goban
