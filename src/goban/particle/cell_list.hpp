#pragma once
// Which bodies are near each other.

#include <array>
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

  /// Calls visit(i, j), positions among the bodies, i that of the smaller id, once for every pair
  /// that lies in the same or in neighbouring cells: all that are within the distance of each other
  /// are among them.
  template <class Visit>
  void visit_pairs(const Visit& visit) const {
    for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
      while (end < entries_.size() && entries_[end].cell == entries_[begin].cell) ++end;
      for (std::size_t n = begin; n < end; ++n) {
        for (std::size_t m = n + 1; m < end; ++m) visit(entries_[n].body, entries_[m].body);
      }
      Neighbors cells;
      const std::size_t count = neighbors(entries_[begin].cell, cells);
      for (std::size_t c = 0; c < count; ++c) {
        for (std::size_t m = first_of(cells[c]);
             m < entries_.size() && entries_[m].cell == cells[c]; ++m) {
          for (std::size_t n = begin; n < end; ++n) {
            const bool is_in_order = entries_[n].id < entries_[m].id;
            visit(entries_[is_in_order ? n : m].body, entries_[is_in_order ? m : n].body);
          }
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
  using Neighbors = std::array<Index, 27>;
  /// Those that come after a cell, each once; returns how many.
  std::size_t neighbors(Index cell, Neighbors& all) const;
  std::size_t first_of(Index cell) const;

  Index3 count_{1, 1, 1};
  std::array<bool, 3> is_periodic_{};
  std::vector<Entry> entries_;
};

}  // namespace goban
