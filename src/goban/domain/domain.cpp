#include "goban/domain/domain.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>

#include "goban/base/error.hpp"
#include "goban/base/mix.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/memory_refusal.hpp"

namespace goban {
namespace {

std::byte* cell_pointer(const Buffer& buffer, std::size_t patch, int component) {
  const FieldLayout& layout = buffer.layout[patch];
  const auto size = static_cast<Index>(size_of(layout.type));
  if (!buffer.rings.empty()) return buffer.rings[patch].origin(component);
  const Index element = layout.origin + component * layout.component_stride;
  return buffer.memory[patch].get() + buffer.skew + element * size;
}

FieldLayout layout_of(const FieldRecord& field, const PatchGeometry& patch, const Extents& halo,
                      const Executor& owner) {
  constexpr Index no_page = 1;
  return make_layout(field, patch.owned.extents(), halo, owner.line(),
                     field.in_place ? owner.ring_page() : no_page);
}

/// All ones in the exponent: infinity or NaN. A test of bits holds whatever the compiler assumes.
template <class T>
constexpr std::uint64_t exponent_bits() {
  if constexpr (std::is_same_v<T, double>) {
    return 0x7ff0'0000'0000'0000;
  } else {
    return std::is_same_v<T, float> ? 0x7f80'0000 : 0x7c00;
  }
}

/// Bits of an element as an integer.
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

}  // namespace

Domain::Domain(GridState& grid, ExecutorFactory executors)
    : grid_(grid),
      factory_(std::move(executors)),
      decomposition_(choose_decomposition(grid)),
      patches_(geometry(decomposition_, grid)),
      executors_(factory_(decomposition_.patches())) {}

Domain::~Domain() { synchronize(); }

Domain& domain_of(GridState& grid) { return dynamic_cast<Domain&>(grid.storage()); }

void Domain::require_memory(const FieldRecord& field, const Extents& halo) const {
  constexpr std::size_t large = std::size_t{64} << 20;
  const auto needed_on = [&](const Executor& executor, const FieldRecord& record) {
    std::size_t bytes = 0;
    for (const auto& patch : patches_) {
      if (executors_[static_cast<std::size_t>(patch.patch)].get() != &executor) continue;
      bytes += layout_of(record, patch, halo, executor).bytes;
    }
    return bytes;
  };
  const auto all = executors();
  const auto crowded = std::find_if(all.begin(), all.end(), [&](const Executor* executor) {
    const std::size_t bytes = needed_on(*executor, field);
    return bytes >= large && bytes > executor->bytes_free();
  });
  if (crowded == all.end()) return;
  const bool has_devices = (*crowded)->device_memory() != nullptr;
  std::size_t needed = 0, available = bytes_allocated();
  for (const Executor* executor : all) {
    if (has_devices || executor == *crowded) available += executor->bytes_free();
    for (const auto& other : grid_.fields) {
      if (other->in_place_of < 0) needed += needed_on(*executor, *other);
    }
  }
  throw memory_refusal(grid_.cells, static_cast<Index>(needed), static_cast<Index>(available),
                       has_devices ? (*crowded)->name() : std::string());
}

Buffer Domain::make_buffer(const FieldRecord& field, const Extents& halo) {
  require_memory(field, halo);
  Buffer buffer;
  buffer.halo = halo;
  // Loads that cross lines stall behind stores to the same place of another page: neighbours in
  // the list of fields, likely to be read and written together, lie half a page apart.
  buffer.skew = static_cast<Index>(buffers_made_++ % 2) * 2048;
  buffer.halos.resize(static_cast<std::size_t>(field.components));
  for (const auto& patch : patches_) {
    Executor& owner = executor(patch.patch);
    buffer.layout.push_back(layout_of(field, patch, halo, owner));
    if (field.in_place) {
      buffer.rings.emplace_back(buffer.layout.back(), owner);
      buffer.memory.push_back(buffer.rings.back().memory());
      continue;
    }
    buffer.memory.push_back(
        owner.allocate(buffer.layout.back().bytes + static_cast<std::size_t>(buffer.skew)));
  }
  return buffer;
}

Buffer& Domain::buffer(int field) {
  provide(field, {});
  return *buffers_[static_cast<std::size_t>(field)];
}

void Domain::provide(int field, const Extents& halo) {
  if (buffers_.size() < grid_.fields.size()) buffers_.resize(grid_.fields.size());
  auto& slot = buffers_[static_cast<std::size_t>(field)];
  const FieldRecord& record = *grid_.fields[static_cast<std::size_t>(field)];
  if (record.in_place_of >= 0) {
    provide(record.in_place_of, halo);
    const Buffer& shared = *buffers_[static_cast<std::size_t>(record.in_place_of)];
    if (!slot || slot->memory != shared.memory) slot = std::make_unique<Buffer>(shared);
    return;
  }
  if (!slot) {
    slot = std::make_unique<Buffer>(make_buffer(record, halo));
  } else if (!slot->halo.covers(halo)) {
    Buffer wider = make_buffer(record, hull(slot->halo, halo));
    transfer(record, *slot, patches_, wider);
    *slot = std::move(wider);
  }
}

void Domain::forget_halo(int field) {
  const auto f = static_cast<std::size_t>(field);
  if (f < buffers_.size() && buffers_[f]) modified(*buffers_[f]);
}

Buffer& Domain::spare(int field) {
  const Buffer& like = buffer(field);
  if (spares_.size() < grid_.fields.size()) spares_.resize(grid_.fields.size());
  auto& spare = spares_[static_cast<std::size_t>(field)];
  if (!spare || spare->halo != like.halo) {
    spare = std::make_unique<Buffer>(
        make_buffer(*grid_.fields[static_cast<std::size_t>(field)], like.halo));
  }
  return *spare;
}

void Domain::redistribute(const Decomposition& decomposition) {
  synchronize();
  const auto old_patches = patches_;
  const auto old_executors = executors_;  // keeps their memory's owner alive during the transfer
  decomposition_ = decomposition;
  ++distribution_;
  patches_ = geometry(decomposition_, grid_);
  executors_ = factory_(decomposition_.patches());
  spares_.clear();
  for (std::size_t f = 0; f < buffers_.size(); ++f) {
    if (!buffers_[f]) continue;
    if (grid_.fields[f]->in_place_of >= 0) {
      buffers_[f].reset();  // follows the field whose memory it shares
      continue;
    }
    Buffer moved = make_buffer(*grid_.fields[f], buffers_[f]->halo);
    transfer(*grid_.fields[f], *buffers_[f], old_patches, moved);
    *buffers_[f] = std::move(moved);
  }
}

void Domain::transfer(const FieldRecord& field, const Buffer& from,
                      const std::vector<PatchGeometry>& from_patches, Buffer& to) {
  synchronize();
  auto global = [&](const PatchGeometry& g) {
    return shifted(g.owned_local(field.location), g.owned.lower);
  };
  for (const auto& target : patches_) {
    for (const auto& source : from_patches) {
      const Box shared = intersection(global(target), global(source));
      if (shared.empty()) continue;
      std::vector<CopyTask> tasks;
      for (int c = 0; c < field.components; ++c) {
        CopyTask task;
        const auto s = static_cast<std::size_t>(source.patch);
        const auto t = static_cast<std::size_t>(target.patch);
        task.source.read = cell_pointer(from, s, c);
        task.source.stride = from.layout[s].stride;
        task.target.write = cell_pointer(to, t, c);
        task.target.stride = to.layout[t].stride;
        task.type = field.type;
        task.order = field.order;
        task.source_box = shifted(shared, Index3{} - source.owned.lower);
        task.target_box = shifted(shared, Index3{} - target.owned.lower);
        tasks.push_back(task);
      }
      executor(target.patch).copy(tasks, {});
    }
  }
  synchronize();
}

void Domain::rebind(const std::vector<int>& source) {
  if (buffers_.size() < grid_.fields.size()) buffers_.resize(grid_.fields.size());
  std::vector<std::unique_ptr<Buffer>> bound(buffers_.size());
  for (std::size_t f = 0; f < source.size(); ++f) {
    bound[f] = std::move(buffers_[static_cast<std::size_t>(source[f])]);
  }
  buffers_ = std::move(bound);
}

void Domain::exchange_buffers(int a, int b) {
  std::swap(buffers_[static_cast<std::size_t>(a)], buffers_[static_cast<std::size_t>(b)]);
}

void Domain::exchange_with(int field, Buffer& other) { std::swap(buffer(field), other); }

void Domain::shift_in_place(int from, int to, const std::vector<std::array<int, 3>>& offsets) {
  const Buffer& source = buffer(from);
  Buffer& target = buffer(to);
  for (std::size_t p = 0; p < target.rings.size(); ++p) {
    target.rings[p].shift(source.rings[p], target.layout[p], offsets);
  }
  const FieldRecord& field = *grid_.fields[static_cast<std::size_t>(from)];
  const int fast = field.order[0];
  for (std::size_t c = 0; c < target.halos.size(); ++c) {
    target.halos[c] = source.halos[c];
    if (offsets[c] != std::array<int, 3>{}) {
      target.halos[c].move_rows(fast, field.has_constants_at_corners(fast));
    }
  }
}

FieldBinding Domain::bind(const Buffer& buffer, int patch) const {
  const auto p = static_cast<std::size_t>(patch);
  FieldBinding binding;
  binding.write = cell_pointer(buffer, p, 0);
  binding.read = binding.write;
  binding.stride = buffer.layout[p].stride;
  binding.component_stride = buffer.layout[p].component_stride;
  if (!buffer.rings.empty()) binding.places = buffer.rings[p].places();
  return binding;
}

std::size_t Domain::bytes_allocated() const {
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < buffers_.size(); ++f) {
    const auto& buffer = buffers_[f];
    if (!buffer || grid_.fields[f]->in_place_of >= 0) continue;
    for (const auto& layout : buffer->layout) bytes += layout.bytes;
  }
  return bytes;
}

