// Gives the host access to fields by global index over the whole grid, whichever rank has which
// part.

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "goban/base/mix.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/data/rank_values.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"

namespace goban {
namespace {

/// Returns the bits of the exponent; all are ones in infinity and NaN. A test of bits holds
/// whatever the compiler assumes about numbers.
template <class T>
constexpr std::uint64_t exponent_bits() {
  if constexpr (std::is_same_v<T, double>) {
    return 0x7ff0'0000'0000'0000;
  } else {
    return std::is_same_v<T, float> ? 0x7f80'0000 : 0x7c00;
  }
}

/// Returns the bits of an element as an integer.
template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<T, half>) {
    return value.bits;
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
}

/// Returns the pointers and strides of one component of a dense array over `box`, x fastest.
FieldBinding dense(const Box& box, const std::byte* elements, int component, std::size_t size) {
  FieldBinding b;
  b.stride = {1, box.extent(0), box.extent(0) * box.extent(1)};
  b.read = elements + static_cast<Index>(size) * component * box.volume();
  b.write = const_cast<std::byte*>(b.read);
  return b;
}

/// Copies a box between two memory orders. All threads of an executor copy large boxes.
void copy_box(Executor& executor, const FieldBinding& from, Index3 from_lower,
              const FieldBinding& to, Index3 to_lower, Index3 extents, std::size_t size) {
  constexpr Index least_bytes_of_threads = Index{1} << 20;
  const auto bytes = static_cast<Index>(size);
  const auto copy_rows = [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index3 first{0, row % extents[1], row / extents[1]};
      const auto at = [&](const FieldBinding& b, const Index3& lower) {
        const Index3 cell = lower + first;
        return (cell[0] * b.stride[0] + cell[1] * b.stride[1] + cell[2] * b.stride[2]) * bytes;
      };
      const std::byte* source = from.read + at(from, from_lower);
      std::byte* target = to.write + at(to, to_lower);
      if (from.stride[0] == 1 && to.stride[0] == 1) {
        std::memcpy(target, source, static_cast<std::size_t>(extents[0]) * size);
        continue;
      }
      for (Index x = 0; x < extents[0]; ++x) {
        std::memcpy(target + x * to.stride[0] * bytes, source + x * from.stride[0] * bytes, size);
      }
    }
  };
  const Index rows = extents[1] * extents[2];
  if (rows * extents[0] * bytes < least_bytes_of_threads) return copy_rows(0, rows);
  executor.parallel(rows, copy_rows);
}

/// Returns the list of a grid if it is ordered in parts; null if cells are numbered along the
/// curve.
const ActiveCells* list_in_parts(const GridState& grid) {
  return grid.list && grid.list->parts().size() > 2 ? grid.list.get() : nullptr;
}

}  // namespace

Box values_of_rank(const Decomposition& decomposition, const GridState& grid,
                   const FieldRecord& field, int rank) {
  Box box = decomposition.owned_by(rank);
  for (int a = 0; a < 3; ++a) {
    const bool has_last = !box.empty() && box.upper[a] == grid.cells[a] && !grid.is_periodic(a);
    if (has_last && is_staggered(field.location, a)) ++box.upper[a];
  }
  return box;
}

void Domain::read(const FieldRecord& field, const Buffer& buffer, const Place& place,
                  const Box& box, std::byte* elements) {
  for (const auto& patch : place.patches.of_grid(field.grid)) {
    const Box mine = shifted(patch.owned_local(field.location), patch.owned.lower);
    const Box shared = intersection(box, mine);
    if (shared.empty()) continue;
    FieldBinding from;
    from.stride = buffer.layout[place.patches.position(patch.patch)].stride;
    for (int c = 0; c < field.components; ++c) {
      on_host(buffer, place, patch.patch, c, 1, shifted(shared, Index3{} - patch.owned.lower),
              HostAccess::read,
              [&](const Box& part, const std::byte* cells, const std::vector<Index>&) {
                from.read = cells;
                copy_box(*place.executors[place.patches.position(patch.patch)], from, part.lower,
                         dense(box, elements, c, field.element_size()),
                         part.lower + patch.owned.lower - box.lower, part.extents(),
                         field.element_size());
              });
    }
  }
}

