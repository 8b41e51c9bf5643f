// How fields get their memory, also where their grid is cut anew.

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/base/process/start_times.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/data/memory_refusal.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"

namespace goban {

FieldLayout Domain::layout_of(const FieldRecord& field, const PatchGeometry& patch,
                              const Extents& halo, const Executor& owner) {
  constexpr Index no_page = 1;
  return make_layout(field, patch.owned.extents(), halo, owner.traits().line,
                     field.in_place ? owner.traits().mirrored_page : no_page);
}

std::byte* Buffer::cells(std::size_t position, int component) const {
  if (!rings.empty()) return rings[position].origin(component);
  const FieldLayout& its = layout[position];
  const Index element = its.origin + component * its.component_stride;
  return memory[position].get() + skew + element * static_cast<Index>(size_of(its.type));
}

void Domain::require_memory(const FieldRecord& field, const Extents& halo) const {
  constexpr Index large = Index{64} << 20;
  const auto needed_on = [&](const Executor& executor, const FieldRecord& record) {
    std::size_t bytes = 0;
    for (const auto& patch : patches_.of_grid(record.grid)) {
      if (executors_[patches_.position(patch.patch)].get() != &executor) continue;
      bytes += layout_of(record, patch, halo, executor).bytes;
    }
    return static_cast<Index>(bytes);
  };
  const auto all_executors = executors();
  std::array<Index, 1> of_field{0};
  for (const Executor* executor : all_executors) of_field[0] += needed_on(*executor, field);
  sum_over_machine(*communicator_, of_field);
  std::array<std::int64_t, 1> largest{of_field[0]};
  communicator_->maximum(largest);
  if (largest[0] < large) return;
  // The bytes that all fields need and that there are already; free memory is that of the machine
  // or of each device.
  Index all = 0, free = 0;
  const auto allocated = static_cast<Index>(bytes_allocated());
  const Executor* crowded = nullptr;
  for (const Executor* executor : all_executors) {
    const auto bytes_free = static_cast<Index>(executor->bytes_free());
    for (const auto& other : grid_.fields) {
      if (other->in_place_of < 0) all += needed_on(*executor, *other);
    }
    const bool is_device = executor->device_memory() != nullptr;
    free = is_device ? free + bytes_free : bytes_free;
    const Index bytes = needed_on(*executor, field);
    if (is_device && bytes >= large && bytes > bytes_free) crowded = executor;
  }
  std::array<Index, 2> of_machine{all, allocated};
  sum_over_machine(*communicator_, of_machine);
  if (crowded) throw memory_refusal(grid_.cells, all, allocated + free, crowded->name());
  if (some_executor().device_memory() || of_field[0] < large || of_field[0] <= free) return;
  throw memory_refusal(grid_.cells, of_machine[0], of_machine[1] + free,
                       name_of_machine(*communicator_));
}

Buffer Domain::make_buffer(const FieldRecord& field, const Extents& halo) {
  Buffer buffer;
  state_ = -1;
  const int serial = buffers_made_++;
  release_unused();
  const Preparing preparing(Preparation::memory);
  agree(*communicator_, [&] {
    require_memory(field, halo);
    buffer = allocate(field, halo, serial);
  });
  return buffer;
}

/// Frees the memory of fields that nobody refers to any more. Collective.
void Domain::release_unused() {
  std::vector<std::int64_t> unused(std::min(buffers_.size(), grid_.fields.size()));
  for (std::size_t f = 0; f < unused.size(); ++f) {
    const auto& record = grid_.fields[f];
    unused[f] = buffers_[f] && record.use_count() == 1 && !record->in_place ? 1 : 0;
  }
  communicator_->minimum(unused);
  if (std::count(unused.begin(), unused.end(), 1) == 0) return;
  synchronize();
  for (std::size_t f = 0; f < unused.size(); ++f) {
    if (unused[f] == 0) continue;
    for (auto* all : {&buffers_, &spares_}) {
      if (f >= all->size() || !(*all)[f]) continue;
      close(*(*all)[f]);
      (*all)[f].reset();
    }
  }
}

Buffer Domain::allocate(const FieldRecord& field, const Extents& halo, int serial) {
  Buffer buffer;
  buffer.serial = serial;
  buffer.halo = halo;
  buffer.halos.resize(static_cast<std::size_t>(field.components));
  const auto all = executors();
  const bool has_devices = std::any_of(all.begin(), all.end(), [](Executor* executor) {
    return executor->device_memory() != nullptr;
  });
  require(!field.in_place || !is_mixed() || !has_devices,
          "field '" + field.name + "' cannot be shared by GPUs and the CPU",
          "it is stored in place, in memory of the host that GPUs do not reach",
          "compute on cuda alone, or in two sets of populations");
  const auto own = patches_.of_grid(field.grid);
  if (!own.empty()) {  // those of other grids have none
    const std::size_t others = patches_.position(own.front().patch);
    buffer.layout.resize(others);
    buffer.memory.resize(others);
  }
  for (const auto& patch : own) {
    Executor& owner = executor(patch.patch);
    buffer.layout.push_back(layout_of(field, patch, halo, owner));
    if (&patch == &own.front()) {
      buffer.skew = serial * (has_devices ? 2048 : page_step(buffer.layout.back())) % 4096;
    }
    if (field.in_place) {
      buffer.rings.emplace_back(buffer.layout.back(), owner);
      buffer.memory.push_back(buffer.rings.back().memory());
      continue;
    }
    const std::size_t bytes = buffer.layout.back().bytes + static_cast<std::size_t>(buffer.skew);
    buffer.memory.push_back(reached(owner, owner.allocate(bytes), bytes));
  }
  return buffer;
}

/// Opens memory of the host to the devices that copy from and to it, where CPUs compute beside
/// devices.
std::shared_ptr<std::byte> Domain::reached(const Executor& owner, std::shared_ptr<std::byte> memory,
                                           std::size_t bytes) const {
  if (!is_mixed() || !owner.is_helper()) return memory;
  struct Reached {
    std::shared_ptr<std::byte> memory;
    std::vector<std::shared_ptr<void>> by;
  };
  const auto all = std::make_shared<Reached>(Reached{memory, {}});
  for (Executor* executor : executors()) {
    HostReach* const reach = executor->host_reach();
    if (executor != &owner && reach) all->by.push_back(reach->reach(memory.get(), bytes));
  }
  return {all, memory.get()};
}

namespace {

Index widest(const Extents& halo) {
  Index widest = 0;
  for (std::size_t a = 0; a < 3; ++a) widest = std::max({widest, halo.low[a], halo.high[a]});
  return widest;
}

void require_goban_memory(const Buffer& buffer, const FieldRecord& field, const std::string& why) {
  require(!buffer.is_given, "field '" + field.name + "' cannot stay in the memory that is given",
          why, "make the array with more halo, or leave storage out");
}

}  // namespace

Buffer& Domain::buffer(int field) {
  provide(field, {});
  return *buffers_[static_cast<std::size_t>(field)];
}

void Domain::provide(int field, const Extents& halo) {
  if (buffers_.size() < grid_.fields.size()) {
    buffers_.resize(grid_.fields.size());
    state_ = -1;  // the numbers of spare buffers follow those of fields
  }
  auto& slot = buffers_[static_cast<std::size_t>(field)];
  const FieldRecord& record = *grid_.fields[static_cast<std::size_t>(field)];
  if (record.in_place_of >= 0) {
    provide(record.in_place_of, halo);
    const Buffer& shared = *buffers_[static_cast<std::size_t>(record.in_place_of)];
    if (slot && slot->serial == shared.serial) return;
    slot = std::make_unique<Buffer>(shared);
    state_ = -1;
    return;
  }
  if (!slot) {
    slot = std::make_unique<Buffer>(make_buffer(record, halo));
  } else if (!slot->halo.covers(halo)) {
    require_goban_memory(*slot, record,
                         "a program reads " + std::to_string(widest(halo)) +
                             " cells beside a cell, it has room for " +
                             std::to_string(widest(slot->halo)));
    move_to(slot, record, hull(slot->halo, halo));
  }
}

void Domain::move_to(std::unique_ptr<Buffer>& slot, const FieldRecord& field, const Extents& halo) {
  end_views();
  Buffer other = make_buffer(field, halo);
  transfer(field, *slot, here(), other);
  close(*slot);
  *slot = std::move(other);
}

void Domain::fit(int field, const Extents& halo) {
  const auto f = static_cast<std::size_t>(field);
  const FieldRecord& record = *grid_.fields[f];
  if (record.in_place || f >= buffers_.size() || !buffers_[f] || buffers_[f]->is_given) return;
  if (buffers_[f]->halo == halo || !buffers_[f]->halo.covers(halo)) return;
  move_to(buffers_[f], record, halo);
  if (f < spares_.size() && spares_[f]) {
    close(*spares_[f]);
    spares_[f].reset();
    state_ = -1;
  }
}

void Domain::redistribute(const Decomposition& decomposition, Helpers helpers) {
  end_views();
  synchronize();
  for (std::size_t f = 0; f < buffers_.size(); ++f) {
    if (!buffers_[f]) continue;
    require_goban_memory(*buffers_[f], *grid_.fields[f], "its grid is to be cut anew");
  }
  helpers_ = helpers;
  near_fields_.close();
  if (has_messages()) channels_.close();
  const auto old_patches = patches_;
  const auto old_executors = executors_;  // keeps their memory's owner alive during the transfer
  ++distribution_;
  Decomposition blocks = decomposition;
  place_ranks(blocks, communicator_->nodes(), step_model_of(grid_));
  patches_ = Patches(blocks, grid_, communicator_->rank());
  messages_.close();
  executors_ = make_executors();
  add_grids();
  spares_.clear();
  state_ = -1;
  for (std::size_t f = 0; f < buffers_.size(); ++f) {
    if (!buffers_[f]) continue;
    if (grid_.fields[f]->in_place_of >= 0) {
      buffers_[f].reset();  // follows the field whose memory it shares
      continue;
    }
    Buffer moved = make_buffer(*grid_.fields[f], buffers_[f]->halo);
    transfer(*grid_.fields[f], *buffers_[f], {old_patches, old_executors}, moved);
    *buffers_[f] = std::move(moved);
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
    if (spare) close(*spare);
    spare = std::make_unique<Buffer>(
        make_buffer(*grid_.fields[static_cast<std::size_t>(field)], like.halo));
  }
  return *spare;
}

void Domain::close(const Buffer& buffer) {
  if (!near_fields_.is_open(buffer.serial)) return;
  synchronize();
  near_fields_.close(buffer.serial);
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
    for (const auto& patch : patches_.of_grid(grid_.fields[f]->grid)) {
      const Executor& owner = *executors_[patches_.position(patch.patch)];
      bytes += layout_of(*grid_.fields[f], patch, halo_of_field[f], owner).bytes;
    }
  }
  return bytes;
}