std::size_t Domain::bytes_needed(const std::vector<Extents>& halo_of_field) const {
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < grid_.fields.size() && f < halo_of_field.size(); ++f) {
    if (grid_.fields[f]->in_place_of >= 0) continue;  // shares memory
    for (const auto& patch : patches_) {
      const Executor& owner = *executors_[static_cast<std::size_t>(patch.patch)];
      bytes += layout_of(*grid_.fields[f], patch, halo_of_field[f], owner).bytes;
    }
  }
  return bytes;
}

std::vector<Executor*> Domain::executors() const {
  std::vector<Executor*> all;
  for (const auto& executor : executors_) {
    if (std::find(all.begin(), all.end(), executor.get()) == all.end()) {
      all.push_back(executor.get());
    }
  }
  return all;
}

void Domain::synchronize() {
  for (Executor* executor : executors()) executor->synchronize();
  hazards_.clear();
  has_replayed_ = false;
}

BufferState Domain::state() const {
  BufferState state;
  const auto entries = [](const std::vector<std::unique_ptr<Buffer>>& buffers) {
    std::vector<BufferState::Entry> all;
    for (const auto& buffer : buffers) {
      auto& entry = all.emplace_back();
      if (!buffer || !buffer->rings.empty()) continue;
      entry = {buffer->memory.front().get(), buffer->halo, buffer->halos};
    }
    return all;
  };
  state.names = entries(buffers_);
  state.spares = entries(spares_);
  return state;
}

