#include "goban/io/case/print.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "goban/base/error.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/case/text.hpp"

namespace goban {
namespace {

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// "# number of cells [cells]; a list of 3 integers, at least 1".
std::string comment(const CaseKey& key) {
  std::string line = "# " + on_one_line(key.doc());
  if (!key.unit().empty()) line += " [" + key.units() + "]";
  return line + (key.doc().empty() ? "" : "; ") + key.allowed() + "\n";
}

/// A section and the keys directly in it.
struct Section {
  std::string name;
  std::vector<const CaseKey*> keys;
};

std::vector<Section> sections_of(const CaseSchema& schema) {
  std::vector<Section> sections(1);
  for (const CaseKey& key : schema.keys()) {
    if (key.type() == KeyType::tables) continue;
    const std::string name = section_of(key.name());
    auto at = std::find_if(sections.begin(), sections.end(),
                           [&](const Section& section) { return section.name == name; });
    if (at == sections.end()) at = sections.insert(at, Section{name, {}});
    at->keys.push_back(&key);
  }
  return sections;
}

/// What is a default stays one where the text is read again: applications refuse keys that do
/// nothing when they are given.
std::string assignment(const Case& values, const CaseKey& key, const std::string& name) {
  const bool has = values.has(key.name()), is_default = has && !values.given(key.name());
  const bool follows = is_default && values.written(key.name()) != key.fallback();
  std::string line = comment(key) + (values.given(key.name()) ? "" : "# ") + name + " = ";
  line += has ? toml_text(values.written(key.name())) : "";
  if (is_default) line += follows ? "  # follows from other keys" : "  # default";
  return line + "\n";
}

/// The keys of an empty list of tables, as a comment to fill in.
std::string skeleton(const CaseKey& list) {
  std::string text = "# [[" + list.name() + "]]\n";
  for (const CaseKey& key : list.rows()->keys()) {
    const bool shown = key.type() != KeyType::tables;
    const std::string value = key.has_default() ? key.example() : "";
    if (shown) text += "# " + key.name() + " = " + value + "  " + comment(key);
  }
  return text;
}

std::string tables(const Case& values, const CaseKey& list) {
  std::string text = "\n# " + on_one_line(list.doc()) + "; one table for each\n";
  if (values.list(list.name()).empty()) return text + skeleton(list);
  bool first = true;
  for (const Case& row : values.list(list.name())) {
    text += (first ? "[[" : "\n[[") + list.name() + "]]\n";
    first = false;
    for (const CaseKey& key : list.rows()->keys()) {
      if (key.type() != KeyType::tables) text += assignment(row, key, key.name());
    }
  }
  return text;
}

/// Rows of cells, every column as wide as its widest cell.
class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t c = 0; c + 1 < row.size(); ++c)
        widths[c] = std::max(widths[c], row[c].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t c = 0; c < row.size(); ++c) {
        line += row[c];
        if (c + 1 < row.size()) line.append(widths[c] - row[c].size() + 2, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

void add_rows(Table& table, const Section& section, const CaseSchema& schema) {
  if (section.keys.empty()) return;
  if (!section.name.empty()) {
    table.add({"[" + section.name + "]", "", "", schema.section_doc(section.name)});
  }
  for (const CaseKey* key : section.keys) {
    const std::string value = key->has_default()   ? key->example()
                              : key->is_required() ? "required"
                                                   : "-";
    const std::string meaning = key->doc() + (key->doc().empty() ? "" : "; ") + key->allowed();
    table.add({"  " + last_part_of(key->name()), value, key->units(), on_one_line(meaning)});
  }
}

/// Adds the rows of sections and lists of tables whose name `is_wanted`.
void add_rows(Table& table, const CaseSchema& schema,
              const std::function<bool(const std::string&)>& is_wanted) {
  for (const Section& section : sections_of(schema)) {
    if (is_wanted(section.name)) add_rows(table, section, schema);
  }
  for (const CaseKey& key : schema.keys()) {
    if (key.type() != KeyType::tables || !is_wanted(key.name())) continue;
    table.add({"[[" + key.name() + "]]", "", "", key.doc()});
    add_rows(table, *key.rows(), [](const std::string&) { return true; });
  }
}

/// Names of sections, also of those that only hold others, and of lists of tables.
std::vector<std::string> names_of_sections(const CaseSchema& schema) {
  std::set<std::string> names;
  const auto add = [&](std::string name) {
    for (; !name.empty(); name = section_of(name)) names.insert(name);
  };
  for (const CaseKey& key : schema.keys()) {
    add(key.type() == KeyType::tables ? key.name() : section_of(key.name()));
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::string resolved_toml(const Case& values) {
  const CaseSchema& schema = values.schema();
  std::string text;
  for (const Section& section : sections_of(schema)) {
    if (!section.name.empty()) {
      const std::string& doc = schema.section_doc(section.name);
      text +=
          "\n" + (doc.empty() ? "" : "# " + on_one_line(doc) + "\n") + "[" + section.name + "]\n";
    }
    for (const CaseKey* key : section.keys) {
      text += assignment(values, *key, last_part_of(key->name()));
    }
  }
  for (const CaseKey& key : schema.keys()) {
    if (key.type() == KeyType::tables) text += tables(values, key);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> case_values(const Case& values) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const CaseKey& key : values.schema().keys()) {
    if (key.type() != KeyType::tables) {
      if (values.has(key.name())) all.emplace_back(key.name(), toml_text(values.value(key.name())));
      continue;
    }
    const std::vector<Case>& rows = values.list(key.name());
    for (std::size_t n = 0; n < rows.size(); ++n) {
      for (auto& [name, value] : case_values(rows[n])) {
        all.emplace_back(key.name() + "." + std::to_string(n) + "." + name, std::move(value));
      }
    }
  }
  return all;
}

std::vector<std::pair<std::string, std::filesystem::path>> case_files(const Case& values) {
  std::vector<std::pair<std::string, std::filesystem::path>> all;
  for (const CaseKey& key : values.schema().keys()) {
    if (key.type() == KeyType::tables) {
      const std::vector<Case>& rows = values.list(key.name());
      for (std::size_t n = 0; n < rows.size(); ++n) {
        for (auto& [name, file] : case_files(rows[n])) {
          all.emplace_back(key.name() + "." + std::to_string(n) + "." + name, std::move(file));
        }
      }
    } else if (values.has(key.name())) {
      const CaseValue& value = values.value(key.name());
      std::vector<std::string> texts;
      if (const auto* text = std::get_if<std::string>(&value)) texts = {*text};
      if (const auto* list = std::get_if<std::vector<std::string>>(&value)) texts = *list;
      for (const std::string& text : texts) {
        if (key.type() == KeyType::path && !text.empty()) all.emplace_back(key.name(), text);
        if (!key.is_varying()) continue;
        for (auto& file : files_in(text)) all.emplace_back(key.name(), std::move(file));
      }
    }
  }
  return all;
}

std::string key_table(const CaseSchema& schema, const std::vector<std::string>& sections) {
  const std::vector<std::string> names = names_of_sections(schema);
  for (const std::string& section : sections) {
    const bool is_known = std::find(names.begin(), names.end(), section) != names.end();
    const std::string near = nearest_name(section, names);
    require(is_known, "no section " + section, "the sections are " + joined(names),
            did_you_mean(near));
  }
  Table table;
  table.add({"key", "default", "unit", "meaning"});
  add_rows(table, schema, [&](const std::string& name) {
    return sections.empty() ||
           std::any_of(sections.begin(), sections.end(), [&](const std::string& section) {
             return name == section || name.starts_with(section + ".");
           });
  });
  return table.text();
}

}  // namespace goban
