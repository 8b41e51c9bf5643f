#include "life/step.hpp"

#include <span>

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
  ImageWindow image(model.image);
  const auto value = [&](Index3 cell) {
    return soup.is_alive(cell, extents) || (image && image.at(cell) != 0) ? 1 : 0;
  };
  cells.fill(value, image.prepare());
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

template <class Layout>
std::uint64_t fnv1a(const Field<std::uint8_t, 1, Layout>& cells) {
  constexpr Index bytes_at_a_time = Index{4} << 20;
  Communicator& ranks = *cells.grid()->context->communicator();
  std::uint64_t hash = 1469598103934665603u;
  for (const Box& box : blocks_of(cells.grid()->cells, 1, bytes_at_a_time)) {
    for (const std::uint8_t byte : cells.copy_out(ranks.rank() == 0 ? box : Box{})) {
      hash = (hash ^ byte) * 1099511628211u;
    }
  }
  ranks.broadcast(std::as_writable_bytes(std::span(&hash, 1)), 0);
  return hash;
}

template std::uint64_t fnv1a(const Field<std::uint8_t, 1, ijk>&);
template std::uint64_t fnv1a(const Field<std::uint8_t, 1, kij>&);

}  // namespace goban::life
