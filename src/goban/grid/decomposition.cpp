#include "goban/grid/decomposition.hpp"

#include <algorithm>
#include <sstream>

#include "goban/base/error.hpp"

namespace goban {

Index3 Decomposition::coordinates(int patch) const {
  const Index3 n = process_grid();
  return {patch % n[0], patch / n[0] % n[1], patch / (n[0] * n[1])};
}

int Decomposition::at(Index3 c) const {
  const Index3 n = process_grid();
  return static_cast<int>(c[0] + n[0] * (c[1] + n[1] * c[2]));
}

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
  return static_cast<int>(r[0] + ranks[0] * (r[1] + ranks[1] * r[2]));
}

Box Decomposition::block_of(int rank) const {
  if (rank >= product(ranks)) return {};
  const Index3 me{rank % ranks[0], rank / ranks[0] % ranks[1], rank / (ranks[0] * ranks[1])};
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
