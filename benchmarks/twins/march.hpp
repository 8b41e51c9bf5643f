#pragma once
// The walk of kernels that reach one plane up and down: blocks of rows that fit the second-level
// cache are marched plane by plane, and what enters the stencil is fetched ahead of its use.

#include <algorithm>

#include "benchmarks/twins/grid.hpp"
#include "benchmarks/twins/vector.hpp"

namespace goban::twins {

/// Lines of 64 bytes computed between two bursts of fetches, and how far ahead they go.
struct Lookahead {
  Index lines;      ///< of a chunk
  Index near, far;  ///< chunks ahead, to the first and the second level
};

/// Rows of a block so that `planes` planes of it fit into `bytes`.
template <class T>
Index rows_that_fit(const TwinGrid& grid, Index planes, Index bytes) {
  return std::max<Index>(4, bytes / (planes * grid.pitch * Index{sizeof(T)}));
}

/// Where the cells lie that are first needed some chunks after chunk `chunk` of row (y, z): a block
/// touches rows first - 1 ... last + 1 of a plane once, then those of the next.
template <class T>
class Leading {
 public:
  Leading(const T* u, const TwinGrid& grid, Rows rows, Index first, Index last, Index planes,
          Index chunk_cells)
      : u_(u),
        grid_(grid),
        first_(first - 1),
        height_(last - first + 2),
        planes_(planes),
        last_plane_(rows.z1),
        chunk_cells_(chunk_cells),
        chunks_((grid.cells[0] + chunk_cells - 1) / chunk_cells) {}

  GOBAN_TWIN_INLINE const T* operator()(Index z, Index y, Index chunk, Index ahead) const {
    Index row = y + 1 - first_, c = chunk + ahead;
    while (c < 0) c += chunks_, --row;
    while (c >= chunks_) {
      c -= chunks_;
      if (++row >= height_) row = 0, z += planes_;
    }
    const Index plane = std::min(z + 1, last_plane_ + 1 - planes_);
    return u_ + plane * grid_.plane + (first_ + row) * grid_.pitch + c * chunk_cells_;
  }
  Index chunks() const { return chunks_; }

 private:
  const T* u_;
  TwinGrid grid_;
  Index first_, height_, planes_, last_plane_, chunk_cells_, chunks_;
};

/// Calls update(offset of the first cell, cells, far) for every chunk; Planes planes are updated
/// together, and update fetches far[i + p * plane], cell by cell in step with its work. The number
/// of planes must be a multiple of Planes.
template <int Planes, class T, class Update>
GOBAN_TWIN_INLINE void march(const T* u, const TwinGrid& grid, Rows rows, Index block,
                             Lookahead look, Update update) {
  constexpr Index line = lanes<T>;
  const Index cells = look.lines * line;
  const auto fetch_chunk = [&]<Cache Level>(const T* from) __attribute__((always_inline)) {
    for (int p = 0; p < Planes; ++p) {
      for (Index i = 0; i < cells; i += line) fetch<Level>(from + p * grid.plane + i);
    }
  };
  for (Index first = rows.y0; first < rows.y1; first += block) {
    const Index last = std::min(first + block, rows.y1);
    const Leading<T> leading(u, grid, rows, first, last, Planes, cells);
    const Index chunks = leading.chunks();
    for (Index z = rows.z0; z < rows.z1; z += Planes) {
      for (Index k = -2 * chunks; k < 0; ++k) {  // rows first - 1 and first of the leading plane
        fetch_chunk.template operator()<Cache::first>(leading(z, first, 0, look.near + k));
        fetch_chunk.template operator()<Cache::second>(leading(z, first, 0, look.far + k));
      }
      for (Index y = first; y < last; ++y) {
        for (Index c = 0; c < chunks; ++c) {
          fetch_chunk.template operator()<Cache::first>(leading(z, y, c, look.near));
          const Index x = c * cells;
          update(z * grid.plane + y * grid.pitch + x, std::min(cells, grid.cells[0] - x),
                 leading(z, y, c, look.far));
        }
      }
    }
  }
}

}  // namespace goban::twins
