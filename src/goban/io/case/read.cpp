#include "goban/io/case/read.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <tuple>
#include <utility>

#include "goban/io/case/check.hpp"
#include "goban/io/case/grid.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/case/override.hpp"
#include "goban/io/case/text.hpp"
#include "goban/io/case/toml.hpp"
#include "goban/io/case/unknown_name.hpp"

namespace goban {
namespace {

using Kind = TomlValue::Kind;

constexpr std::size_t most_lines = 100;
constexpr std::string_view ignored_section = "provenance";

/// The lines of an error, in the order of the file, then what is missing, then the overrides.
class Problems {
 public:
  Problems(std::string file, const std::vector<std::string>& overrides)
      : file_(std::move(file)), overrides_(overrides) {}

  std::string place(TextPosition where, int override_number) const {
    if (override_number < 0) {
      return file_ + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
    }
    return "command line '" + overrides_[static_cast<std::size_t>(override_number)] + "'";
  }

  void add(TextPosition where, int override_number, const std::string& problem,
           const std::string& why, const std::string& suggestion) {
    const int group = override_number < 0 ? in_file : in_overrides + override_number;
    add(group, where, place(where, override_number), problem, why, suggestion);
  }

  void add_missing(const std::string& problem, const std::string& why,
                   const std::string& suggestion) {
    add(missing, {}, file_, problem, why, suggestion);
  }

  void add_about(const std::string& place, const std::string& problem, const std::string& why,
                 const std::string& suggestion) {
    add(missing, {}, place, problem, why, suggestion);
  }

  bool empty() const { return lines_.empty(); }

  void throw_all() {
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
      return std::tie(a.group, a.where) < std::tie(b.group, b.where);
    });
    std::string all;
    for (std::size_t i = 0; i < std::min(lines_.size(), most_lines); ++i) {
      all += (i == 0 ? "" : "\n") + lines_[i].text;
    }
    if (lines_.size() > most_lines) {
      all +=
          "\n" + file_ + ": and " + std::to_string(lines_.size() - most_lines) + " more mistakes";
    }
    throw Error(ExitCode::usage, all);
  }

 private:
  enum Group { in_file, missing, in_overrides };
  struct Line {
    int group;
    TextPosition where;
    std::string text;
  };

  void add(int group, TextPosition where, const std::string& place, const std::string& problem,
           const std::string& why, const std::string& suggestion) {
    const Error line(ExitCode::usage, place + ": " + problem, why, suggestion);
    lines_.push_back({group, where, line.what()});
  }

  std::string file_;
  const std::vector<std::string>& overrides_;
  std::vector<Line> lines_;
};

/// A key that needs no quotes.
bool is_bare(const std::string& key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

bool is_list_of_tables(const TomlValue& value) {
  return value.kind == Kind::list && std::all_of(value.items.begin(), value.items.end(),
                                                 [](auto& i) { return i.kind == Kind::table; });
}

}  // namespace

/// Walks the tree of a document beside the schema and fills a Case.
class CaseReader {
 public:
  CaseReader(std::shared_ptr<const CaseSchema> schema, std::filesystem::path file,
             const std::vector<std::string>& overrides, CaseOptions options)
      : schema_(std::move(schema)),
        file_(std::move(file)),
        options_(options),
        problems_(file_.string(), overrides) {}

  Case read(std::string_view text, const std::vector<std::string>& overrides) {
    TomlDocument document = parse_toml(text);
    if (const auto& wrong = document.problem) {
      problems_.add(wrong->where, -1, wrong->problem, wrong->why, wrong->suggestion);
      problems_.throw_all();
    }
    for (std::size_t i = 0; i < overrides.size(); ++i) {
      const int number = static_cast<int>(i);
      const auto refused = apply_override(overrides[i], number, *schema_, document.root);
      if (refused) unknown_or_refused(*refused, number);
    }
    Case read = empty_case(schema_, "");
    read_table(document.root, "", read);
    finish(document.root, read);
    complete_grid(document.root, read);
    if (!problems_.empty()) problems_.throw_all();
    *read.warnings_ = std::move(warnings_);
    return read;
  }

 private:
  Case empty_case(std::shared_ptr<const CaseSchema> schema, std::string prefix) const {
    Case made;
    made.schema_ = std::move(schema);
    made.file_ = file_;
    made.prefix_ = std::move(prefix);
    return made;
  }

  void unknown_or_refused(const OverrideProblem& refused, int number) {
    if (refused.unknown && options_.allow_unused) {
      warnings_.push_back(problems_.place({}, number) + ": " + refused.problem + " is ignored");
    } else {
      problems_.add({}, number, refused.problem, refused.why, refused.suggestion);
    }
  }