void Domain::write(const FieldRecord& field, Buffer& buffer, const Box& box,
                   const std::byte* elements) {
  for (const auto& patch : patches_.of_grid(field.grid)) {
    const Box mine = shifted(patch.owned_local(field.location), patch.owned.lower);
    const Box shared = intersection(box, mine);
    if (shared.empty()) continue;
    FieldBinding to = bind(buffer, patch.patch);
    for (int c = 0; c < field.components; ++c) {
      on_host(buffer, here(), patch.patch, c, 1, shifted(shared, Index3{} - patch.owned.lower),
              HostAccess::modify,
              [&](const Box& part, std::byte* cells, const std::vector<Index>&) {
                to.write = cells;
                copy_box(executor(patch.patch), dense(box, elements, c, field.element_size()),
                         part.lower + patch.owned.lower - box.lower, to, part.lower, part.extents(),
                         field.element_size());
              });
    }
  }
}

SharedBoxes Domain::shared(const FieldRecord& field, const Decomposition& decomposition) const {
  const auto box_of = [this, &field, &decomposition](int rank) {
    return values_of_rank(decomposition, grid_of(field), field, rank);
  };
  return {*communicator_, box_of, field.components, field.element_size()};
}

std::optional<ListValues> Domain::list_values(const FieldRecord& field) const {
  const ActiveCells* const list = list_in_parts(grid_of(field));
  if (!list) return {};
  return ListValues(*communicator_, *list, decomposition(field.grid), field.components,
                    field.element_size());
}

void Domain::copy_out_own(const FieldRecord& field, const Box& box, void* elements) {
  synchronize();
  const Buffer& source = values_of(field);
  const auto own = [&](const Box& part, void* values) {
    read(field, source, here(), part, static_cast<std::byte*>(values));
  };
  if (const auto list = list_values(field)) return list->copy_out_own(box, elements, own);
  own(box, elements);
}

void Domain::copy_out(const FieldRecord& field, const Box& box, void* elements) {
  synchronize();
  const Buffer& source = values_of(field);
  const auto own = [&](const Box& part, void* values) {
    read(field, source, here(), part, static_cast<std::byte*>(values));
  };
  if (const auto list = list_values(field)) return list->copy_out(box, elements, own);
  shared(field, decomposition(field.grid)).copy_out(box, elements, own);
}

void Domain::copy_in(const FieldRecord& field, const Box& box, const void* elements) {
  synchronize();
  Buffer& target = values_of(field);
  const auto own = [&](const Box& part, const void* values) {
    write(field, target, part, static_cast<const std::byte*>(values));
  };
  if (const auto list = list_values(field)) {
    list->copy_in(box, elements, own);
  } else {
    shared(field, decomposition(field.grid)).copy_in(box, elements, own);
  }
  modified(target);
}

void Domain::transfer(const FieldRecord& field, const Buffer& from, const Place& place,
                      Buffer& to) {
  synchronize();
  auto global = [&](const PatchGeometry& g) {
    return shifted(g.owned_local(field.location), g.owned.lower);
  };
  for (const auto& target : patches_.of_grid(field.grid)) {
    for (const auto& source : place.patches.of_grid(field.grid)) {
      const Box shared = intersection(global(target), global(source));
      if (shared.empty()) continue;
      const auto s = place.patches.position(source.patch);
      std::vector<CopyTask> tasks;
      for (int c = 0; c < field.components; ++c) {
        CopyTask task;
        const auto t = patches_.position(target.patch);
        task.source.read = from.cells(s, c);
        task.source.stride = from.layout[s].stride;
        task.target.write = to.cells(t, c);
        task.target.stride = to.layout[t].stride;
        task.type = field.type;
        task.order = field.order;
        task.source_box = shifted(shared, Index3{} - source.owned.lower);
        task.target_box = shifted(shared, Index3{} - target.owned.lower);
        tasks.push_back(task);
      }
      const bool to_host = place.executors[s]->device_memory() != nullptr &&
                           executor(target.patch).device_memory() == nullptr;
      (to_host ? *place.executors[s] : executor(target.patch)).copy(tasks, {});
    }
  }
  synchronize();
  const auto had = [&](const Box& part, void* values) {
    read(field, from, place, part, static_cast<std::byte*>(values));
  };
  const auto has = [&](const Box& part, const void* values) {
    write(field, to, part, static_cast<const std::byte*>(values));
  };
  shared(field, decomposition(field.grid))
      .move(shared(field, place.patches.decomposition(field.grid)), had, has);
}

