#pragma once
// The sides of a grid as lists of two texts in a case file, ["inflow", "outflow"].

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "goban/base/named.hpp"
#include "goban/boundary/boundary.hpp"
#include "goban/io/case/file.hpp"
#include "goban/io/case/time_value.hpp"

namespace goban {

/// Low and high side of x, y, z.
template <class Word>
using Sides = std::array<std::array<Word, 2>, 3>;

/// Error: the two texts of this key disagree about periodic.
void check_periodic(const Case& values, const std::string& key);
/// Declares boundary.x, boundary.y and boundary.z, or the first of them: texts of two sides, or one
/// for both; periodic if not given.
void declare_sides(CaseSchema& schema, const std::string& doc, bool may_vary = false,
                   std::size_t axes = 3);
/// "boundary.x".
std::string key_of_sides(std::size_t axis);
/// "pressure" of "pressure 2 Pa".
std::string word_of_side(const std::string& text);
/// The words of boundary.x, boundary.y, boundary.z by their place among these, 0 of a key that is
/// not declared. Errors: a word that is none of them; one side alone that is periodic; a number
/// behind another word than those that are `valued`.
Sides<std::size_t> read_side_words(const Case& values, const std::vector<std::string>& words,
                                   const std::vector<std::string>& valued = {});
/// The number, or expression of t, behind the word of a side; none if there is none.
std::optional<TimeValue> read_side_number(const Case& values, std::size_t axis, std::size_t side,
                                          const std::string& unit);
/// The numbers, or expressions of t, behind this word; 0 at other sides. Error: there is none.
Sides<TimeValue> read_side_numbers(const Case& values, const std::string& word,
                                   const std::string& unit);

/// What the words stand for; behind those that are `valued` a number may follow.
template <class Word, std::size_t n>
Sides<Word> read_sides(const Case& values, const Named<Word> (&names)[n],
                       const std::vector<std::string>& valued = {}) {
  std::vector<std::string> words;
  for (const auto& name : names) words.emplace_back(name.name);
  const auto numbers = read_side_words(values, words, valued);
  Sides<Word> sides;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) sides[a][side] = names[numbers[a][side]].value;
  }
  return sides;
}

/// The length of the grid along axes whose sides are periodic, m; 0 along the others.
Real3 periods(const Case& values);

/// Neither side of an axis is periodic or Word::inflow.
template <class Word>
bool is_parabola_along(const Sides<Word>& sides, std::size_t axis) {
  const auto& [low, high] = sides[axis];
  return low != Word::periodic && low != Word::inflow && high != Word::inflow;
}

/// What flows through a channel: 1 in the middle, a parabola along every axis that has sides for
/// it. `s`: place between the two sides of each axis, 0 to 1.
template <class Word>
double parabola_between(const Sides<Word>& sides, const Real3& s) {
  double value = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    if (is_parabola_along(sides, a)) value *= std::max(0.0, 4 * s[a] * (1 - s[a]));
  }
  return value;
}

/// Conditions of a field: condition(axis, word) where sides are not Word::periodic.
template <class Word, class Condition>
BoundarySet conditions_at(const Sides<Word>& sides, const Condition& condition) {
  BoundarySet all;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) {
      const Word word = sides[a][side];
      all.sides[a][side] = word == Word::periodic ? periodic : condition(a, word);
    }
  }
  return all;
}

/// The two texts of a key as conditions, "periodic", "mirror", "constant 300", "wall_value 300 K",
/// "gradient -2 K/m", whose numbers may be expressions of t; `unit` is that of what has them.
/// With `convection`, of temperatures, "convection 25 W/(m2 K) 300 K", too: the wall_value of the
/// fluid, its heat transfer coefficient there, 0 for all others.
/// Errors: words that are none of these; one side alone that is periodic.
std::array<BoundaryCondition, 2> read_conditions(const Case& values, const std::string& key,
                                                 const std::string& unit,
                                                 std::array<double, 2>* convection = nullptr);

}  // namespace goban
