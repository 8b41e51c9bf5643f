#include "life/step.hpp"

#include "goban/goban.hpp"
#include "life/stencils.hpp"

namespace goban::life {

template <class Layout>
Generation<Layout>::Generation(Grid& grid, const Model& model)
    : cells(grid, "cells"), next_(grid, "next"), rule_(model.rule) {
  const Index3 extents = grid.cells();
  // Lists of cells are short beside the grid: the soup first, then these alone.
  Model soup = model;
  soup.cells.clear();
  cells.fill([&](Index3 cell) { return soup.is_alive(cell, extents) ? 1 : 0; });
  for (const Index3& cell : model.cells) cells.set(cell, 1);
}

template <class Layout>
Program Generation<Layout>::program() const {
  Program step("life");
  if (rule_.is_of_ranges()) {
    step.apply(LiveInRanges::with(rule_), in(cells), out(next_));
  } else {
    step.apply(LiveByCounts{rule_.survive, rule_.birth}, in(cells), out(next_));
  }
  step.swap(cells, next_);
  return step;
}

template class Generation<ijk>;
template class Generation<kij>;

std::uint64_t fnv1a(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t hash = 1469598103934665603u;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 1099511628211u;
  return hash;
}

}  // namespace goban::life