/// Returns the cells of a patch with their global numbers, for a device that searches or sums them.
DeviceCells Domain::device_cells(const FieldRecord& field, int component,
                                 const PatchGeometry& patch) {
  const auto p = patches_.position(patch.patch);
  const Buffer& source = values_of(field);
  const Index3 n = grid_of(field).domain(field.location).extents();
  DeviceCells cells;
  cells.origin = source.cells(p, component);
  cells.type = field.type;
  cells.stride = source.layout[p].stride;
  cells.box = patch.owned_local(field.location);
  const Index3& lower = patch.owned.lower;
  cells.first = ((component * n[2] + lower[2]) * n[1] + lower[1]) * n[0] + lower[0];
  cells.step = {1, n[0], n[0] * n[1]};
  return cells;
}

/// Calls visit(begin, end, rows) from several threads on all patches except those for which
/// `leaves_out` is true. rows(f) calls f(row pointer, number of elements, global index of the first
/// element) for each row of a thread's share.
template <class Visit>
void Domain::visit_rows(const FieldRecord& field, int component, Visit&& visit,
                        const std::function<bool(const PatchGeometry&)>& leaves_out) {
  synchronize();
  const Buffer& source = values_of(field);
  const auto [fast, middle, slow] = field.order;
  for (const auto& patch : patches_.of_grid(field.grid)) {
    if (leaves_out && leaves_out(patch)) continue;
    const FieldLayout& layout = source.layout[patches_.position(patch.patch)];
    on_host(source, here(), patch.patch, component, 1, patch.owned_local(field.location),
            HostAccess::read,
            [&](const Box& box, const std::byte* cells, const std::vector<Index>&) {
              const Index rows = box.extent(middle);
              executor(patch.patch).parallel(rows * box.extent(slow), [&](Index begin, Index end) {
                visit(begin, end, [&](auto&& each_row) {
                  for (Index row = begin; row < end; ++row) {
                    Index3 at = box.lower;
                    at[middle] += row % rows;
                    at[slow] += row / rows;
                    each_row(cells + layout.offset(at) * static_cast<Index>(field.element_size()),
                             box.extent(fast), at + patch.owned.lower);
                  }
                });
              });
            });
  }
}

double Domain::reduce(const FieldRecord& field, int component, Reduction kind) {
  Reducer total;
  total.kind = kind;
  std::mutex mutex;
  const auto reduced_there = [&](const PatchGeometry& patch) {
    DeviceMemory* device = executor(patch.patch).device_memory();
    if (device) device->reduce(device_cells(field, component, patch), total);
    return device != nullptr;
  };
  visit_element(field.type, [&]<class T>(T) {
    const auto add_rows = [&](Index, Index, auto&& rows) {
      Reducer part;
      part.kind = kind;
      rows([&](const std::byte* row, Index n, Index3) {
        const T* values = reinterpret_cast<const T*>(row);
        part.add(values, n);
      });
      const std::lock_guard lock(mutex);
      total.merge(part);
    };
    visit_rows(field, component, add_rows, reduced_there);
  });
  reduce_over_ranks(*communicator_, total);
  return total.value();
}

double Domain::sum(const FieldRecord& field, int component) {
  return reduce(field, component, Reduction::sum);
}

double Domain::minimum(const FieldRecord& field, int component) {
  return reduce(field, component, Reduction::minimum);
}

double Domain::maximum(const FieldRecord& field, int component) {
  return reduce(field, component, Reduction::maximum);
}

namespace {

/// Calls visit(cells before, cells, number along the curve) for the part of each tile in these
/// `count` cells.
template <class Visit>
void each_tile(const ActiveCells& list, Index first, Index count, const Visit& visit) {
  for (Index before = 0; before < count;) {
    const ActiveCells::Tile& tile = list.tile_of(first + before);
    const Index in_tile = first + before - tile.first;
    const Index cells = std::min(count - before, tile.count() - in_tile);
    visit(before, cells, tile.along_curve + in_tile);
    before += cells;
  }
}

}  // namespace

