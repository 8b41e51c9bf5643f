#include "goban/particle/cell_list.hpp"

#include <algorithm>

namespace goban {

CellList::CellList(std::span<const device::BodyState> bodies, double distance, const Real3& extents,
                   const Real3& period) {
  for (std::size_t a = 0; a < 3; ++a) {
    count_[a] = std::max<Index>(1, static_cast<Index>(extents[a] / distance));
    is_periodic_[a] = period[a] > 0;
  }
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    Index3 at{};
    for (std::size_t a = 0; a < 3; ++a) {
      const double place = bodies[n].position[a] / extents[a] * static_cast<double>(count_[a]);
      at[a] = std::clamp<Index>(static_cast<Index>(place), 0, count_[a] - 1);
    }
    entries_.push_back({at[0] + count_[0] * (at[1] + count_[1] * at[2]), bodies[n].id, n});
  }
  std::sort(entries_.begin(), entries_.end());
  for (std::size_t n = 0; n < entries_.size(); ++n) {
    if (n == 0 || entries_[n].cell != entries_[n - 1].cell) starts_.push_back(n);
  }
  starts_.push_back(entries_.size());
}

std::size_t CellList::first_of(Index cell) const {
  const Entry first{cell, -1, 0};
  return static_cast<std::size_t>(std::lower_bound(entries_.begin(), entries_.end(), first) -
                                  entries_.begin());
}

std::size_t CellList::neighbors(Index cell, Neighbors& all) const {
  const Index3 at{cell % count_[0], cell / count_[0] % count_[1], cell / count_[0] / count_[1]};
  std::array<std::array<Index, 3>, 3> along{};
  std::array<std::size_t, 3> counts{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (Index i = at[a] - 1; i <= at[a] + 1; ++i) {
      const bool is_inside = i >= 0 && i < count_[a];
      if (is_inside || is_periodic_[a]) along[a][counts[a]++] = (i + count_[a]) % count_[a];
    }
    const auto begin = along[a].begin();
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(counts[a]));
    counts[a] = static_cast<std::size_t>(
        std::unique(begin, begin + static_cast<std::ptrdiff_t>(counts[a])) - begin);
  }
  std::size_t count = 0;
  for (std::size_t k = 0; k < counts[2]; ++k) {
    for (std::size_t j = 0; j < counts[1]; ++j) {
      for (std::size_t i = 0; i < counts[0]; ++i) {
        const Index other = along[0][i] + count_[0] * (along[1][j] + count_[1] * along[2][k]);
        if (other > cell) all[count++] = other;
      }
    }
  }
  return count;
}

}  // namespace goban
