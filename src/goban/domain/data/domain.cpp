#include "goban/domain/data/domain.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/base/process/start_times.hpp"
#include "goban/domain/data/memory_refusal.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/decomposition/coarsen.hpp"
#include "goban/domain/decomposition/order_list.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"
#include "goban/grid/list_halos.hpp"

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

namespace {

GridState& ordered(GridState& grid, Communicator& communicator) {
  order_list(grid, communicator);
  return grid;
}

}  // namespace

Domain::Domain(GridState& grid, ExecutorFactory executors)
    : grid_(grid),
      factory_(std::move(executors)),
      communicator_(grid.context->communicator()->duplicate()),
      patches_(choose_decomposition(ordered(grid, *communicator_), communicator_->nodes()), grid,
               communicator_->rank()),
      messages_(*communicator_, patches_),
      executors_(make_executors()),
      channels_(communicator_, patches_, messages_, grid.context->settings()),
      near_fields_(communicator_, patches_),
      is_uneven_(has_uneven_executors()) {
  add_grids();
  if (!is_uneven_) return;
  keep_event_times();
}

Domain::~Domain() {
  try {
    synchronize();
    if (std::uncaught_exceptions() == 0) near_fields_.close();
  } catch (...) {  // nobody waits for that work any more
  }
}

void Domain::add_grids() {
  while (static_cast<std::size_t>(patches_.grids()) <= grid_.coarser.size()) {
    add_grid(grid_.member(patches_.grids()));
  }
}

/// Adds a grid. Its patches get the executors of the finer grid's patches, in their order.
void Domain::add_grid(const GridState& grid) {
  const Decomposition& finer = decomposition(grid.finer->number);
  patches_.add(grid.image_of >= 0 ? cut_as_finer(finer, grid)
                                  : cut_coarsened(finer, grid, communicator_->nodes()),
               grid);
  const auto above = patches_.of_grid(grid.finer->number), own = patches_.of_grid(grid.number);
  executors_.resize(std::max(executors_.size(), patches_.size()));
  for (std::size_t n = 0; n < own.size(); ++n) {
    executors_[patches_.position(own[n].patch)] =
        above.empty() ? executors_.front()
                      : executors_[patches_.position(above[n * above.size() / own.size()].patch)];
  }
  state_ = -1;
  const bool needs_image =
      grid.image_of < 0 && !is_cut_alike(decomposition(grid.number), cut_as_finer(finer, grid));
  if (needs_image && grid.image < 0) grid.finer->add_coarser(grid.ratio, {}, grid.number);
}

GridState* Domain::image_of(const GridState& grid) const {
  if (grid.image < 0) return nullptr;
  const bool is_alike = is_cut_alike(decomposition(grid.number), decomposition(grid.image));
  return is_alike ? nullptr : &grid_.member(grid.image);
}

Index Domain::list_ghosts(const GridState& grid, int reach) {
  const auto known = patches_.lists(grid.number);
  if (!known || known->reach() < reach) {
    agree(*communicator_, [&] {
      patches_.set_lists(grid.number,
                         std::make_shared<const ListHalos>(grid, decomposition(grid.number),
                                                           patches_.first(grid.number),
                                                           communicator_->rank(), reach));
    });
  }
  const Decomposition& cut = decomposition(grid.number);
  const std::vector<Index> own = patches_.lists(grid.number)->ghosts(reach);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(cut.patches()));
  const auto patches = patches_.of_grid(grid.number);
  for (std::size_t n = 0; n < own.size(); ++n) {
    all[static_cast<std::size_t>(patches[n].patch - patches_.first(grid.number))] =
        static_cast<std::uint64_t>(own[n]);
  }
  communicator_->sum(all);
  const ListCut measured = goban::list_cut(cut, {all.begin(), all.end()});
  if (!known || known->reach() < reach) list_cuts_[grid.number] = measured;
  return measured.most_read;
}

bool Domain::has_messages() const {
  for (int grid = 0; grid < patches_.grids(); ++grid) {
    if (product(decomposition(grid).ranks) > 1) return true;
  }
  return false;
}

/// Makes the executors of the rank. There is at least one, which tells what executors of other
/// ranks can do.
std::vector<std::shared_ptr<Executor>> Domain::make_executors() {
  std::vector<std::shared_ptr<Executor>> executors;
  agree(*communicator_, [&] {
    const auto patches = std::max<std::size_t>(patches_.of_grid(0).size(), 1);
    executors = factory_(static_cast<int>(patches), helpers_);
  });
  std::array<std::int64_t, 1> record{
      std::all_of(executors.begin(), executors.end(),
                  [](const auto& executor) { return executor->recorder() != nullptr; })};
  communicator_->minimum(record);
  can_record_ = record[0] != 0;
  return executors;
}

