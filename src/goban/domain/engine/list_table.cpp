#include "goban/domain/engine/list_table.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include "goban/backend/kernels/list_table.hpp"
#include "goban/grid/list_neighbors.hpp"

namespace goban {
namespace {

using device::list_group, device::list_runs, device::list_stride;
/// The cell numbers of the neighbours of one group of cells.
using GroupNumbers = std::array<std::int32_t, list_group>;

/// Returns the entry of a group if its neighbours form few enough runs of consecutive cells, and
/// nothing if the group needs a row of numbers. Runs are read in whole packs, so they must lie
/// within `cells` numbers.
std::optional<device::ListEntry> entry_of(const GroupNumbers& numbers, Index cells) {
  device::ListEntry entry{};
  int runs = 0;
  for (int n = 0; n < list_group; ++n) {
    const std::int32_t number = numbers[static_cast<std::size_t>(n)];
    if (number < 0) {
      if (number != list_wall(0)) return {};
      entry.masks[1] |= 0x10000u << n;
      continue;
    }
    const std::int32_t first = number - n;
    const auto* const found = std::find(entry.first, entry.first + runs, first);
    const auto run = static_cast<int>(found - entry.first);
    if (run == runs) {
      if (runs == list_runs || first < 0 || first + Index{list_group} > cells) return {};
      entry.first[runs++] = first;
    }
    if (run > 0) entry.masks[run / 3] |= (run == 2 ? 0x10000u : 1u) << n;
  }
  for (int run = runs; run > 0 && run < list_runs; ++run) entry.first[run] = entry.first[0];
  return entry;
}

/// Several consecutive groups.
struct GroupRange {
  Index begin = 0, end = 0;
  std::vector<std::int32_t> rows;
};

class TableMaker {
 public:
  TableMaker(const GridState& grid, const ListHalos& lists, const PatchGeometry& patch,
             const ListOffsets& offsets)
      : grid_(grid),
        lists_(lists),
        patch_(patch),
        offsets_(offsets),
        stride_(list_stride(static_cast<int>(offsets.size()))) {}

  std::vector<std::int32_t> table(Executor& executor) {
    const Index groups = (cells() + list_group - 1) / list_group;
    table_.resize(static_cast<std::size_t>(round_up(groups * stride_, list_group)));
    std::vector<GroupRange> pieces;
    std::mutex mutex;
    executor.parallel(groups, [&](Index begin, Index end) {
      GroupRange piece{begin, end, {}};
      make(piece);
      const std::lock_guard lock(mutex);
      pieces.push_back(std::move(piece));
    });
    for (const GroupRange& piece : pieces) append_rows(piece);
    return std::move(table_);
  }

 private:
  Index cells() const { return patch_.owned.extent(0); }
  std::int32_t* group(Index number) { return table_.data() + number * stride_; }

  void make(GroupRange& piece) {
    std::vector<GroupNumbers> numbers(offsets_.size());
    const Index first = patch_.owned.lower[0];
    const Index end = std::min(first + piece.end * list_group, patch_.owned.upper[0]);
    const ActiveCells::Tile* tile = nullptr;
    std::optional<ListNeighbors> neighbors;
    grid_.list->each_row(first + piece.begin * list_group, end,
                         [&](Index3 cell, Index number, Index count) {
                           if (const auto* const its = &grid_.list->tile_of(number); its != tile) {
                             tile = its;
                             neighbors.emplace(grid_, *tile);
                           }
                           for (Index i = 0; i < count; ++i) {
                             const Index local = number + i - first;
                             if (local % list_group == 0) {
                               for (GroupNumbers& all : numbers) all.fill(list_wall(0));
                             }
                             for (std::size_t o = 0; o < offsets_.size(); ++o) {
                               numbers[o][static_cast<std::size_t>(local % list_group)] =
                                   local_number(neighbors->at(cell + Index3{i, 0, 0}, offsets_[o]));
                             }
                             if (local % list_group == list_group - 1 || number + i + 1 == end) {
                               store(local / list_group, numbers, piece.rows);
                             }
                           }
                         });
  }
  std::int32_t local_number(const ListNeighbor& there) const {
    return there.number < 0 ? list_wall(there.face) : lists_.local(patch_.patch, there.number);
  }

  /// Stores the entry of a group. Rows of numbers are counted from the first row of the piece.
  void store(Index number, const std::vector<GroupNumbers>& numbers,
             std::vector<std::int32_t>& rows) {
    for (std::size_t o = 0; o < numbers.size(); ++o) {
      auto entry = entry_of(numbers[o], cells());
      if (!entry) {
        entry = {{static_cast<std::int32_t>(rows.size() / list_group)},
                 {device::names_row, device::names_row}};
        rows.insert(rows.end(), numbers[o].begin(), numbers[o].end());
      }
      std::memcpy(group(number) + list_runs * o, entry->first, sizeof(entry->first));
      std::memcpy(masks(number, o), entry->masks, sizeof(entry->masks));
    }
  }
  std::int32_t* masks(Index number, std::size_t offset) {
    return group(number) + list_runs * offsets_.size() + 2 * offset;
  }

  void append_rows(const GroupRange& piece) {
    const auto before = static_cast<std::int32_t>(table_.size() / list_group);
    table_.insert(table_.end(), piece.rows.begin(), piece.rows.end());
    for (Index g = piece.begin; g < piece.end; ++g) {
      for (std::size_t o = 0; o < offsets_.size(); ++o) {
        if (*masks(g, o) == -1) *(group(g) + list_runs * o) += before;
      }
    }
  }

  const GridState& grid_;
  const ListHalos& lists_;
  const PatchGeometry& patch_;
  const ListOffsets& offsets_;
  Index stride_;
  std::vector<std::int32_t> table_;
};

}  // namespace

std::vector<std::int32_t> list_table(const GridState& grid, const ListHalos& lists,
                                     const PatchGeometry& patch, const ListOffsets& offsets,
                                     Executor& executor) {
  return TableMaker(grid, lists, patch, offsets).table(executor);
}

}  // namespace goban