Index Domain::copies_that_fit(const std::vector<std::shared_ptr<FieldRecord>>& fields) {
  constexpr double used = 0.8;
  const auto needed_on = [&](const Executor& executor) {
    std::size_t bytes = 0;
    for (const auto& field : fields) {
      const auto f = static_cast<std::size_t>(field->id);
      const Extents halo = f < buffers_.size() && buffers_[f] ? buffers_[f]->halo : Extents{};
      for (const auto& patch : patches_.of_grid(field->grid)) {
        const Executor& owner = *executors_[patches_.position(patch.patch)];
        if (&owner == &executor) bytes += layout_of(*field, patch, halo, owner).bytes;
      }
    }
    return static_cast<Index>(bytes);
  };
  std::array<std::int64_t, 1> copies{std::numeric_limits<std::int64_t>::max()};
  const auto limit = [&](const Executor& executor, Index bytes) {
    if (bytes == 0) return;
    const double fit =
        used * static_cast<double>(executor.bytes_free()) / static_cast<double>(bytes);
    copies[0] = std::min(copies[0], static_cast<std::int64_t>(fit));
  };
  std::array<Index, 1> of_host{0};
  for (const Executor* executor : executors()) {
    const Index bytes = needed_on(*executor);
    if (executor->device_memory()) {
      limit(*executor, bytes);
    } else {
      of_host[0] += bytes;
    }
  }
  sum_over_machine(*communicator_, of_host);
  for (const Executor* executor : executors()) {
    if (!executor->device_memory()) limit(*executor, of_host[0]);
  }
  communicator_->minimum(copies);
  return copies[0];
}

}  // namespace goban
