#include "goban/grid/decomposition.hpp"

#include <algorithm>
#include <sstream>

#include "goban/base/error.hpp"

namespace goban {
namespace {

/// Numbers in a box of n run x fastest.
Index number_in(Index3 n, Index3 c) { return c[0] + n[0] * (c[1] + n[1] * c[2]); }

Index3 at_number(Index3 n, Index number) {
  return {number % n[0], number / n[0] % n[1], number / (n[0] * n[1])};
}

}  // namespace

Index3 Decomposition::coordinates(int patch) const { return at_number(process_grid(), patch); }

int Decomposition::at(Index3 c) const { return static_cast<int>(number_in(process_grid(), c)); }

Box Decomposition::owned(int patch) const {
  const Index3 c = coordinates(patch);
  Box box;
  for (int a = 0; a < 3; ++a) {
    box.lower[a] = cuts[a][static_cast<std::size_t>(c[a])];
    box.upper[a] = cuts[a][static_cast<std::size_t>(c[a]) + 1];
  }
  return box;
}

Index Decomposition::extent(int axis, Index n) const {
  const auto& all = cuts[static_cast<std::size_t>(axis)];
  return all[static_cast<std::size_t>(n) + 1] - all[static_cast<std::size_t>(n)];
}

Index Decomposition::smallest(int axis) const {
  Index least = extent(axis, 0);
  for (Index n = 1; n < process_grid()[axis]; ++n) least = std::min(least, extent(axis, n));
  return least;
}

int Decomposition::rank_of(int patch) const {
  const Index3 c = coordinates(patch), n = process_grid();
  Index3 r;
  for (int a = 0; a < 3; ++a) r[a] = c[a] * ranks[a] / n[a];
  const Index3& block = ranks_of_machine;
  Index3 machine, machines, within;
  for (int a = 0; a < 3; ++a) {
    machine[a] = r[a] / block[a];
    within[a] = r[a] % block[a];
    machines[a] = ranks[a] / block[a];
  }
  const Index place = number_in(machines, machine) * product(block) + number_in(block, within);
  return order ? order->rank_at[static_cast<std::size_t>(place)] : static_cast<int>(place);
}

Box Decomposition::block_of(int rank) const {
  const Index place = order ? order->place_of[static_cast<std::size_t>(rank)] : rank;
  if (place >= product(ranks)) return {};
  Index3 machines;
  for (int a = 0; a < 3; ++a) machines[a] = ranks[a] / ranks_of_machine[a];
  const Index each = product(ranks_of_machine);
  const Index3 machine = at_number(machines, place / each);
  const Index3 within = at_number(ranks_of_machine, place % each);
  Index3 me;
  for (int a = 0; a < 3; ++a) me[a] = machine[a] * ranks_of_machine[a] + within[a];
  const Index3 n = process_grid();
  // Patches c with c * ranks / n == me.
  Box block;
  for (int a = 0; a < 3; ++a) {
    block.lower[a] = (me[a] * n[a] + ranks[a] - 1) / ranks[a];
    block.upper[a] = ((me[a] + 1) * n[a] + ranks[a] - 1) / ranks[a];
  }
  return block;
}

Box Decomposition::owned_by(int rank) const {
  const Box block = block_of(rank);
  if (block.empty()) return {};
  return hull(owned(at(block.lower)), owned(at(block.upper - Index3{1, 1, 1})));
}

bool is_cut_alike(const Decomposition& a, const Decomposition& b) {
  return a.cuts == b.cuts && a.ranks == b.ranks && a.ranks_of_machine == b.ranks_of_machine &&
         a.order == b.order;
}

Decomposition cut_evenly(Index3 cells, Index3 pieces) {
  Decomposition d;
  for (int a = 0; a < 3; ++a) {
    require(pieces[a] > 0 && pieces[a] <= cells[a],
            "cannot cut " + std::to_string(cells[a]) + " cells into " + std::to_string(pieces[a]) +
                " pieces",
            std::string("axis ") + "xyz"[a], "choose fewer patches");
    for (Index i = 0; i <= pieces[a]; ++i) d.cuts[a].push_back(cells[a] * i / pieces[a]);
  }
  return d;
}

Decomposition cut_explicitly(Index3 cells, const std::array<std::string, 3>& extents) {
  Decomposition d;
  for (int a = 0; a < 3; ++a) {
    d.cuts[a].push_back(0);
    std::istringstream text(extents[a]);
    std::string piece;
    while (std::getline(text, piece, ',')) {
      Index n = 0;
      char rest = 0;
      std::istringstream number(piece);
      require(number >> n && n > 0 && !(number >> rest), "cut '" + extents[a] + "' is refused",
              "every extent must be a positive number");
      d.cuts[a].push_back(d.cuts[a].back() + n);
    }
    if (extents[a].empty()) d.cuts[a].push_back(cells[a]);
    require(extents[a].empty() || extents[a].back() != ',', "cut '" + extents[a] + "' is refused",
            "every extent must be a positive number");
    require(d.cuts[a].back() == cells[a], "cut '" + extents[a] + "' is refused",
            "it holds " + std::to_string(d.cuts[a].back()) + " cells, the grid has " +
                std::to_string(cells[a]) + " along " + "xyz"[a]);
  }
  return d;
}

}  // namespace goban
