#include "goban/io/case/file.hpp"

#include <algorithm>
#include <stdexcept>

#include "goban/io/case/names.hpp"

namespace goban {

const Case::Slot& Case::slot(const std::string& key) const {
  const auto at = slots_.find(key);
  if (at == slots_.end()) {
    throw std::logic_error("the application asks for case key " + prefix_ + key +
                           " (not declared in its schema); " +
                           did_you_mean(nearest_key(key, schema_->key_names())));
  }
  return at->second;
}

namespace {

/// The call that declares a key of this type and the one that reads it have one name.
const char* name_of(KeyType type) {
  switch (type) {
    case KeyType::boolean: return "boolean";
    case KeyType::integer: return "integer";
    case KeyType::real: return "real";
    case KeyType::text: return "text";
    case KeyType::choice: return "choice";
    case KeyType::path: return "path";
    case KeyType::integers: return "integers";
    case KeyType::reals: return "reals";
    case KeyType::texts: return "texts";
    default: return "tables";
  }
}

}  // namespace

template <class T>
const T& Case::as(const std::string& key, std::initializer_list<KeyType> types) const {
  const Slot& found = slot(key);
  const KeyType type = schema_->find(key)->type();
  const std::string mistake =
      "the application reads case key " + prefix_ + key + " by " + name_of(*types.begin()) + "()";
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    throw std::logic_error(mistake + " (it is declared by " + name_of(type) + "()); read it by " +
                           (type == KeyType::tables ? "list" : name_of(type)) + "()");
  }
  const T* value = std::get_if<T>(&found.value);
  if (value == nullptr) {
    const auto* word = std::get_if<std::string>(&found.value);
    throw std::logic_error(mistake + (word ? " (it is \"" + *word + "\"); ask word() first"
                                           : " (it has no value); ask has() first"));
  }
  return *value;
}

bool Case::has(const std::string& key) const {
  const Slot& found = slot(key);
  return found.value.index() != 0 || !found.rows.empty();
}

bool Case::given(const std::string& key) const { return slot(key).given; }

bool Case::boolean(const std::string& key) const { return as<bool>(key, {KeyType::boolean}); }

Index Case::integer(const std::string& key) const { return as<Index>(key, {KeyType::integer}); }

double Case::real(const std::string& key) const { return as<double>(key, {KeyType::real}); }

const std::string& Case::unit(const std::string& key) const { return slot(key).unit; }

void Case::read_into(const std::type_info& type, void* record) const {
  for (const CaseKey& key : schema_->keys()) {
    const Slot& slot = slots_.at(key.name());
    if (!key.is_of(type) || !slot.given) continue;
    try {
      key.assign(record, slot.value);
    } catch (const members::NumberTooLarge&) {
      throw error(key.name(), prefix_ + key.name() + " is out of range", "the number is too large");
    }
  }
}

const std::string& Case::text(const std::string& key) const {
  return as<std::string>(key, {KeyType::text, KeyType::choice, KeyType::path});
}

const std::string& Case::choice(const std::string& key) const {
  return as<std::string>(key, {KeyType::choice});
}

std::filesystem::path Case::path(const std::string& key) const {
  return as<std::string>(key, {KeyType::path});
}

const std::vector<Index>& Case::integers(const std::string& key) const {
  return as<std::vector<Index>>(key, {KeyType::integers});
}

const std::vector<double>& Case::reals(const std::string& key) const {
  return as<std::vector<double>>(key, {KeyType::reals});
}

const std::vector<std::string>& Case::texts(const std::string& key) const {
  return as<std::vector<std::string>>(key, {KeyType::texts});
}

Index3 Case::integer3(const std::string& key) const {
  const auto& values = integers(key);
  if (values.size() != 3) throw std::logic_error("case key " + key + " is not of length 3");
  return {values[0], values[1], values[2]};
}

Real3 Case::real3(const std::string& key) const {
  const auto& values = reals(key);
  if (values.size() != 3) throw std::logic_error("case key " + key + " is not of length 3");
  return {values[0], values[1], values[2]};
}

std::string Case::word(const std::string& key) const {
  const CaseKey* declared = (slot(key), schema_->find(key));
  const auto* text = std::get_if<std::string>(&value(key));
  return text != nullptr && !declared->words().empty() ? *text : "";
}

void Case::warn(const std::string& line) const {
  if (std::find(warnings_->begin(), warnings_->end(), line) == warnings_->end()) {
    warnings_->push_back(line);
  }
}

const std::vector<Case>& Case::list(const std::string& key) const { return slot(key).rows; }

Error Case::error(const std::string& key, const std::string& problem, const std::string& why,
                  const std::string& suggestion) const {
  return Error(ExitCode::usage, slot(key).where + ": " + problem, why, suggestion);
}

const CaseValue& Case::value(const std::string& key) const { return slot(key).value; }

const CaseValue& Case::written(const std::string& key) const {
  const Slot& found = slot(key);
  return found.written.index() != 0 ? found.written : found.value;
}

}  // namespace goban
