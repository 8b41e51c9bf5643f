#pragma once
// What a case of the 3-D Game of Life is made of: the rule and what lives at the beginning.

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/io/image/image_source.hpp"

namespace goban::life {

/// Which numbers of live neighbours (of 26) keep a cell alive or bring one to life. Bit n stands
/// for n neighbours.
struct Rule {
  std::uint32_t survive = 0;
  std::uint32_t birth = 0;

  bool operator==(const Rule&) const = default;
  /// Whether both sets are ranges without gaps, so that two comparisons decide.
  bool is_of_ranges() const;
};

/// Lowest and highest count of a set without gaps; {1, 0} for the empty set.
struct CountRange {
  int low = 1, high = 0;
};
CountRange range_of(std::uint32_t counts);
std::uint32_t counts_between(int low, int high);

/// Bays' notation (Complex Systems 1 (1987) 373): four digits E_l E_u F_l F_u, a cell survives with
/// E_l ... E_u live neighbours and is born with F_l ... F_u. The rule of the ghost-expansion paper
/// is 2755. Error (ExitCode::usage): not four digits, a low end above its high end.
Rule bays_rule(const std::string& digits);

struct Model {
  Rule rule;
  std::uint32_t density = 0;           ///< percent of a random soup; 0: none
  std::uint64_t seed = 1;              ///< seed of the soup
  std::set<Index3> cells;              ///< alive at the beginning, besides the soup
  std::shared_ptr<ImageSource> image;  ///< nonzero: alive as well
  bool periodic = true;

  /// Whether a cell of a grid of this size is alive at the beginning, the image aside. Soups are
  /// those of the reference file gol3d_reference.csv: splitmix64(x + nx (y + ny z) + 1000003 seed)
  /// % 100 < density.
  bool is_alive(Index3 cell, Index3 extents) const;
};

/// Cells of a named pattern, from (0, 0, 0) on: "plus", "plus2d", "plate", "cube", "cube3",
/// "tromino", "block", "oscillator2". Error (ExitCode::usage): another name.
std::vector<Index3> pattern(const std::string& name);
const std::vector<std::string>& pattern_names();

}  // namespace goban::life
