#include "goban/io/case/override.hpp"

#include <charconv>

#include "goban/base/printable.hpp"
#include "goban/io/case/unknown_name.hpp"

namespace goban {
namespace {

std::vector<std::string> split(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<std::size_t> table_number(const std::string& part) {
  std::size_t number = 0;
  const char* end = part.data() + part.size();
  const auto parsed = std::from_chars(part.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return number;
}

/// The key of a dotted name, through numbered tables of lists.
const CaseKey* resolve(const std::vector<std::string>& parts, std::size_t from,
                       const CaseSchema& schema) {
  std::string name;
  for (std::size_t i = from; i < parts.size(); ++i) {
    name += (name.empty() ? "" : ".") + parts[i];
    const CaseKey* key = schema.find(name);
    if (key == nullptr) continue;
    if (i + 1 == parts.size()) return key;
    if (key->rows() == nullptr || !table_number(parts[i + 1])) return nullptr;
    return i + 2 < parts.size() ? resolve(parts, i + 2, *key->rows()) : nullptr;
  }
  return nullptr;
}

TomlValue made(TomlValue::Kind kind, const std::string& key, int number) {
  TomlValue value;
  value.kind = kind;
  value.key = key;
  value.override_number = number;
  return value;
}

/// The child of a table or of a list of tables, made when it is not there.
TomlValue* child(TomlValue& parent, const std::string& part, bool next_is_number, int number) {
  if (parent.kind == TomlValue::Kind::list) {
    const std::size_t index = table_number(part).value_or(parent.items.size() + 1);
    if (index > parent.items.size()) return nullptr;
    if (index == parent.items.size()) {
      parent.items.push_back(made(TomlValue::Kind::table, "", number));
    }
    return &parent.items[index];
  }
  if (parent.kind != TomlValue::Kind::table) return nullptr;
  if (TomlValue* found = parent.find(part)) return found;
  parent.items.push_back(
      made(next_is_number ? TomlValue::Kind::list : TomlValue::Kind::table, part, number));
  return &parent.items.back();
}

bool is_utf8(const std::string& text) {
  const std::string shown = printable(text);  // as long, with '?' for other bytes
  for (std::size_t i = 0; i < text.size(); ++i)
    if (static_cast<unsigned char>(text[i]) >= 0x80 && shown[i] != text[i]) return false;
  return true;
}

}  // namespace

std::optional<OverrideProblem> apply_override(const std::string& override_text, int number,
                                              const CaseSchema& schema, TomlValue& root) {
  const auto equals = override_text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return OverrideProblem{false, "this is not key=value", "a key of the case file is expected",
                           "write for example time.steps=100"};
  }
  if (!is_utf8(override_text)) {
    return OverrideProblem{false, "the value cannot be read",
                           "a byte does not belong to any character", ""};
  }
  const std::string name = override_text.substr(0, equals);
  const std::vector<std::string> parts = split(name);
  const CaseKey* key = resolve(parts, 0, schema);
  if (key == nullptr) {
    if (schema.has_section(name)) {
      return OverrideProblem{false, name + " is a section", "a value is set for one key",
                             "name a key of it, as in " + name + ".key=value"};
    }
    const UnknownName advice = describe_unknown(name, false, schema, "");
    return OverrideProblem{true, advice.problem, advice.why, advice.suggestion};
  }
  TomlValue* at = &root;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    at = child(*at, parts[i], table_number(parts[i + 1]).has_value(), number);
    if (at == nullptr) {
      const bool numbered = table_number(parts[i]).has_value();
      return OverrideProblem{false, name + " cannot be set",
                             numbered
                                 ? "the tables of a list are numbered from 0 without gaps"
                                 : "the case file gives something else than a section above it",
                             ""};
    }
  }
  if (at->kind != TomlValue::Kind::table) {
    return OverrideProblem{false, name + " cannot be set",
                           "the case file gives something else than a section above it", ""};
  }
  TomlValue word = made(TomlValue::Kind::word, parts.back(), number);
  word.text = override_text.substr(equals + 1);
  if (TomlValue* old = at->find(parts.back())) {
    *old = std::move(word);
  } else {
    at->items.push_back(std::move(word));
  }
  return std::nullopt;
}

}  // namespace goban
