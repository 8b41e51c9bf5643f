// Values of boxes, of fields whose cells are a list.

#include <cstring>
#include <limits>
#include <vector>

#include "goban/field/record.hpp"

namespace goban {
namespace {

/// Cells with numbers in a row that lie in a box, side by side along x.
struct Run {
  /// The number of the first cell, how many cells, the first one's place in the box.
  Index number, count, place;
};

struct RunsInBox {
  std::vector<Run> runs;
  Index begin = std::numeric_limits<Index>::max(), end = 0;  ///< numbers

  RunsInBox(const ActiveCells& list, const Box& box) {
    constexpr Index side = ActiveCells::side;
    if (box.empty()) return;
    Box tiles;
    for (std::size_t a = 0; a < 3; ++a) {
      tiles.lower[a] = box.lower[a] / side;
      tiles.upper[a] = (box.upper[a] - 1) / side + 1;
    }
    const auto add = [&](const ActiveCells::Tile& tile) {
      const Index last = tile.first + tile.count();
      list.each_row(tile.first, last, [&](Index3 first, Index number, Index count) {
        add_row(box, first, number, count);
      });
    };
    if (tiles.volume() > std::ssize(list.tiles())) {
      for (const auto& tile : list.tiles()) {
        if (tiles.contains(Index3{tile.at[0], tile.at[1], tile.at[2]})) add(tile);
      }
      return;
    }
    for (Index z = tiles.lower[2]; z < tiles.upper[2]; ++z) {
      for (Index y = tiles.lower[1]; y < tiles.upper[1]; ++y) {
        for (Index x = tiles.lower[0]; x < tiles.upper[0]; ++x) {
          if (const auto* const tile = list.tile_at({x, y, z})) add(*tile);
        }
      }
    }
  }

  void add_row(const Box& box, Index3 first, Index number, Index count) {
    const Box row = intersection(box, {first, first + Index3{count, 1, 1}});
    if (row.empty()) return;
    number += row.lower[0] - first[0];
    const Index3 at = row.lower - box.lower;
    runs.push_back(
        {number, row.extent(0), at[0] + box.extent(0) * (at[1] + box.extent(1) * at[2])});
    begin = std::min(begin, number);
    end = std::max(end, number + row.extent(0));
  }
};

/// Values of all cells of the list from the first to the last of these runs.
struct ValuesOfList {
  using Source = void (FieldStore::*)(const FieldRecord&, const Box&, void*);

  ValuesOfList(GridState& grid, const FieldRecord& field_, const RunsInBox& all_, Source source)
      : field(field_), all(all_) {
    if (!all.runs.empty()) part = {{all.begin, 0, 0}, {all.end, 1, 1}};
    values.resize(static_cast<std::size_t>(part.volume() * field.components) *
                  field.element_size());
    (grid.storage().*source)(field, part, values.data());  // other ranks may have some
  }

  /// copy(values, bytes from the start of a box of so many cells, bytes)
  template <class Copy>
  void each(Index cells, const Copy& copy) {
    const auto size = field.element_size();
    for (const Run& run : all.runs) {
      for (Index c = 0; c < field.components; ++c) {
        copy(values.data() +
                 static_cast<std::size_t>(c * part.volume() + run.number - all.begin) * size,
             static_cast<std::size_t>(c * cells + run.place) * size,
             static_cast<std::size_t>(run.count) * size);
      }
    }
  }

  const FieldRecord& field;
  const RunsInBox& all;
  Box part;
  std::vector<std::byte> values;
};

void copy_from(GridState& grid, const FieldRecord& field, const Box& box, void* elements,
               ValuesOfList::Source source) {
  if (!grid.active) return (grid.storage().*source)(field, box, elements);
  auto* const to = static_cast<std::byte*>(elements);
  const RunsInBox all(*grid.active, box);
  std::memset(to, 0,
              static_cast<std::size_t>(box.volume() * field.components) * field.element_size());
  ValuesOfList(grid, field, all, source)
      .each(box.volume(), [&](const std::byte* value, std::size_t at, std::size_t bytes) {
        std::memcpy(to + at, value, bytes);
      });
}

}  // namespace

void copy_out(GridState& grid, const FieldRecord& field, const Box& box, void* elements) {
  copy_from(grid, field, box, elements, &FieldStore::copy_out);
}

void copy_out_own(GridState& grid, const FieldRecord& field, const Box& box, void* elements) {
  copy_from(grid, field, box, elements, &FieldStore::copy_out_own);
}

void copy_in(GridState& grid, const FieldRecord& field, const Box& box, const void* elements) {
  if (!grid.active) return grid.storage().copy_in(field, box, elements);
  const auto* const from = static_cast<const std::byte*>(elements);
  const RunsInBox all(*grid.active, box);
  ValuesOfList list(grid, field, all, &FieldStore::copy_out);
  list.each(box.volume(), [&](std::byte* value, std::size_t at, std::size_t bytes) {
    std::memcpy(value, from + at, bytes);
  });
  grid.storage().copy_in(field, list.part, list.values.data());
}

}  // namespace goban
