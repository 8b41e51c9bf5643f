#include "goban/cases/side_keys.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "goban/io/case/names.hpp"
#include "goban/io/case/time_value.hpp"
#include "goban/io/case/units.hpp"

namespace goban {
namespace {

/// "pressure 2 Pa": the word and what follows it.
std::pair<std::string, std::string> word_and_number(const std::string& text) {
  const auto blank = text.find(' ');
  if (blank == std::string::npos) return {text, ""};
  return {text.substr(0, blank), text.substr(blank + 1)};
}

[[noreturn]] void refuse_word(const Case& values, const std::string& key, const std::string& word,
                              const std::vector<std::string>& words) {
  throw values.error(key, "unknown boundary condition " + word,
                     "the conditions are " + joined(words),
                     did_you_mean(nearest_name(word, words)));
}

void refuse_number(const Case& values, const std::string& key, const std::string& text) {
  const auto [word, number] = word_and_number(text);
  if (!number.empty()) {
    throw values.error(key, "\"" + text + "\" is refused", word + " takes no value");
  }
}

TimeValue number_behind(const Case& values, const std::string& key, const std::string& text,
                        const std::string& unit) {
  const auto [word, number] = word_and_number(text);
  const TimeQuantity value = parse_time_value(number, unit);
  if (!value.value) {
    throw values.error(key, "\"" + text + "\" is refused", value.why,
                       "write for example \"" + word + " 300\"");
  }
  return *value.value;
}

BoundaryNumber number_of(const TimeValue& value) {
  return value.varies() ? BoundaryNumber(value) : BoundaryNumber(value.at(0));
}

/// "25 W/(m2 K) 300 K": blanks stand within units, too.
BoundaryCondition read_convection(const Case& values, const std::string& key,
                                  const std::string& text, double& coefficient) {
  for (auto blank = text.find(' '); blank != std::string::npos; blank = text.find(' ', blank + 1)) {
    const Quantity transfer = parse_quantity(text.substr(0, blank), "W/(m2 K)");
    const TimeQuantity fluid = parse_time_value(text.substr(blank + 1), "K");
    if (!transfer.value || !fluid.value || !(*transfer.value > 0)) continue;
    coefficient = *transfer.value;
    return wall_value(number_of(*fluid.value));
  }
  throw values.error(key, "\"convection " + text + "\" is refused",
                     "a heat transfer coefficient and the temperature of the fluid are expected",
                     "write for example \"convection 25 W/(m2 K) 300 K\"");
}

/// `convection`: null where there is none.
BoundaryCondition read_condition(const Case& values, const std::string& key,
                                 const std::string& text, const std::string& unit,
                                 double* convection) {
  const auto [word, rest] = word_and_number(text);
  if (word == "periodic" || word == "mirror") {
    refuse_number(values, key, text);
    return word == "mirror" ? mirror : periodic;
  }
  if (word == "convection" && convection) return read_convection(values, key, rest, *convection);
  const std::map<std::string, BoundaryCondition (*)(const BoundaryNumber&)> valued = {
      {"constant", &constant}, {"wall_value", &wall_value}, {"gradient", &gradient}};
  const auto found = valued.find(word);
  if (found == valued.end()) {
    std::vector<std::string> words = {"periodic", "mirror", "constant", "wall_value", "gradient"};
    if (convection) words.emplace_back("convection");
    refuse_word(values, key, word, words);
  }
  return found->second(
      number_of(number_behind(values, key, text, word == "gradient" ? unit + "/m" : unit)));
}

}  // namespace

void check_periodic(const Case& values, const std::string& key) {
  const auto& sides = values.texts(key);
  if ((sides[0] == "periodic") != (sides[1] == "periodic")) {
    throw values.error(key, "one side alone is periodic", "what leaves must enter somewhere",
                       "make both sides periodic or none");
  }
}

std::string word_of_side(const std::string& text) { return word_and_number(text).first; }

std::string key_of_sides(std::size_t axis) { return std::string("boundary.") + "xyz"[axis]; }

void declare_sides(CaseSchema& schema, const std::string& doc, bool may_vary, std::size_t axes) {
  for (std::size_t a = 0; a < axes; ++a) {
    CaseKey& key = schema.texts(key_of_sides(a), std::vector<std::string>{"periodic", "periodic"})
                       .length(2)
                       .or_one_for_all()
                       .doc(doc);
    if (may_vary) key.may_vary();
  }
}

Sides<std::size_t> read_side_words(const Case& values, const std::vector<std::string>& words,
                                   const std::vector<std::string>& valued) {
  Sides<std::size_t> sides{};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string key = key_of_sides(a);
    if (values.schema().find(key) == nullptr) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string& text = values.texts(key)[side];
      const std::string word = word_and_number(text).first;
      const auto found = std::find(words.begin(), words.end(), word);
      if (found == words.end()) refuse_word(values, key, word, words);
      if (std::find(valued.begin(), valued.end(), word) == valued.end()) {
        refuse_number(values, key, text);
      }
      sides[a][side] = static_cast<std::size_t>(found - words.begin());
    }
    check_periodic(values, key);
  }
  return sides;
}

std::optional<TimeValue> read_side_number(const Case& values, std::size_t axis, std::size_t side,
                                          const std::string& unit) {
  const std::string key = key_of_sides(axis);
  const std::string& text = values.texts(key)[side];
  if (word_and_number(text).second.empty()) return {};
  return number_behind(values, key, text, unit);
}

Sides<TimeValue> read_side_numbers(const Case& values, const std::string& word,
                                   const std::string& unit) {
  Sides<TimeValue> numbers;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string key = key_of_sides(a);
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string& text = values.texts(key)[side];
      if (word_of_side(text) == word) numbers[a][side] = number_behind(values, key, text, unit);
    }
  }
  return numbers;
}

Real3 periods(const Case& values) {
  const Index3 cells = values.integer3("grid.cells");
  const Real3 spacing = values.real3("grid.spacing");
  Real3 all{};
  for (std::size_t a = 0; a < 3; ++a) {
    const bool wraps = values.texts(key_of_sides(a))[0] == "periodic";
    if (wraps) all[a] = static_cast<double>(cells[a]) * spacing[a];
  }
  return all;
}

std::array<BoundaryCondition, 2> read_conditions(const Case& values, const std::string& key,
                                                 const std::string& unit,
                                                 std::array<double, 2>* convection) {
  check_periodic(values, key);
  const auto& texts = values.texts(key);
  const auto read = [&](std::size_t side) {
    return read_condition(values, key, texts[side], unit,
                          convection ? &(*convection)[side] : nullptr);
  };
  return {read(0), read(1)};
}

}  // namespace goban