void Domain::restore(const BufferState& state) {
  std::vector<std::unique_ptr<Buffer>> all;
  for (auto* buffers : {&buffers_, &spares_}) {
    for (auto& buffer : *buffers) {
      if (buffer && buffer->rings.empty()) all.push_back(std::move(buffer));
    }
  }
  const auto place = [&](const std::vector<BufferState::Entry>& entries,
                         std::vector<std::unique_ptr<Buffer>> buffers) {
    buffers.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].memory) continue;
      const auto found = std::find_if(all.begin(), all.end(), [&](const auto& buffer) {
        return buffer && buffer->memory.front().get() == entries[i].memory;
      });
      buffers[i] = std::move(*found);
      buffers[i]->halos = entries[i].halos;
    }
    return buffers;
  };
  buffers_ = place(state.names, std::move(buffers_));
  spares_ = place(state.spares, std::move(spares_));
}

void Domain::before_replay() {
  if (!has_replayed_) synchronize();
  has_replayed_ = true;
}

void Domain::after_replay() {
  if (has_replayed_) synchronize();
}

void Domain::modified(Buffer& buffer) {
  for (auto& halo : buffer.halos) halo.valid = {};
}

Buffer& Domain::values_of(const FieldRecord& field) {
  if (field.in_place_of >= 0) {
    const auto& shared = grid_.fields[static_cast<std::size_t>(field.in_place_of)];
    throw Error(ExitCode::usage, "field '" + field.name + "' has no values of its own",
                "it shares the memory of '" + shared->name + "'", "use '" + shared->name + "'");
  }
  return buffer(field.id);
}

