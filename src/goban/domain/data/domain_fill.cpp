// Sets fields to a number, by functions of rows of cells, or box by box from images.

#include <algorithm>
#include <cstring>

#include "goban/base/agreement.hpp"
#include "goban/base/process/start_times.hpp"
#include "goban/domain/data/domain.hpp"

namespace goban {
namespace {

/// Returns a row of cells as functions that fill fields see it.
CellRow row_of(const GridState& grid, const FieldRecord& field, Index3 first, Index count) {
  const int axis = field.order[0];
  CellRow row;
  row.first = first;
  row.start = grid.position(first, field.location);
  row.axis = axis;
  row.count = count;
  row.origin = grid.origin[static_cast<std::size_t>(axis)];
  row.offset = is_staggered(field.location, axis) ? 0.0 : 0.5;
  row.spacing = grid.spacing[static_cast<std::size_t>(axis)];
  return row;
}

/// Calls `visit` for the rows of `count` active cells from number `first` on.
void each_row(const GridState& grid, const FieldRecord& field, Index first, Index count,
              const std::function<void(const CellRow& row, Index before)>& visit) {
  grid.list->each_row(first, first + count, [&](Index3 cell, Index number, Index cells) {
    visit(row_of(grid, field, cell, cells), number - first);
  });
}

/// Returns the smallest box around `count` active cells from number `first` on.
Box box_around(const ActiveCells& list, Index first, Index count) {
  Box box;
  list.each_row(first, first + count, [&](Index3 cell, Index, Index cells) {
    box = hull(box, {cell, cell + Index3{cells, 1, 1}});
  });
  return box;
}

}  // namespace

/// Fills the rows of a box. `cells`: the host's address of component 0 of local cell (0, 0, 0);
/// `components`: the distance in bytes from there to each component.
void Domain::fill_rows(const FieldRecord& field, const FieldLayout& layout,
                       const PatchGeometry& patch, const Box& box, std::byte* cells,
                       const std::vector<Index>& components, const RowFunction& value) {
  const auto size = static_cast<Index>(field.element_size());
  const auto [fast, middle, slow] = field.order;
  const Index parts = (box.extent(fast) + CellRow::most - 1) / CellRow::most;
  const Index rows = box.extent(middle);
  executor(patch.patch).parallel(parts * rows * box.extent(slow), [&](Index begin, Index end) {
    std::vector<void*> to(components.size());
    for (Index n = begin; n < end; ++n) {
      Index3 at = box.lower;
      at[fast] += n % parts * CellRow::most;
      at[middle] += n / parts % rows;
      at[slow] += n / (parts * rows);
      const Index count = std::min(CellRow::most, box.upper[fast] - at[fast]);
      for (std::size_t c = 0; c < to.size(); ++c) {
        to[c] = cells + components[c] + layout.offset(at) * size;
      }
      const Index3 first = at + patch.owned.lower;
      if (!grid_of(field).active) {
        value(row_of(grid_of(field), field, first, count), to.data());
        continue;
      }
      each_row(grid_of(field), field, first[0], count, [&](const CellRow& row, Index before) {
        std::vector<void*> there(to.size());
        for (std::size_t c = 0; c < to.size(); ++c) {
          there[c] = static_cast<std::byte*>(to[c]) + before * size;
        }
        value(row, there.data());
      });
    }
  });
}

/// Fills a box of a patch. Devices lose the ghosts that lie between its cells in memory.
void Domain::fill_box(const FieldRecord& field, const Buffer& buffer, const PatchGeometry& patch,
                      const Box& box, const RowFunction& value) {
  const FieldLayout& layout = buffer.layout[patches_.position(patch.patch)];
  const auto [fast, middle, slow] = field.order;
  const Index3 owned = patch.owned_local(field.location).extents();
  const bool has_others_between =
      box.extent(fast) < owned[fast] || box.extent(middle) < owned[middle];
  on_host(buffer, here(), patch.patch, 0, field.components, box,
          has_others_between ? HostAccess::modify : HostAccess::replace,
          [&](const Box& part, std::byte* cells, const std::vector<Index>& components) {
            fill_rows(field, layout, patch, part, cells, components, value);
          });
}

/// Returns the buffer of a field, of which all values are to be replaced, and marks its halos as
/// stale.
Buffer& Domain::to_be_filled(const FieldRecord& field) {
  synchronize();
  Buffer& target = values_of(field);
  state_ = -1;
  for (auto& halo : target.halos) halo = {};
  return target;
}

void Domain::fill(const FieldRecord& field, const RowFunction& value, const BoxFunction& prepare) {
  constexpr Index prepared_bytes = Index{4} << 20;
  Buffer& target = to_be_filled(field);
  const Preparing preparing(Preparation::fields);
  const auto cell_bytes = static_cast<Index>(field.element_size()) * field.components;
  agree(*communicator_, [&] {
    for (const auto& patch : patches_.of_grid(field.grid)) {
      const Box owned = patch.owned_local(field.location);
      if (!prepare) {
        fill_box(field, target, patch, owned, value);
        continue;
      }
      for (const Box& box : blocks_of(owned.extents(), cell_bytes, prepared_bytes)) {
        const auto& list = grid_of(field).list;
        prepare(list ? box_around(*list, box.lower[0] + patch.owned.lower[0], box.extent(0))
                     : shifted(box, patch.owned.lower));
        fill_box(field, target, patch, box, value);
      }
    }
  });
}

void Domain::fill_memory(const FieldRecord& field,
                         const std::function<std::span<const std::byte>(int patch)>& bytes) {
  const Buffer& target = to_be_filled(field);
  agree(*communicator_, [&] {
    for (const auto& patch : patches_.of_grid(field.grid)) {
      const auto from = bytes(patch.patch);
      std::byte* const to = target.cells(patches_.position(patch.patch), 0);
      if (DeviceMemory* const device = executor(patch.patch).device_memory()) {
        device->upload(to, from.data(), from.size());
      } else {
        std::memcpy(to, from.data(), from.size());
      }
    }
  });
}

void Domain::fill(const FieldRecord& field, double value) {
  Buffer& target = to_be_filled(field);
  const Preparing preparing(Preparation::fields);
  for (const auto& patch : patches_.of_grid(field.grid)) {
    std::vector<FillTask> tasks(static_cast<std::size_t>(field.components));
    for (int c = 0; c < field.components; ++c) {
      FillTask& task = tasks[static_cast<std::size_t>(c)];
      task.field = bind(target, patch.patch);
      task.field.write = target.cells(patches_.position(patch.patch), c);
      task.field.read = task.field.write;
      task.type = field.type;
      task.order = field.order;
      task.condition = constant(value);
      task.box = patch.owned_local(field.location);
      task.axis = field.order[2];
    }
    executor(patch.patch).fill(tasks, {.waits = {}, .patch = patch.patch});
  }
  synchronize();
}

}  // namespace goban
