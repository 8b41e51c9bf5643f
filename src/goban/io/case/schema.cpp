#include "goban/io/case/schema.hpp"

#include <algorithm>
#include <stdexcept>

#include "goban/io/case/names.hpp"
#include "goban/io/case/text.hpp"

namespace goban {
namespace {

/// "a list of 3 integers", "a list of numbers", "a list of at least 2 texts".
std::string list_phrase(const CaseKey& key, const std::string& what) {
  const bool open = key.longest() == std::numeric_limits<std::size_t>::max();
  if (open && key.shortest() == 0) return "a list of " + what;
  if (open) return "a list of at least " + std::to_string(key.shortest()) + " " + what;
  if (key.shortest() == key.longest()) {
    return "a list of " + std::to_string(key.shortest()) + " " + what;
  }
  return "a list of " + std::to_string(key.shortest()) + " to " + std::to_string(key.longest()) +
         " " + what;
}

}  // namespace

std::string KeyRange::describe() const {
  const double infinity = std::numeric_limits<double>::infinity();
  std::string line;
  if (low == 0 && low_open) {
    line = "positive";
  } else if (low != -infinity) {
    line = (low_open ? "more than " : "at least ") + plain_number(low);
  }
  if (high != infinity) {
    line += line.empty() ? "" : " and ";
    line += (high_open ? "less than " : "at most ") + plain_number(high);
  }
  return line;
}

CaseKey::CaseKey(std::string name, KeyType type, CaseValue fallback)
    : name_(std::move(name)), type_(type), fallback_(std::move(fallback)) {}

CaseKey& CaseKey::may_vary() {
  may_vary_ = true;
  return *this;
}
CaseKey& CaseKey::optional() {
  optional_ = true;
  fallback_ = {};
  return *this;
}
CaseKey& CaseKey::length(std::size_t shortest, std::size_t longest) {
  shortest_ = shortest;
  longest_ = longest;
  return *this;
}

CaseKey& CaseKey::or_words(std::vector<std::string> words) {
  words_ = std::move(words);
  if (!has_default()) fallback_ = words_.front();
  return *this;
}

CaseKey& CaseKey::or_auto() {
  words_.emplace_back("auto");
  fallback_ = words_.back();
  return *this;
}

CaseKey& CaseKey::or_word(const std::string& word, double number) {
  words_.push_back(word);
  numbers_[word] = number;
  return *this;
}

void CaseKey::assign(void* record, const CaseValue& value) const {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || std::find(words_.begin(), words_.end(), *text) == words_.end()) {
    return assign_(record, value, unit_);
  }
  const auto number = numbers_.find(*text);
  if (number == numbers_.end()) return;
  if (type_ == KeyType::real) return assign_(record, number->second, unit_);
  assign_(record, static_cast<Index>(number->second), unit_);
}

std::string CaseKey::units() const {
  std::string line = unit_;
  for (const std::string& other : other_units_) line += " or " + other;
  return line;
}

bool CaseKey::is_number() const {
  return type_ == KeyType::integer || type_ == KeyType::real || type_ == KeyType::integers ||
         type_ == KeyType::reals;
}

std::string CaseKey::expects() const {
  std::string line;
  switch (type_) {
    case KeyType::boolean: line = "true or false"; break;
    case KeyType::integer: line = "an integer"; break;
    case KeyType::real: line = "a number"; break;
    case KeyType::text: line = "a text"; break;
    case KeyType::choice: line = "one of " + joined(choices_); break;
    case KeyType::path: line = "the name of a file"; break;
    case KeyType::integers: line = list_phrase(*this, "integers"); break;
    case KeyType::reals: line = list_phrase(*this, "numbers"); break;
    case KeyType::texts: line = list_phrase(*this, "texts"); break;
    case KeyType::tables: line = "a list of sections"; break;
  }
  if (may_vary_ && is_number()) line += " or an expression of t";
  for (std::size_t i = 0; i < words_.size(); ++i) {
    line += (i + 1 == words_.size() ? " or \"" : ", \"") + words_[i] + "\"";
  }
  return line;
}