/// Calls work(part of the box, cell (0, 0, 0) of `component`, bytes from there to each component)
/// with memory the host can use: the patch's own, or planes of it that come over and, unless they
/// were only read, go back. Those to be replaced do not come over.
template <class Work>
void Domain::on_host(const Buffer& buffer, int patch, int component, int components, const Box& box,
                     HostAccess access, Work&& work) {
  if (box.empty()) return;
  const auto p = static_cast<std::size_t>(patch);
  const FieldLayout& layout = buffer.layout[p];
  const auto size = static_cast<Index>(size_of(layout.type));
  std::byte* const cells = cell_pointer(buffer, p, component);
  std::vector<Index> there;
  for (int c = 0; c < components; ++c) {
    there.push_back(cell_pointer(buffer, p, component + c) - cells);
  }
  DeviceMemory* const device = executors_[p]->device_memory();
  if (!device) return work(box, cells, there);
  constexpr Index most_bytes = Index{64} << 20;
  const int slow = layout.order[2];
  const auto s = static_cast<std::size_t>(slow);
  const Index plane_bytes = layout.stride[s] * size * components;
  const Index planes = std::clamp<Index>(most_bytes / plane_bytes, 1, box.extent(slow));
  Box part = box;
  for (Index first = box.lower[s]; first < box.upper[s]; first += planes) {
    part.lower[s] = first;
    part.upper[s] = std::min(first + planes, box.upper[s]);
    const Index begin = layout.offset(part.lower) * size;
    const Index end = (layout.offset(part.upper - Index3{1, 1, 1}) + 1) * size;
    const Index stride = round_up(end - begin, 64);
    std::byte* staging = device->staging(static_cast<std::size_t>(stride * components));
    std::vector<Index> here;
    for (int c = 0; c < components; ++c) here.push_back(c * stride);
    auto each_component = [&](auto&& move) {
      for (std::size_t c = 0; c < there.size(); ++c) {
        move(staging + here[c], cells + begin + there[c], static_cast<std::size_t>(end - begin));
      }
    };
    if (access == HostAccess::replace) {
      std::memset(staging, 0, static_cast<std::size_t>(stride * components));
    } else {
      each_component([&](std::byte* to, const std::byte* from, std::size_t bytes) {
        device->download(to, from, bytes);
      });
    }
    work(part, staging - begin, here);
    if (access == HostAccess::read) continue;
    each_component([&](const std::byte* from, std::byte* to, std::size_t bytes) {
      device->upload(to, from, bytes);
    });
  }
}

