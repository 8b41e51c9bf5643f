// Fields are set: to a number, by functions of rows of cells, from images box by box.

#include <algorithm>
#include <cstring>
#include <future>

#include "goban/base/agreement.hpp"
#include "goban/base/start_times.hpp"
#include "goban/domain/data/domain.hpp"

namespace goban {
namespace {

/// Cells as a function that fills them sees them.
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

/// Pieces of a box of at most so many bytes, as many planes or rows of a plane as fit, one row at
/// least: the memory between the first and the last cell of a piece holds cells of other pieces
/// only where the box has but a part of the rows.
std::vector<Box> pieces_of(const Box& box, const FieldLayout& layout, Index most_bytes) {
  const auto [fast, middle, slow] = layout.order;
  const Index cell_bytes = static_cast<Index>(size_of(layout.type)) * layout.components;
  const auto fitting = [&](int axis) {
    return most_bytes / (layout.stride[static_cast<std::size_t>(axis)] * cell_bytes);
  };
  const Index planes = std::clamp<Index>(fitting(slow), 1, box.extent(slow));
  const Index rows = fitting(slow) >= 1 ? box.extent(middle)
                                        : std::clamp<Index>(fitting(middle), 1, box.extent(middle));
  std::vector<Box> pieces;
  for (Index s = box.lower[slow]; s < box.upper[slow]; s += planes) {
    for (Index m = box.lower[middle]; m < box.upper[middle]; m += rows) {
      Box& piece = pieces.emplace_back(box);
      piece.lower[slow] = s;
      piece.upper[slow] = std::min(s + planes, box.upper[slow]);
      piece.lower[middle] = m;
      piece.upper[middle] = std::min(m + rows, box.upper[middle]);
    }
  }
  return pieces;
}

}  // namespace

/// `cells`: where the host finds component 0 of local cell (0, 0, 0), `components`: bytes from
/// there to each.
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
      value(row_of(grid_of(field), field, at + patch.owned.lower, count), to.data());
    }
  });
}

/// Devices get one piece while the host makes the next. They lose the ghosts between the cells.
void Domain::fill_box(const FieldRecord& field, const Buffer& buffer, const PatchGeometry& patch,
                      const Box& box, const RowFunction& value) {
  if (box.empty()) return;
  const auto p = patches_.position(patch.patch);
  const FieldLayout& layout = buffer.layout[p];
  std::byte* const cells = buffer.cells(p, 0);
  std::vector<Index> there;
  for (int c = 0; c < field.components; ++c) there.push_back(buffer.cells(p, c) - cells);
  Executor& owner = executor(patch.patch);
  DeviceMemory* const device = owner.device_memory();
  if (!device) return fill_rows(field, layout, patch, box, cells, there, value);

  constexpr Index most_bytes = Index{32} << 20;
  const auto size = static_cast<Index>(field.element_size());
  const auto begin_of = [&](const Box& piece) { return layout.offset(piece.lower) * size; };
  const auto bytes_of = [&](const Box& piece) {
    return (layout.offset(piece.upper - Index3{1, 1, 1}) + 1) * size - begin_of(piece);
  };
  const auto [fast, middle, slow] = field.order;
  const Index3 owned = patch.owned_local(field.location).extents();
  const std::vector<Box> pieces = pieces_of(box, layout, most_bytes);
  Index room = 0;
  for (const Box& piece : pieces) room = std::max(room, round_up(bytes_of(piece), 64));
  std::byte* const staging = device->staging(static_cast<std::size_t>(2 * room * field.components));
  std::vector<Index> here;
  for (int c = 0; c < field.components; ++c) here.push_back(c * room);
  std::array<std::future<void>, 2> uploads;  // of each half of the staging memory
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    const Box& piece = pieces[n];
    auto& upload = uploads[n % 2];
    if (upload.valid()) upload.get();
    std::byte* const half = staging + static_cast<Index>(n % 2) * room * field.components;
    const Index begin = begin_of(piece), bytes = bytes_of(piece);
    const bool has_others_between =
        piece.extent(fast) < owned[fast] ||
        (piece.extent(middle) < owned[middle] && piece.extent(slow) > 1);
    for (std::size_t c = 0; c < there.size(); ++c) {
      if (has_others_between) {
        device->download(half + here[c], cells + begin + there[c], static_cast<std::size_t>(bytes));
        continue;
      }
      owner.parallel(bytes, [&](Index first, Index last) {
        std::memset(half + here[c] + first, 0, static_cast<std::size_t>(last - first));
      });
    }
    fill_rows(field, layout, patch, piece, half - begin, here, value);
    upload = std::async(std::launch::async, [=, &there, &here] {
      for (std::size_t c = 0; c < there.size(); ++c) {
        device->upload(cells + begin + there[c], half + here[c], static_cast<std::size_t>(bytes));
      }
    });
  }
  for (auto& upload : uploads) {
    if (upload.valid()) upload.get();
  }
}

/// The buffer of a field all of whose values are to be replaced.
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
        prepare(shifted(box, patch.owned.lower));
        fill_box(field, target, patch, box, value);
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
