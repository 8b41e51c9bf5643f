#pragma once
// Which bodies are near each other.

#include <span>
#include <vector>

#include "goban/particle/body.hpp"

namespace goban {

/// Bodies in cells at least as long as a distance, sorted by cell and, within one, by id.
class CellList {
 public:
  /// `extents`: of the grid, nodes; `period`: likewise along periodic axes, 0 along others.
  CellList(std::span<const device::BodyState> bodies, double distance, const Real3& extents,
           const Real3& period);

  /// Calls visit(i, j), positions among the bodies, once for every pair that lies in the same or in
  /// neighbouring cells: all that are within the distance of each other are among them.
  template <class Visit>
  void visit_pairs(const Visit& visit) const {
    std::vector<Index> cells;
    for (std::size_t n = 0; n < entries_.size(); ++n) {
      if (n == 0 || entries_[n].cell != entries_[n - 1].cell) cells = neighbors(entries_[n].cell);
      for (const Index cell : cells) {
        for (std::size_t m = first_of(cell); m < entries_.size() && entries_[m].cell == cell; ++m) {
          if (entries_[n].id < entries_[m].id) visit(entries_[n].body, entries_[m].body);
        }
      }
    }
  }

 private:
  struct Entry {
    Index cell, id;
    std::size_t body;
    bool operator<(const Entry& other) const {
      return cell != other.cell ? cell < other.cell : id < other.id;
    }
  };
  /// Itself among them, each once.
  std::vector<Index> neighbors(Index cell) const;
  std::size_t first_of(Index cell) const;

  Index3 count_{1, 1, 1};
  std::array<bool, 3> is_periodic_{};
  std::vector<Entry> entries_;
};

}  // namespace goban
