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
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/decomposition/coarsen.hpp"
#include "goban/domain/decomposition/order_list.hpp"
#include "goban/grid/list_halos.hpp"

namespace goban {

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