std::string CaseKey::allowed() const {
  const std::string range = range_.describe();
  return expects() + (range.empty() ? "" : ", " + range);
}

std::string CaseKey::values() const {
  if (!values_.empty()) return values_;
  std::string line = type_ == KeyType::choice ? "" : is_number() ? "N" : "TEXT";
  for (const auto* words : {&choices_, &words_}) {
    for (const std::string& word : *words) line += (line.empty() ? "" : "|") + word;
  }
  return line;
}

std::string CaseKey::example() const {
  if (has_default()) return toml_text(fallback_);
  const auto list = [&](const std::string& entry) {
    std::string line = "[";
    const std::size_t count =
        longest_ < 10 ? std::max<std::size_t>(shortest_, 1) : std::max<std::size_t>(shortest_, 2);
    for (std::size_t i = 0; i < count; ++i) line += (i == 0 ? "" : ", ") + entry;
    return line + "]";
  };
  const std::string number = range_.contains(1) ? "1" : plain_number(range_.low);
  switch (type_) {
    case KeyType::boolean: return "true";
    case KeyType::integer: return number;
    case KeyType::real: return number == "1" ? "1.0" : number;
    case KeyType::text: return "\"text\"";
    case KeyType::choice: return "\"" + choices_.front() + "\"";
    case KeyType::path: return "\"folder/file\"";
    case KeyType::integers: return list(number);
    case KeyType::reals: return list(number == "1" ? "1.0" : number);
    case KeyType::texts: return list("\"text\"");
    default: return "[[" + name_ + "]]";
  }
}

CaseKey& CaseSchema::add(std::string name, KeyType type, CaseValue fallback) {
  if (find(name) != nullptr) throw std::logic_error("case key " + name + " is declared twice");
  return keys_.emplace_back(std::move(name), type, std::move(fallback));
}

CaseKey& CaseSchema::choice(std::string name, std::vector<std::string> choices,
                            std::optional<std::string> fallback) {
  if (fallback && std::find(choices.begin(), choices.end(), *fallback) == choices.end()) {
    throw std::logic_error("the default of case key " + name + " is not among its choices");
  }
  CaseKey& key = add(std::move(name), KeyType::choice, value_or_none(std::move(fallback)));
  key.choices_ = std::move(choices);
  return key;
}
CaseSchema& CaseSchema::tables(std::string name, std::string doc) {
  CaseKey& key = add(std::move(name), KeyType::tables, {});
  key.doc(std::move(doc));
  key.rows_ = std::make_shared<CaseSchema>();
  return *key.rows_;
}

const CaseKey* CaseSchema::find(const std::string& name) const {
  const auto at = std::find_if(keys_.begin(), keys_.end(),
                               [&](const CaseKey& key) { return key.name() == name; });
  return at == keys_.end() ? nullptr : &*at;
}

bool CaseSchema::has_section(const std::string& name) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [&](const CaseKey& key) { return key.name().starts_with(name + "."); });
}

const std::string& CaseSchema::section_doc(const std::string& name) const {
  static const std::string none;
  for (const auto& [section, doc] : section_docs_) {
    if (section == name) return doc;
  }
  return none;
}

std::vector<std::string> CaseSchema::key_names() const {
  std::vector<std::string> names;
  for (const CaseKey& key : keys_) {
    names.push_back(key.name());
    if (key.rows() == nullptr) continue;
    for (const std::string& inner : key.rows()->key_names()) {
      names.push_back(key.name() + ".N." + inner);
    }
  }
  return names;
}

std::vector<std::string> CaseSchema::section_names() const {
  std::vector<std::string> names;
  const auto note = [&](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  };
  for (const CaseKey& key : keys_) {
    note(section_of(key.name()));
    if (key.type() == KeyType::tables) note(key.name());
  }
  return names;
}

std::string section_of(const std::string& name) {
  const auto dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

std::string last_part_of(const std::string& name) { return name.substr(name.rfind('.') + 1); }

}  // namespace goban