bool Domain::has_uneven_executors() const {
  if (!some_executor().is_asynchronous()) return false;
  std::array<std::int64_t, 2> models{std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::max()};
  for (const Executor* executor : executors()) {
    const auto name =
        static_cast<std::int64_t>(std::hash<std::string>{}(executor->traits().model) >> 1);
    models = {std::min(models[0], name), std::min(models[1], -name)};
  }
  communicator_->minimum(models);
  return models[0] != -models[1];
}

Overlap Domain::overlap() const {
  const Overlap asked = grid_.context->settings().overlap;
  if (asked != Overlap::automatic) return asked;
  return is_mixed() ? Overlap::one_kernel : Overlap::none;
}

void Domain::keep_event_times() {
  for (Executor* executor : executors()) {
    if (EventTimes* const times = executor->event_times()) times->keep_times();
  }
}

void Domain::keep_busy_times() {
  keep_event_times();
  busy_times_.keep();
}

std::vector<double> Domain::take_busy_times() {
  std::map<const Executor*, double> busy = busy_times_.take();
  std::vector<std::int64_t> nanoseconds(static_cast<std::size_t>(decomposition().patches()));
  for (const auto& patch : patches_.of_grid(0)) {
    nanoseconds[static_cast<std::size_t>(patch.patch)] =
        static_cast<std::int64_t>(busy[&executor(patch.patch)] * 1e9);
  }
  communicator_->maximum(nanoseconds);
  std::vector<double> seconds;
  for (const auto one : nanoseconds) seconds.push_back(static_cast<double>(one) * 1e-9);
  return seconds;
}

const Decomposition& decomposition_of(GridState& grid) {
  return domain_of(grid).decomposition(grid.number);
}

Domain& domain_of(GridState& grid) { return dynamic_cast<Domain&>(grid.storage()); }

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
  // The bytes that this field needs, that all fields need, and that there are already; free memory
  // is that of the machine or of each device.
  Index one = 0, all = 0, allocated = static_cast<Index>(bytes_allocated()), free = 0;
  const Executor* crowded = nullptr;
  for (Executor* executor : executors()) {
    const Index bytes = needed_on(*executor, field);
    const auto bytes_free = static_cast<Index>(executor->bytes_free());
    one += bytes;
    for (const auto& other : grid_.fields) {
      if (other->in_place_of < 0) all += needed_on(*executor, *other);
    }
    const bool is_device = executor->device_memory() != nullptr;
    free = is_device ? free + bytes_free : bytes_free;
    if (is_device && bytes >= large && bytes > bytes_free) crowded = executor;
  }
  std::array<Index, 3> of_machine{one, all, allocated};
  sum_over_machine(*communicator_, of_machine);
  if (crowded) throw memory_refusal(grid_.cells, all, allocated + free, crowded->name());
  if (some_executor().device_memory() || of_machine[0] < large || of_machine[0] <= free) return;
  throw memory_refusal(grid_.cells, of_machine[1], of_machine[2] + free,
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

void Domain::reach_halos(const Buffer& buffer) {
  near_fields_.open({buffer.serial, buffer.layout, buffer.memory, buffer.skew},
                    channels_.are_peers(),
                    [this](int patch) -> Executor& { return executor(patch); });
}

void Domain::open_channels(const Schedule& schedule, const Slots& slots) {
  if (!has_messages()) return;
  synchronize();
  state_ = -1;
  channels_.open(schedule, slots, [this](int patch) -> Executor& { return executor(patch); });
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
      target.halos[c].move_rows(fast, field.has_constants_at_corners(static_cast<int>(c), fast));
    }
  }
}

FieldBinding Domain::bind(const Buffer& buffer, int patch) const {
  const auto p = patches_.position(patch);
  FieldBinding binding;
  binding.write = buffer.cells(p, 0);
  binding.read = binding.write;
  binding.stride = buffer.layout[p].stride;
  binding.component_stride = buffer.layout[p].component_stride;
  if (!buffer.rings.empty()) binding.places = buffer.rings[p].places();
  return binding;
}

FieldBinding Domain::bind_neighbor(const Buffer& buffer, int from, int to) const {
  return patches_.is_local(to) ? bind(buffer, to) : near_fields_.bind(buffer.serial, from, to);
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

Index Domain::widest_halo() const {
  Index widest = 1;
  for (const auto& buffer : buffers_) {
    for (std::size_t a = 0; buffer && a < 3; ++a) {
      widest = std::max({widest, buffer->halo.low[a], buffer->halo.high[a]});
    }
  }
  return widest;
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
  if (are_lent_) await_guests();
  for (Executor* executor : executors()) executor->synchronize();
  forget_hazards();
  has_replayed_ = false;
}

void Domain::before_replay() {
  if (!has_replayed_) synchronize();
  has_replayed_ = true;
}

void Domain::after_replay() {
  if (has_replayed_) synchronize();
}

void Domain::modified(Buffer& buffer) {
  state_ = -1;
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

}  // namespace goban