  void read_table(const TomlValue& table, const std::string& section, Case& into) {
    const CaseSchema& schema = *into.schema_;
    for (const TomlValue& entry : table.items) {
      const bool plain = is_bare(entry.key);
      const std::string word = plain ? entry.key : toml_quoted(entry.key);
      const std::string name = section.empty() ? word : section + "." + word;
      const bool top = section.empty() && into.prefix_.empty();
      const CaseKey* key = plain ? schema.find(name) : nullptr;
      if (key != nullptr) {
        assign(*key, entry, into);
      } else if (plain && schema.has_section(name)) {
        if (entry.kind == Kind::table) {
          read_table(entry, name, into);
        } else {
          const bool repeated = is_list_of_tables(entry) && !entry.items.empty();
          problems_.add(
              entry.key_where, entry.override_number, into.prefix_ + name + " must be a section",
              "found " + (repeated ? "a list of sections" : found(entry)),
              (repeated ? "write once [" : "write its keys below [") + into.prefix_ + name + "]");
        }
      } else if (!top || entry.key != ignored_section) {
        unknown(entry, name, into);
      }
    }
  }

  void unknown(const TomlValue& entry, const std::string& name, const Case& in) {
    const std::string shown = in.prefix_ + name;
    const bool section =
        entry.kind == Kind::table || (is_list_of_tables(entry) && !entry.items.empty());
    if (options_.allow_unused) {
      warnings_.push_back(problems_.place(entry.key_where, entry.override_number) + ": unknown " +
                          (section ? "section " : "key ") + shown + " is ignored");
      return;
    }
    const UnknownName advice = describe_unknown(name, section, *in.schema_, in.prefix_);
    problems_.add(entry.key_where, entry.override_number, advice.problem, advice.why,
                  advice.suggestion);
  }

  void assign(const CaseKey& key, const TomlValue& entry, Case& into) {
    Case::Slot& slot = into.slots_[key.name()];
    const std::string shown = into.prefix_ + key.name();
    const TomlValue value = entry.kind == Kind::word ? typed(entry, key) : entry;
    slot.given = true;
    slot.typed = value.override_number >= 0;
    slot.where = problems_.place(value.override_number < 0 ? value.where : TextPosition{},
                                 value.override_number);
    if (key.type() == KeyType::tables) {
      read_rows(key, value, shown, slot);
      return;
    }
    const bool typed_in = value.override_number >= 0;
    const std::filesystem::path folder =
        typed_in ? std::filesystem::path(".") : file_.parent_path();
    std::vector<ValueProblem> wrong;
    slot.value = checked(key, value, shown, folder, wrong);
    if (!key.other_units().empty()) slot.unit = unit_given(key, value);
    for (const ValueProblem& p : wrong) {
      problems_.add(p.where, value.override_number, p.problem, p.why, p.suggestion);
    }
  }

