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
    visit_pairs_of(0, cells(), visit);
  }
  /// Cells that hold bodies; pairs are those of the cell that comes first.
  Index cells() const { return static_cast<Index>(starts_.size()) - 1; }
  template <class Visit>
  void visit_pairs_of(Index first, Index last, const Visit& visit) const {
    for (auto c = static_cast<std::size_t>(first); c < static_cast<std::size_t>(last); ++c) {
      const std::size_t begin = starts_[c], end = starts_[c + 1];
      for (std::size_t n = begin; n < end; ++n) {
        for (std::size_t m = n + 1; m < end; ++m) visit(entries_[n].body, entries_[m].body);
      }
      Neighbors beside;
      const std::size_t count = neighbors(entries_[begin].cell, beside);
      for (std::size_t b = 0; b < count; ++b) {
        for (std::size_t m = first_of(beside[b]);
             m < entries_.size() && entries_[m].cell == beside[b]; ++m) {
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
  std::vector<std::size_t> starts_;  ///< where each cell begins among entries_, and their end
};

}  // namespace goban
