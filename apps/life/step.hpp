#pragma once
// One generation.

#include "goban/program/program.hpp"
#include "life/model.hpp"

namespace goban::life {

/// Fields and program of a generation: next = rule(cells); swap.
template <class Layout>
class Generation {
 public:
  /// Declares the fields and sets `cells` to the first generation.
  Generation(Grid& grid, const Model& model);

  Program program() const;

  Field<std::uint8_t, 1, Layout> cells;  ///< 1 alive, 0 dead

 private:
  Field<std::uint8_t, 1, Layout> next_;
  Rule rule_;
};

/// 64-bit FNV-1a over the bytes of all cells, x fastest: the hash of gol3d_reference.csv.
/// Collective; a byte at a time on the first rank.
template <class Layout>
std::uint64_t fnv1a(const Field<std::uint8_t, 1, Layout>& cells);

}  // namespace goban::life