  void read_rows(const CaseKey& key, const TomlValue& value, const std::string& shown,
                 Case::Slot& slot) {
    if (!is_list_of_tables(value)) {
      problems_.add(value.where, value.override_number, shown + " must be a list of sections",
                    "found " + found(value), "write [[" + shown + "]] above the keys of each");
      return;
    }
    const std::shared_ptr<const CaseSchema> rows(schema_, key.rows());
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      TomlValue row = value.items[i];
      if (value.override_number >= 0) mark(row, value.override_number);
      Case inner = empty_case(rows, shown + "." + std::to_string(i) + ".");
      read_table(row, "", inner);
      finish(row, inner);
      slot.rows.push_back(std::move(inner));
    }
  }

  static void mark(TomlValue& value, int override_number) {
    value.override_number = override_number;
    for (TomlValue& item : value.items) mark(item, override_number);
  }

  /// Defaults, and what is missing in `table`.
  void finish(const TomlValue& table, Case& into) {
    for (const CaseKey& key : into.schema_->keys()) {
      const auto [at, fresh] = into.slots_.try_emplace(key.name());
      if (!fresh) continue;
      at->second.value = key.fallback();
      at->second.where = file_.string();
      if (key.type() == KeyType::path && key.has_default()) resolve_default(key, at->second);
      if (key.is_required()) report_missing(key, table, into);
    }
  }

  /// Two of cells, spacing and size say the third.
  void complete_grid(const TomlValue& table, Case& into) {
    if (!schema_->find("grid.size")) return;
    Case::Slot &cells = into.slots_["grid.cells"], &spacing = into.slots_["grid.spacing"],
               &size = into.slots_["grid.size"], &origin = into.slots_["grid.origin"];
    if (cells.given && spacing.given && size.given) {  // the command line has the last word
      if (cells.typed && spacing.typed && !size.typed) {
        size = {};
      } else if (cells.typed && !spacing.typed) {
        spacing.given = false;
      } else if (!cells.typed && (spacing.typed || size.typed)) {
        cells.given = false;
      }
    }
    if (!size.given) {
      if (!cells.given) report_missing(*schema_->find("grid.cells"), table, into);
      return;
    }
    if (!problems_.empty()) return;
    GridKeys grid;
    if (cells.given) grid.cells = into.integer3("grid.cells");
    if (spacing.given) grid.spacing = into.real3("grid.spacing");
    grid.size = into.real3("grid.size");
    grid.origin = into.real3("grid.origin");
    grid.layers = schema_->layers_of(into);
    if (const auto wrong = complete(grid)) {
      problems_.add_about(size.where, wrong->problem, wrong->why, wrong->suggestion);
      return;
    }
    const auto list = [](const auto& three) { return std::vector(three.begin(), three.end()); };
    cells.value = list(*grid.cells);
    spacing.value = list(*grid.spacing);
    origin.written = std::exchange(origin.value, list(grid.origin));
    for (Case::Slot* slot : {&cells, &spacing}) {
      if (!slot->given) slot->where = size.where;
    }
  }

  void resolve_default(const CaseKey& key, Case::Slot& slot) const {
    TomlValue value;
    value.kind = Kind::text;
    value.text = std::get<std::string>(key.fallback());
    std::vector<ValueProblem> ignored;
    slot.value = checked(key, value, key.name(), file_.parent_path(), ignored);
  }

  void report_missing(const CaseKey& key, const TomlValue& table, const Case& in) {
    const std::string problem = "missing key " + in.prefix_ + key.name();
    const std::string unit = key.unit().empty() ? "" : " in " + key.units();
    const std::string line = last_part_of(key.name()) + " = " + key.example();
    const std::string why = (key.doc().empty() ? key.expects() : key.doc()) + unit;
    if (!in.prefix_.empty()) {
      problems_.add(table.where, table.override_number, problem, why, "add " + line);
    } else {
      const std::string section = section_of(key.name());
      problems_.add_missing(
          problem, why,
          "add " + line + (section.empty() ? " at the top" : " under [" + section + "]"));
    }
  }

  std::shared_ptr<const CaseSchema> schema_;
  std::filesystem::path file_;
  CaseOptions options_;
  Problems problems_;
  std::vector<std::string> warnings_;
};

Case parse_case(const CaseSchema& schema, std::string_view text, const std::filesystem::path& file,
                const std::vector<std::string>& overrides, CaseOptions options) {
  return CaseReader(std::make_shared<const CaseSchema>(schema), file, overrides, options)
      .read(text, overrides);
}

Case read_case(const CaseSchema& schema, const std::filesystem::path& file,
               const std::vector<std::string>& overrides, CaseOptions options) {
  return parse_case(schema, read_case_text(file), file, overrides, options);
}

std::string application_of(const std::filesystem::path& file,
                           const std::vector<std::string>& overrides) {
  CaseSchema schema;
  schema.text("app").doc("the application that runs the case");
  for (auto it = overrides.rbegin(); it != overrides.rend(); ++it) {
    if (it->starts_with("app=")) return parse_case(schema, "", file, {*it}).text("app");
  }
  const std::string text = read_case_text(file);
  const TomlDocument document = parse_toml(text);
  const TomlValue* app = document.root.find("app");
  if (app != nullptr && app->kind == Kind::text) return app->text;
  // Let the reader say what is wrong with everything but the keys of the unknown application.
  return parse_case(schema, text, file, {}, {.allow_unused = true}).text("app");
}

std::string read_case_text(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    std::vector<std::string> neighbors;
    const std::string name = file.filename().string() + (file.has_extension() ? "" : ".toml");
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
      if (at->path().extension() == ".toml") neighbors.push_back(at->path().filename().string());
    }
    const std::string near = nearest_name(name, neighbors);
    throw Error(ExitCode::files, "cannot read case file " + file.string(), "no such file",
                near.empty() ? "" : did_you_mean((file.parent_path() / near).string()));
  }
  if (std::filesystem::is_directory(status)) {
    throw Error(ExitCode::files, "cannot read case file " + file.string(), "it is a folder",
                "name a .toml file in it");
  }
  std::ifstream in(file, std::ios::binary);
  std::string text(largest_case_file + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad()) {
    throw Error(ExitCode::files, "cannot read case file " + file.string(),
                std::error_code(errno, std::generic_category()).message());
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace goban
