#pragma once
// Which rank has which node of a fluid.

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "goban/backend/kernels/body_step.hpp"
#include "goban/field/field.hpp"
#include "goban/particle/body.hpp"

namespace goban {

class Domain;

/// Who has which node.
class FluidNodes {
 public:
  explicit FluidNodes(std::shared_ptr<GridState> grid);

  const Real3& extents() const { return extents_; }
  /// Extents along periodic axes, 0 along others.
  const Real3& period() const { return period_; }
  Communicator& communicator() const;
  /// There are no values, and nothing moves: see Settings::on_paper.
  bool is_on_paper() const { return grid_->context->settings().on_paper; }
  /// Changes when nodes have come to other ranks.
  int distribution() const;

  /// The rank that has the node nearest to a position; -1: it lies beyond an end of the grid. A
  /// position beyond an end that is periodic comes back at the other one.
  int owner(double (&position)[3]) const;
  /// It has the node nearest to a position, or an image of it.
  bool has(const double (&position)[3]) const {
    Index3 node{};
    for (std::size_t a = 0; a < 3; ++a) node[a] = device::floor_of(position[a]);
    return find(node);
  }
  /// Calls visit(first node, bits, count) for rows of nodes of a box along x, 1 where the grid does
  /// not have the node, nor an image of it; rows that have none may be left out.
  template <class Visit>
  void visit_missing(const device::Index (&lower)[3], const device::Index (&upper)[3],
                     const Visit& visit) const {
    if (!grid_->active && has_box(lower, upper)) return;
    const std::array<std::vector<Piece>, 3> pieces = {pieces_of(0, lower[0], upper[0]),
                                                      pieces_of(1, lower[1], upper[1]),
                                                      pieces_of(2, lower[2], upper[2])};
    for (const Piece& z : pieces[2]) {
      for (const Piece& y : pieces[1]) {
        for (const Piece& x : pieces[0]) visit_missing_in({x, y, z}, visit);
      }
    }
  }
  /// How many nodes of a region within the grid it has.
  Index count(const Box& region) const;
  /// Adds the ranks that have some of these nodes, or images of theirs, and perhaps others that
  /// have some beside them, to a sorted list.
  void add_ranks(const Box& nodes, std::vector<int>& ranks) const;
  /// The smallest extent along each axis of the boxes of ranks. Ranks have no boxes of active
  /// cells: there these are the extents of the box of the whole grid.
  Index3 smallest_extents() const;

  /// The same for kernels: tables() of the host's memory.
  device::GridNodes tables() const;
  /// GridNodes::tiles and planes; empty where the grid has all of its box.
  const std::vector<device::int32>& tiles() const { return tiles_; }
  const std::vector<device::uint64>& planes() const { return planes_; }

  /// Splits [0, count) among the threads that do the host's work.
  void parallel(Index count, const std::function<void(Index begin, Index end)>& work) const;
  Domain& domain() const;
  const std::shared_ptr<GridState>& grid() const { return grid_; }

 private:
  /// Its number in the list of active cells, or the cell itself; false: it is none.
  bool find(Index3& node) const;
  void add_ranks_of_list(const Box& nodes, std::vector<int>& ranks) const;

  /// Nodes [lower, upper) of an axis whose images lie in one tile, `first` in it; or beyond the
  /// grid.
  struct Piece {
    Index lower, upper;
    Index tile;  ///< -1: beyond
    Index first;
  };
  std::vector<Piece> pieces_of(int axis, Index lower, Index upper) const;
  bool has_box(const device::Index (&lower)[3], const device::Index (&upper)[3]) const;
  template <class Visit>
  void visit_missing_in(const std::array<Piece, 3>& piece, const Visit& visit) const {
    const bool is_inside = piece[0].tile >= 0 && piece[1].tile >= 0 && piece[2].tile >= 0;
    if (is_inside && !grid_->active) return;
    const ActiveCells::Tile* const tile =
        is_inside ? grid_->active->tile_at({piece[0].tile, piece[1].tile, piece[2].tile}) : nullptr;
    if (tile && tile->count() == ActiveCells::side * ActiveCells::side * ActiveCells::side) return;
    device::Index at[3] = {piece[0].lower, 0, 0};
    for (at[2] = piece[2].lower; at[2] < piece[2].upper; ++at[2]) {
      const auto z = static_cast<std::size_t>(piece[2].first + at[2] - piece[2].lower);
      for (at[1] = piece[1].lower; at[1] < piece[1].upper; ++at[1]) {
        const Index y = piece[1].first + at[1] - piece[1].lower;
        const std::uint64_t row = tile ? ~(tile->planes[z] >> (8 * y)) & 255 : 255;
        if (row != 0) visit(at, row >> piece[0].first, piece[0].upper - piece[0].lower);
      }
    }
  }

  std::shared_ptr<GridState> grid_;
  Real3 extents_{}, period_{};
  std::vector<device::int32> tiles_;
  std::vector<device::uint64> planes_;
};

}  // namespace goban
