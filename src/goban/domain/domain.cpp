#include "goban/domain/domain.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>

#include "goban/base/error.hpp"
#include "goban/base/mix.hpp"
#include "goban/domain/decomposition/choose.hpp"

namespace goban {
namespace {

std::byte* cell_pointer(const Buffer& buffer, std::size_t patch, int component) {
  const FieldLayout& layout = buffer.layout[patch];
  const Index element = layout.origin + component * layout.component_stride;
  return buffer.memory[patch].get() + buffer.skew +
         element * static_cast<Index>(size_of(layout.type));
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

Buffer Domain::make_buffer(const FieldRecord& field, const Extents& halo) {
  Buffer buffer;
  buffer.halo = halo;
  // Loads that cross lines stall behind stores to the same place of another page: neighbours in
  // the list of fields, likely to be read and written together, lie half a page apart.
  buffer.skew = static_cast<Index>(buffers_made_++ % 2) * 2048;
  buffer.valid.resize(static_cast<std::size_t>(field.components));
  buffer.corners.resize(static_cast<std::size_t>(field.components));
  buffer.constants.resize(static_cast<std::size_t>(field.components));
  for (const auto& patch : patches_) {
    buffer.layout.push_back(make_layout(field, patch.owned.extents(), halo));
    buffer.memory.push_back(executors_[static_cast<std::size_t>(patch.patch)]->allocate(
        buffer.layout.back().bytes + static_cast<std::size_t>(buffer.skew)));
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

FieldBinding Domain::bind(const Buffer& buffer, int patch) const {
  const auto p = static_cast<std::size_t>(patch);
  FieldBinding binding;
  binding.write = cell_pointer(buffer, p, 0);
  binding.read = binding.write;
  binding.stride = buffer.layout[p].stride;
  binding.component_stride = buffer.layout[p].component_stride;
  return binding;
}

std::size_t Domain::bytes_allocated() const {
  std::size_t bytes = 0;
  for (const auto& buffer : buffers_) {
    if (!buffer) continue;
    for (const auto& layout : buffer->layout) bytes += layout.bytes;
  }
  return bytes;
}

std::size_t Domain::bytes_needed(const std::vector<Extents>& halo_of_field) const {
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < grid_.fields.size() && f < halo_of_field.size(); ++f) {
    for (const auto& patch : patches_) {
      bytes += make_layout(*grid_.fields[f], patch.owned.extents(), halo_of_field[f]).bytes;
    }
  }
  return bytes;
}

void Domain::synchronize() {
  for (auto& executor : executors_) executor->synchronize();
  hazards_.clear();
}

void Domain::modified(Buffer& buffer) {
  for (auto& valid : buffer.valid) valid = {};
}

void Domain::fill(const FieldRecord& field, const CellFunction& value) {
  synchronize();
  Buffer& target = buffer(field.id);
  for (const auto& patch : patches_) {
    const auto p = static_cast<std::size_t>(patch.patch);
    const Box box = patch.owned_local(field.location);
    const FieldLayout& layout = target.layout[p];
    const auto size = static_cast<Index>(field.element_size());
    std::byte* base = cell_pointer(target, p, 0);
    const auto [fast, middle, slow] = field.order;
    const Index rows = box.extent(middle);
    executor(patch.patch).parallel(rows * box.extent(slow), [&](Index begin, Index end) {
      std::vector<std::byte> cell(static_cast<std::size_t>(field.components) *
                                  field.element_size());
      for (Index row = begin; row < end; ++row) {
        Index3 at{};
        at[middle] = row % rows;
        at[slow] = row / rows;
        for (at[fast] = 0; at[fast] < box.upper[fast]; ++at[fast]) {
          const Index3 global = at + patch.owned.lower;
          value(global, grid_.position(global, field.location), cell.data());
          std::byte* to = base + layout.offset(at) * size;
          for (int c = 0; c < field.components; ++c) {
            std::memcpy(to + c * layout.component_stride * size, cell.data() + c * size,
                        static_cast<std::size_t>(size));
          }
        }
      }
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
  const Buffer& source = buffer(field.id);
  for (const auto& patch : patches_) {
    const Box mine = shifted(patch.owned_local(field.location), patch.owned.lower);
    const Box shared = intersection(box, mine);
    if (shared.empty()) continue;
    for (int c = 0; c < field.components; ++c) {
      FieldBinding from = bind(source, patch.patch);
      from.read = cell_pointer(source, static_cast<std::size_t>(patch.patch), c);
      copy_box(from, shared.lower - patch.owned.lower,
               dense(box, static_cast<std::byte*>(elements), c, field.element_size()),
               shared.lower - box.lower, shared.extents(), field.element_size());
    }
  }
}

void Domain::copy_in(const FieldRecord& field, const Box& box, const void* elements) {
  synchronize();
  Buffer& target = buffer(field.id);
  for (const auto& patch : patches_) {
    const Box mine = shifted(patch.owned_local(field.location), patch.owned.lower);
    const Box shared = intersection(box, mine);
    if (shared.empty()) continue;
    for (int c = 0; c < field.components; ++c) {
      FieldBinding to = bind(target, patch.patch);
      to.write = cell_pointer(target, static_cast<std::size_t>(patch.patch), c);
      copy_box(dense(box, static_cast<const std::byte*>(elements), c, field.element_size()),
               shared.lower - box.lower, to, shared.lower - patch.owned.lower, shared.extents(),
               field.element_size());
    }
  }
  modified(target);
}

/// Calls visit(row pointer as element*, number of elements, global index of the first element).
template <class Visit>
void Domain::visit_rows(const FieldRecord& field, int component, Visit&& visit) {
  synchronize();
  const Buffer& source = buffer(field.id);
  const auto [fast, middle, slow] = field.order;
  for (const auto& patch : patches_) {
    const auto p = static_cast<std::size_t>(patch.patch);
    const Box box = patch.owned_local(field.location);
    const FieldLayout& layout = source.layout[p];
    const std::byte* base = cell_pointer(source, p, component);
    const Index rows = box.extent(middle);
    executor(patch.patch).parallel(rows * box.extent(slow), [&](Index begin, Index end) {
      visit(begin, end, [&](auto&& each_row) {
        for (Index row = begin; row < end; ++row) {
          Index3 at{};
          at[middle] = row % rows;
          at[slow] = row / rows;
          each_row(base + layout.offset(at) * static_cast<Index>(field.element_size()),
                   box.extent(fast), at + patch.owned.lower);
        }
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
    visit_element(field.type, [&]<class T>(T) {
      visit_rows(field, c, [&](Index, Index, auto&& rows) {
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
      });
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
        visit_rows(field, c, [&](Index, Index, auto&& rows) {
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
        });
      }
    });
    if (found != none) {
      return FieldPlace{{found % n[0], found / n[0] % n[1], found / (n[0] * n[1])}, c};
    }
  }
  return std::nullopt;
}

}  // namespace goban