void Domain::fill(const FieldRecord& field, const CellFunction& value) {
  synchronize();
  Buffer& target = values_of(field);
  for (const auto& patch : patches_) {
    const auto p = static_cast<std::size_t>(patch.patch);
    const FieldLayout& layout = target.layout[p];
    const auto size = static_cast<Index>(field.element_size());
    const auto [fast, middle, slow] = field.order;
    on_host(target, patch.patch, 0, field.components, patch.owned_local(field.location),
            HostAccess::replace,
            [&](const Box& box, std::byte* cells, const std::vector<Index>& components) {
              const Index rows = box.extent(middle);
              executor(patch.patch).parallel(rows * box.extent(slow), [&](Index begin, Index end) {
                std::vector<std::byte> cell(static_cast<std::size_t>(field.components) *
                                            field.element_size());
                for (Index row = begin; row < end; ++row) {
                  Index3 at{};
                  at[middle] = box.lower[middle] + row % rows;
                  at[slow] = box.lower[slow] + row / rows;
                  for (at[fast] = box.lower[fast]; at[fast] < box.upper[fast]; ++at[fast]) {
                    const Index3 global = at + patch.owned.lower;
                    value(global, grid_.position(global, field.location), cell.data());
                    std::byte* to = cells + layout.offset(at) * size;
                    for (int c = 0; c < field.components; ++c) {
                      std::memcpy(to + components[static_cast<std::size_t>(c)],
                                  cell.data() + c * size, static_cast<std::size_t>(size));
                    }
                  }
                }
              });
            });
  }
  modified(target);
}

namespace {

/// Binding of a dense array over `box`, x fastest, as if it were a patch at local offset `lower`.
FieldBinding dense(const Box& box, const std::byte* elements, int component, std::size_t size) {
  FieldBinding b;
  b.stride = {1, box.extent(0), box.extent(0) * box.extent(1)};
  b.read = elements + static_cast<Index>(size) * component * box.volume();
  b.write = const_cast<std::byte*>(b.read);
  return b;
}

/// Element by element, for memory orders that differ.
void copy_box(const FieldBinding& from, Index3 from_lower, const FieldBinding& to, Index3 to_lower,
              Index3 extents, std::size_t size) {
  for (Index z = 0; z < extents[2]; ++z) {
    for (Index y = 0; y < extents[1]; ++y) {
      auto at = [&](const FieldBinding& b, Index3 lower) {
        return (lower[0] * b.stride[0] + (lower[1] + y) * b.stride[1] +
                (lower[2] + z) * b.stride[2]) *
               static_cast<Index>(size);
      };
      const std::byte* source = from.read + at(from, from_lower);
      std::byte* target = to.write + at(to, to_lower);
      const Index source_step = from.stride[0] * static_cast<Index>(size);
      const Index target_step = to.stride[0] * static_cast<Index>(size);
      if (from.stride[0] == 1 && to.stride[0] == 1) {
        std::memcpy(target, source, static_cast<std::size_t>(extents[0]) * size);
        continue;
      }
      for (Index x = 0; x < extents[0]; ++x) {
        std::memcpy(target + x * target_step, source + x * source_step, size);
      }
    }
  }
}

}  // namespace

void Domain::copy_out(const FieldRecord& field, const Box& box, void* elements) {
  synchronize();
  const Buffer& source = values_of(field);
  for (const auto& patch : patches_) {
    const Box mine = shifted(patch.owned_local(field.location), patch.owned.lower);
    const Box shared = intersection(box, mine);
    if (shared.empty()) continue;
    FieldBinding from = bind(source, patch.patch);
    for (int c = 0; c < field.components; ++c) {
      on_host(source, patch.patch, c, 1, shifted(shared, Index3{} - patch.owned.lower),
              HostAccess::read,
              [&](const Box& part, const std::byte* cells, const std::vector<Index>&) {
                from.read = cells;
                copy_box(from, part.lower,
                         dense(box, static_cast<std::byte*>(elements), c, field.element_size()),
                         part.lower + patch.owned.lower - box.lower, part.extents(),
                         field.element_size());
              });
    }
  }
}

