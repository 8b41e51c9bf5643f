#pragma once
// Who has which vertices and which part of the adjacency matrix: R x C parts, as in the article on
// TSUBAME 2.0 (Suzumura, Ueno 2011, after Yoo et al., SC 2005).

#include <cstdint>

#include "goban/base/types.hpp"

namespace goban::graph500 {

/// A vertex by its label: 0 has the most edges. Isolated vertices have none.
using Vertex = std::uint32_t;
inline constexpr Vertex no_vertex = ~Vertex{0};

/// Labels are dealt to the parts in blocks of 64, a word of a bitmap: block b belongs to part
/// b mod (R C). Part k lies in row k mod R and column k / R of the matrix. It owns its vertices and
/// has the edges that lead from vertices owned in its column to vertices owned in its row.
///
/// Three numberings count the vertices that concern a part, all in the order of their labels: those
/// it owns, those owned in its row, and those owned in its column. All parts have equally many
/// blocks; some labels beyond the last vertex are nobody's.
class Partition {
 public:
  static constexpr Index block = 64;

  Partition() = default;
  Partition(int rows, int columns, int part, Index vertices)
      : rows_(rows), columns_(columns), row_(part % rows), column_(part / rows) {
    const Index blocks = (vertices + block - 1) / block;
    own_blocks_ = (blocks + parts() - 1) / parts();
  }

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int parts() const { return rows_ * columns_; }
  int row() const { return row_; }
  int column() const { return column_; }
  int part() const { return column_ * rows_ + row_; }

  Index own_blocks() const { return own_blocks_; }
  Index row_blocks() const { return own_blocks_ * columns_; }
  Index column_blocks() const { return own_blocks_ * rows_; }

  int owner(Vertex label) const { return static_cast<int>(label / block % parts()); }
  /// The part that has the edge.
  int part_of(Vertex from, Vertex to) const {
    return owner(from) / rows_ * rows_ + owner(to) % rows_;
  }

  Index own_of(Vertex label) const { return label / block / parts() * block + label % block; }
  Index row_of(Vertex label) const { return label / block / rows_ * block + label % block; }
  Index column_of(Vertex label) const {
    const Index b = label / block;
    return (b / parts() * rows_ + b % rows_) * block + label % block;
  }
  Vertex label_of_own(Index own) const { return label(own / block * parts() + part(), own); }
  Vertex label_of_column(Index column) const {
    const Index b = column / block;
    return label(b / rows_ * parts() + column_ * rows_ + b % rows_, column);
  }
  /// Block of the row's numbering that is the n-th of the part in column `column`.
  Index row_block_of(Index n, int column) const { return n * columns_ + column; }
  /// Block of the column's numbering that is the n-th of the part in row `row`.
  Index column_block_of(Index n, int row) const { return n * rows_ + row; }

 private:
  static Vertex label(Index b, Index place) {
    return static_cast<Vertex>(b * block + place % block);
  }

  int rows_ = 1, columns_ = 1, row_ = 0, column_ = 0;
  Index own_blocks_ = 0;
};

/// Rows of so many parts where nobody says how many: the fewest that are not less than the columns.
int usual_rows(int parts);

}  // namespace goban::graph500
