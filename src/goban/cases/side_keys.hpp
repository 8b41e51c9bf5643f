#pragma once
// The sides of a grid as lists of two texts in a case file, ["inflow", "outflow"].

#include <array>
#include <map>
#include <string>

#include "goban/boundary/boundary.hpp"
#include "goban/io/case_file.hpp"

namespace goban {

/// Low and high side of x, y, z.
template <class Word>
using Sides = std::array<std::array<Word, 2>, 3>;

/// Error: the two texts of this key disagree about periodic.
void check_periodic(const Case& values, const std::string& key);
/// The texts of <prefix>x, <prefix>y, <prefix>z. Errors: a word that is none of `words`; one side
/// alone that is periodic.
Sides<std::string> read_side_words(const Case& values, const std::string& prefix,
                                   const std::vector<std::string>& words);

/// What the words stand for.
template <class Word>
Sides<Word> read_sides(const Case& values, const std::string& prefix,
                       const std::map<std::string, Word>& names) {
  std::vector<std::string> words;
  for (const auto& [name, word] : names) words.push_back(name);
  const auto texts = read_side_words(values, prefix, words);
  Sides<Word> sides;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t side = 0; side < 2; ++side) sides[a][side] = names.at(texts[a][side]);
  }
  return sides;
}

/// The two texts of a key as conditions, "periodic", "mirror", "constant 300", "wall_value 300 K",
/// "gradient -2 K/m", whose numbers may be expressions of t; `unit` is that of what has them.
/// Errors: words that are none of these; one side alone that is periodic.
std::array<BoundaryCondition, 2> read_conditions(const Case& values, const std::string& key,
                                                 const std::string& unit);

}  // namespace goban