void Domain::copy_in(const FieldRecord& field, const Box& box, const void* elements) {
  synchronize();
  Buffer& target = values_of(field);
  for (const auto& patch : patches_) {
    const Box mine = shifted(patch.owned_local(field.location), patch.owned.lower);
    const Box shared = intersection(box, mine);
    if (shared.empty()) continue;
    FieldBinding to = bind(target, patch.patch);
    for (int c = 0; c < field.components; ++c) {
      on_host(
          target, patch.patch, c, 1, shifted(shared, Index3{} - patch.owned.lower),
          HostAccess::modify, [&](const Box& part, std::byte* cells, const std::vector<Index>&) {
            to.write = cells;
            copy_box(dense(box, static_cast<const std::byte*>(elements), c, field.element_size()),
                     part.lower + patch.owned.lower - box.lower, to, part.lower, part.extents(),
                     field.element_size());
          });
    }
  }
  modified(target);
}

/// The values of a patch as the device that holds it counts them.
DeviceCells Domain::device_cells(const FieldRecord& field, int component,
                                 const PatchGeometry& patch) {
  const auto p = static_cast<std::size_t>(patch.patch);
  const Buffer& source = values_of(field);
  const Index3 n = grid_.domain(field.location).extents();
  DeviceCells cells;
  cells.origin = cell_pointer(source, p, component);
  cells.type = field.type;
  cells.stride = source.layout[p].stride;
  cells.box = patch.owned_local(field.location);
  const Index3& lower = patch.owned.lower;
  cells.first = ((component * n[2] + lower[2]) * n[1] + lower[1]) * n[0] + lower[0];
  cells.step = {1, n[0], n[0] * n[1]};
  return cells;
}

