#include "goban/grid/decomposition.hpp"

#include <algorithm>
#include <sstream>

#include "goban/base/error.hpp"
#include "goban/grid/grid.hpp"

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

Index Decomposition::smallest(int axis) const {
  Index least = cuts[axis].back();
  for (std::size_t i = 1; i < cuts[axis].size(); ++i) {
    least = std::min(least, cuts[axis][i] - cuts[axis][i - 1]);
  }
  return least;
}

Box PatchGeometry::owned_local(Location location) const {
  Box box{{0, 0, 0}, owned.extents()};
  for (int a = 0; a < 3; ++a) {
    if (extra[a] && is_staggered(location, a)) ++box.upper[a];
  }
  return box;
}

Extents PatchGeometry::interior(const Extents& by) const {
  Extents result;
  for (int a = 0; a < 3; ++a) {
    if (is_interior(a, Side::low)) result.low[a] = by.low[a];
    if (is_interior(a, Side::high)) result.high[a] = by.high[a];
  }
  return result;
}

std::vector<PatchGeometry> geometry(const Decomposition& decomposition, const GridState& grid) {
  std::vector<PatchGeometry> all;
  const Index3 n = decomposition.process_grid();
  for (int p = 0; p < decomposition.patches(); ++p) {
    PatchGeometry g;
    g.patch = p;
    g.owned = decomposition.owned(p);
    const Index3 c = decomposition.coordinates(p);
    for (int a = 0; a < 3; ++a) {
      for (Side side : both_sides) {
        Index3 other = c;
        other[a] += side == Side::low ? -1 : 1;
        const bool outside = other[a] < 0 || other[a] >= n[a];
        other[a] = (other[a] + n[a]) % n[a];
        g.neighbor[a][index_of(side)] =
            outside && !grid.is_periodic(a) ? -1 : decomposition.at(other);
      }
      g.extra[a] = !grid.is_periodic(a) && c[a] == n[a] - 1;
    }
    all.push_back(g);
  }
  return all;
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
