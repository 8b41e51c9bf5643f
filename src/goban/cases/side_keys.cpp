#include "goban/cases/side_keys.hpp"

#include <algorithm>
#include <map>

#include "goban/io/case/names.hpp"
#include "goban/io/case/time_value.hpp"

namespace goban {
namespace {

BoundaryCondition read_condition(const Case& values, const std::string& key,
                                 const std::string& text, const std::string& unit) {
  const auto blank = text.find(' ');
  const std::string word = text.substr(0, blank);
  if (word == "periodic" || word == "mirror") {
    if (blank != std::string::npos) {
      throw values.error(key, "\"" + text + "\" is refused", word + " takes no value");
    }
    return word == "mirror" ? mirror : periodic;
  }
  const std::map<std::string, BoundaryCondition (*)(const BoundaryNumber&)> valued = {
      {"constant", &constant}, {"wall_value", &wall_value}, {"gradient", &gradient}};
  const auto found = valued.find(word);
  if (found == valued.end()) {
    const std::vector<std::string> words = {"periodic", "mirror", "constant", "wall_value",
                                            "gradient"};
    throw values.error(key, "unknown boundary condition " + word,
                       "the conditions are " + joined(words),
                       did_you_mean(nearest_name(word, words)));
  }
  const TimeQuantity value =
      parse_time_value(blank == std::string::npos ? "" : text.substr(blank + 1),
                       word == "gradient" ? unit + "/m" : unit);
  if (!value.value) {
    throw values.error(key, "\"" + text + "\" is refused", value.why,
                       "write for example \"" + word + " 300\"");
  }
  return found->second(value.value->varies() ? BoundaryNumber(*value.value)
                                             : BoundaryNumber(value.value->at(0)));
}

}  // namespace

void check_periodic(const Case& values, const std::string& key) {
  const auto& sides = values.texts(key);
  if ((sides[0] == "periodic") != (sides[1] == "periodic")) {
    throw values.error(key, "one side alone is periodic", "what leaves must enter somewhere",
                       "make both sides periodic or none");
  }
}

std::string key_of_sides(std::size_t axis) { return std::string("boundary.") + "xyz"[axis]; }

void declare_sides(CaseSchema& schema, const std::string& doc, bool may_vary) {
  for (std::size_t a = 0; a < 3; ++a) {
    CaseKey& key = schema.texts(key_of_sides(a), std::vector<std::string>{"periodic", "periodic"})
                       .length(2)
                       .or_one_for_all()
                       .doc(doc);
    if (may_vary) key.may_vary();
  }
}

Sides<std::size_t> read_side_words(const Case& values, const std::vector<std::string>& words) {
  Sides<std::size_t> sides;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string key = key_of_sides(a);
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string& word = values.texts(key)[side];
      const auto found = std::find(words.begin(), words.end(), word);
      if (found == words.end()) {
        throw values.error(key, "unknown boundary condition " + word,
                           "the conditions are " + joined(words),
                           did_you_mean(nearest_name(word, words)));
      }
      sides[a][side] = static_cast<std::size_t>(found - words.begin());
    }
    check_periodic(values, key);
  }
  return sides;
}

std::array<BoundaryCondition, 2> read_conditions(const Case& values, const std::string& key,
                                                 const std::string& unit) {
  check_periodic(values, key);
  const auto& texts = values.texts(key);
  return {read_condition(values, key, texts[0], unit), read_condition(values, key, texts[1], unit)};
}

}  // namespace goban