/// Calls visit(row pointer as element*, number of elements, global index of the first element) on
/// all patches, or on those that are not left out.
template <class Visit>
void Domain::visit_rows(const FieldRecord& field, int component, Visit&& visit,
                        const std::function<bool(const PatchGeometry&)>& leaves_out) {
  synchronize();
  const Buffer& source = values_of(field);
  const auto [fast, middle, slow] = field.order;
  for (const auto& patch : patches_) {
    if (leaves_out && leaves_out(patch)) continue;
    const auto p = static_cast<std::size_t>(patch.patch);
    const FieldLayout& layout = source.layout[p];
    on_host(source, patch.patch, component, 1, patch.owned_local(field.location), HostAccess::read,
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

double Domain::sum(const FieldRecord& field, int component) {
  ExactSum total;
  std::mutex mutex;
  visit_element(field.type, [&]<class T>(T) {
    visit_rows(field, component, [&](Index, Index, auto&& rows) {
      ExactSum part;
      rows([&](const std::byte* row, Index n, Index3) {
        part.add(reinterpret_cast<const T*>(row), n);
      });
      const std::lock_guard lock(mutex);
      total.merge(part);
    });
  });
  return total.value();
}

double Domain::minimum(const FieldRecord& field, int component) {
  double least = std::numeric_limits<double>::infinity();
  std::mutex mutex;
  visit_element(field.type, [&]<class T>(T) {
    visit_rows(field, component, [&](Index, Index, auto&& rows) {
      double part = std::numeric_limits<double>::infinity();
      rows([&](const std::byte* row, Index n, Index3) {
        const T* values = reinterpret_cast<const T*>(row);
        for (Index i = 0; i < n; ++i) {
          part = std::min(part, static_cast<double>(static_cast<ArithmeticOf<T>>(values[i])));
        }
      });
      const std::lock_guard lock(mutex);
      least = std::min(least, part);
    });
  });
  return least;
}

double Domain::maximum(const FieldRecord& field, int component) {
  double most = -std::numeric_limits<double>::infinity();
  std::mutex mutex;
  visit_element(field.type, [&]<class T>(T) {
    visit_rows(field, component, [&](Index, Index, auto&& rows) {
      double part = -std::numeric_limits<double>::infinity();
      rows([&](const std::byte* row, Index n, Index3) {
        const T* values = reinterpret_cast<const T*>(row);
        for (Index i = 0; i < n; ++i) {
          part = std::max(part, static_cast<double>(static_cast<ArithmeticOf<T>>(values[i])));
        }
      });
      const std::lock_guard lock(mutex);
      most = std::max(most, part);
    });
  });
  return most;
}

std::uint64_t Domain::checksum(const FieldRecord& field) {
  const Index3 n = grid_.domain(field.location).extents();
  const Index step = field.order[0] == 0 ? 1 : (field.order[0] == 1 ? n[0] : n[0] * n[1]);
  std::uint64_t total = 0;
  std::mutex mutex;
  for (int c = 0; c < field.components; ++c) {
    const auto summed_there = [&](const PatchGeometry& patch) {
      DeviceMemory* device = executor(patch.patch).device_memory();
      if (device) total += device->checksum(device_cells(field, c, patch));
      return device != nullptr;
    };
    visit_element(field.type, [&]<class T>(T) {
      const auto add_rows = [&](Index, Index, auto&& rows) {
        std::uint64_t part = 0;
        rows([&](const std::byte* row, Index count, Index3 first) {
          const T* values = reinterpret_cast<const T*>(row);
          const auto where = static_cast<std::uint64_t>(
              ((c * n[2] + first[2]) * n[1] + first[1]) * n[0] + first[0]);
          for (Index i = 0; i < count; ++i) {
            part += mix(mix(where + static_cast<std::uint64_t>(i * step)) ^ bits_of(values[i]));
          }
        });
        const std::lock_guard lock(mutex);
        total += part;
      };
      visit_rows(field, c, add_rows, summed_there);
    });
  }
  return total;
}

std::optional<FieldPlace> Domain::find_nonfinite(const FieldRecord& field) {
  const Index3 n = grid_.domain(field.location).extents();
  const Index step = field.order[0] == 0 ? 1 : (field.order[0] == 1 ? n[0] : n[0] * n[1]);
  constexpr Index none = std::numeric_limits<Index>::max();
  std::mutex mutex;
  for (int c = 0; c < field.components; ++c) {
    Index found = none;
    visit_element(field.type, [&]<class T>(T) {
      if constexpr (!std::is_integral_v<T>) {
        using Bits =
            std::conditional_t<sizeof(T) == 8, std::uint64_t,
                               std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
        constexpr auto mask = static_cast<Bits>(exponent_bits<T>());
        const auto is_fine_there = [&](const PatchGeometry& patch) {
          DeviceMemory* device = executor(patch.patch).device_memory();
          return device && device->is_finite(device_cells(field, c, patch));
        };
        const auto search = [&](Index, Index, auto&& rows) {
          Index first_of_part = none;
          rows([&](const std::byte* row, Index count, Index3 first) {
            const T* values = reinterpret_cast<const T*>(row);
            Bits any = 0;
            for (Index i = 0; i < count; ++i) {
              const auto bits = static_cast<Bits>(bits_of(values[i]));
              any |= static_cast<Bits>((bits & mask) == mask ? 1 : 0);
            }
            if (any == 0) return;
            const Index where = (first[2] * n[1] + first[1]) * n[0] + first[0];
            for (Index i = 0; i < count; ++i) {
              if ((bits_of(values[i]) & mask) != mask) continue;
              first_of_part = std::min(first_of_part, where + i * step);
              break;
            }
          });
          const std::lock_guard lock(mutex);
          found = std::min(found, first_of_part);
        };
        visit_rows(field, c, search, is_fine_there);
      }
    });
    if (found != none) {
      return FieldPlace{{found % n[0], found / n[0] % n[1], found / (n[0] * n[1])}, c};
    }
  }
  return std::nullopt;
}

}  // namespace goban