std::uint64_t Domain::checksum(const FieldRecord& field) {
  const Index3 n = grid_of(field).domain(field.location).extents();
  const Index step = field.order[0] == 0 ? 1 : (field.order[0] == 1 ? n[0] : n[0] * n[1]);
  const ActiveCells* const list = list_in_parts(grid_of(field));
  std::uint64_t total = 0;
  std::mutex mutex;
  for (int c = 0; c < field.components; ++c) {
    const auto summed_there = [&](const PatchGeometry& patch) {
      DeviceMemory* device = list ? nullptr : executor(patch.patch).device_memory();
      if (device) total += device->checksum(device_cells(field, c, patch));
      return device != nullptr;
    };
    visit_element(field.type, [&]<class T>(T) {
      const auto add_rows = [&](Index, Index, auto&& rows) {
        std::uint64_t part = 0;
        const auto add = [&](const T* values, Index count, Index3 first) {
          const auto where = static_cast<std::uint64_t>(
              ((c * n[2] + first[2]) * n[1] + first[1]) * n[0] + first[0]);
          for (Index i = 0; i < count; ++i) {
            part += mix(mix(where + static_cast<std::uint64_t>(i * step)) ^ bits_of(values[i]));
          }
        };
        rows([&](const std::byte* row, Index count, Index3 first) {
          const T* const values = reinterpret_cast<const T*>(row);
          if (!list) return add(values, count, first);
          each_tile(*list, first[0], count, [&](Index before, Index cells, Index along_curve) {
            add(values + before, cells, {along_curve, 0, 0});
          });
        });
        const std::lock_guard lock(mutex);
        total += part;
      };
      visit_rows(field, c, add_rows, summed_there);
    });
  }
  communicator_->sum({&total, 1});
  return total;
}

/// Returns the number of the first value that is not finite, among values in the host's memory.
std::uint64_t Domain::least_nonfinite(const FieldRecord& field) {
  const Index3 n = grid_of(field).domain(field.location).extents();
  const Index step = field.order[0] == 0 ? 1 : (field.order[0] == 1 ? n[0] : n[0] * n[1]);
  std::uint64_t found = none_is_nonfinite;
  std::mutex mutex;
  const auto is_looked_at_there = [&](const PatchGeometry& patch) {
    return executor(patch.patch).device_memory() != nullptr;
  };
  visit_element(field.type, [&]<class T>(T) {
    if constexpr (!std::is_integral_v<T>) {
      using Bits =
          std::conditional_t<sizeof(T) == 8, std::uint64_t,
                             std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
      constexpr auto mask = static_cast<Bits>(exponent_bits<T>());
      for (int c = 0; c < field.components; ++c) {
        const auto search = [&](Index, Index, auto&& rows) {
          std::uint64_t least = none_is_nonfinite;
          rows([&](const std::byte* row, Index count, Index3 first) {
            const T* values = reinterpret_cast<const T*>(row);
            Bits any = 0;
            for (Index i = 0; i < count; ++i) {
              const auto bits = static_cast<Bits>(bits_of(values[i]));
              any |= static_cast<Bits>((bits & mask) == mask ? 1 : 0);
            }
            if (any == 0) return;
            const Index where = ((c * n[2] + first[2]) * n[1] + first[1]) * n[0] + first[0];
            for (Index i = 0; i < count; ++i) {
              if ((bits_of(values[i]) & mask) != mask) continue;
              least = std::min(least, static_cast<std::uint64_t>(where + i * step));
              break;
            }
          });
          const std::lock_guard lock(mutex);
          found = std::min(found, least);
        };
        visit_rows(field, c, search, is_looked_at_there);
      }
    }
  });
  return found;
}

void Domain::look_for_nonfinite(const std::vector<NumberedField>& fields) {
  std::map<DeviceMemory*, std::vector<DeviceCells>> on_devices;
  for (const auto& [field, first] : fields) {
    bool is_here = false;
    for (const auto& patch : patches_.of_grid(field->grid)) {
      DeviceMemory* const device = executor(patch.patch).device_memory();
      is_here = is_here || !device;
      for (int c = 0; device && c < field->components; ++c) {
        on_devices[device].push_back(device_cells(*field, c, patch));
        on_devices[device].back().first += static_cast<Index>(first);
      }
    }
    const std::uint64_t found = is_here ? least_nonfinite(*field) : none_is_nonfinite;
    if (found != none_is_nonfinite) nonfinite_ = std::min(nonfinite_, first + found);
  }
  for (const auto& [device, cells] : on_devices) device->look_for_nonfinite(cells);
}

std::uint64_t Domain::first_nonfinite() {
  std::uint64_t found = std::exchange(nonfinite_, none_is_nonfinite);
  for (const Executor* executor : executors()) {
    DeviceMemory* const device = executor->device_memory();
    if (device) found = std::min(found, device->first_nonfinite());
  }
  return found;
}

}  // namespace goban
