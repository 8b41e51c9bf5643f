// Finds stale halos and lowers the copies and fills that renew them.

#include <algorithm>

#include "goban/lowering/lowering.hpp"
#include "goban/lowering/whole_sectors.hpp"
#include "goban/program/ghost_operations.hpp"
#include "goban/program/in_place.hpp"

namespace goban {

using Kind = Operation::Kind;

void Lowering::begin_exchange(int id) {
  const Exchange& exchange = schedule_.exchanges[static_cast<std::size_t>(id)];
  auto& skipped = skipped_[static_cast<std::size_t>(id)];
  for (const auto& item : exchange.items) {
    if (buffer(item.what.slot).is_sent) rank_barrier();
  }
  for (const auto& item : exchange.items) {
    const FieldRecord& field = slots_.field(item.what.slot);
    const ComponentHalo& halo =
        buffer(item.what.slot).halos[static_cast<std::size_t>(item.what.component)];
    // They look at the clock: what was made is no longer valid.
    const Extents valid = field.has_timed_ghosts() ? Extents{} : halo.valid;
    const auto now = constants(item.what);
    auto& axes = skipped.emplace_back();
    bool is_covered = true;  // with corners, layers are as wide as those of earlier axes
    for (std::size_t a = 0; a < 3; ++a) {
      const bool fits = valid.low[a] >= item.need.low[a] && valid.high[a] >= item.need.high[a] &&
                        (!halo.constants[a] || halo.constants[a] == now[a]);
      const bool is_read = item.need.low[a] + item.need.high[a] > 0;
      is_covered = is_covered && fits && (halo.corners || a == 0);
      axes[a] = is_read && (exchange.corners ? is_covered : fits);
      // Where walls meet the last axis wins: setting one again takes those of later axes along.
      if (!is_read && sets_wall(field, static_cast<int>(a))) is_covered = false;
    }
  }
}

void Lowering::end_exchange(int id) {
  const Exchange& exchange = schedule_.exchanges[static_cast<std::size_t>(id)];
  if (exchange.moves) return;
  for (const auto& item : exchange.items) {
    auto& exchanged = buffer(item.what.slot);
    exchanged.is_used = true;
    auto& halo = exchanged.halos[static_cast<std::size_t>(item.what.component)];
    halo.make(item.need, exchange.corners, constants(item.what));
    for (int a = 0; a < 3; ++a) {
      if (item.is_partial[static_cast<std::size_t>(a)]) halo.valid.low[a] = halo.valid.high[a] = 0;
    }
  }
}

/// Returns the values beyond the ends of every axis that never change.
std::array<ComponentHalo::Constants, 3> Lowering::constants(const Component& what) const {
  const FieldRecord& field = slots_.field(what.slot);
  return {field.constants_beyond(what.component, 0), field.constants_beyond(what.component, 1),
          field.constants_beyond(what.component, 2)};
}

bool Lowering::is_skipped(int exchange, int item, int axis) const {
  return exchange >= 0 && skipped_[static_cast<std::size_t>(exchange)]
                                  [static_cast<std::size_t>(item)][static_cast<std::size_t>(axis)];
}

/// Whether the ghosts of a fill are constants that an earlier exchange has left there.
bool Lowering::is_there(const Operation& fill) {
  if (fill.exchange < 0) return false;
  const Exchange& exchange = schedule_.exchanges[static_cast<std::size_t>(fill.exchange)];
  const FieldRecord& field = slots_.field(fill.what.slot);
  const auto& halo = buffer(fill.what.slot).halos[static_cast<std::size_t>(fill.what.component)];
  return !sets_wall(field) && halo.constants[static_cast<std::size_t>(fill.axis)] &&
         halo.constants == constants(fill.what) &&
         halo.made.covers(exchange.items[static_cast<std::size_t>(fill.item)].need) &&
         (halo.corners || !exchange.corners);
}

/// Adds a barrier between the devices of ranks that store into each other's halos. After it all
/// earlier stores are visible, and nobody needs the values any more that later stores replace. All
/// ranks must add the same number of barriers. Work on other queues that reads or writes these
/// fields waits for the barrier.
void Lowering::rank_barrier() {
  const auto computer = [&](int patch) {
    return bindings_.computers[schedule_.patches.position(patch)].executor;
  };
  for (const int patch : bindings_.patches_with_peers) {
    Command command = this->command(patch, Stream::compute);
    command.what = RankBarrier{};
    std::vector<Touch> touches;
    for (const PatchGeometry& other : schedule_.patches) {
      if (computer(other.patch) != computer(patch)) continue;
      for (std::size_t m = 0; m < entries_.size(); ++m) {
        if (entries_[m].serial < 0 || !(entries_[m].is_sent || entries_[m].is_used)) continue;
        const auto memory = static_cast<MemoryNumber>(m);
        const auto position = schedule_.patches.position(other.patch);
        if (position >= bindings_.layouts[m].size()) continue;  // another grid's
        const FieldLayout& its = layout(memory, other.patch);
        for (int c = 0; c < its.components; ++c) {
          touches.push_back(touch(memory, other.patch, c, its.allocated(), true));
        }
      }
    }
    order_.add(std::move(command), std::move(touches));
  }
  for (auto& entry : entries_) {
    if (entry.serial >= 0) entry.is_sent = entry.is_used = false;
  }
}

/// Returns the slots for which sweeps store into halos on other ranks.
std::set<int> Lowering::sent_to_ranks(const std::vector<MadeHalo>& made) const {
  std::set<int> sent;
  for (const MadeHalo& halo : made) {
    const int grid = slots_.field(halo.what.slot).grid;
    const bool is_remote = schedule_.patches.decomposition(grid).ranks[halo.axis] > 1;
    if (halo.sent && is_remote) sent.insert(halo.what.slot);
  }
  return sent;
}

/// Adds a rank barrier, if one is necessary, before work that uses the memories `used` and stores
/// into halos of the memories `sent` on other ranks.
void Lowering::meet_ranks(const std::set<MemoryNumber>& used, const std::set<MemoryNumber>& sent) {
  const auto entry = [&](MemoryNumber memory) -> BufferState::Entry& {
    return entries_[static_cast<std::size_t>(memory)];
  };
  const bool waits =
      std::any_of(used.begin(), used.end(), [&](MemoryNumber m) { return entry(m).is_sent; }) ||
      std::any_of(sent.begin(), sent.end(), [&](MemoryNumber m) { return entry(m).is_used; });
  if (waits) rank_barrier();
  for (const MemoryNumber memory : used) entry(memory).is_used = true;
  for (const MemoryNumber memory : sent) {
    entry(memory).is_sent = true;
    if (bindings_.are_halos_reached[static_cast<std::size_t>(memory)]) continue;
    list_.to_be_reached.push_back(memory);
  }
}

/// Begins the sweeps of an instance. It is called once, as parts of an instance may come after the
/// exchange of what other parts write.
void Lowering::begin_sweeps(int id) {
  const Instance& it = instance(id);
  const auto& made = schedule_.made[static_cast<std::size_t>(id)];
  std::set<MemoryNumber> used, sent;
  for (const int slot : it.slot) {
    if (slot >= 0) used.insert(memory(slot));
  }
  if (it.mask_slot >= 0) used.insert(memory(it.mask_slot));
  for (const int slot : sent_to_ranks(made)) sent.insert(memory(slot));
  meet_ranks(used, sent);
  move_in_place(id);
  for (std::size_t a = 0; a < it.writes.size(); ++a) {
    if (it.writes[a] < 0) continue;
    const auto joined = schedule_.patches.joined(slots_.field(it.slot[a]).grid);
    for (auto& halo : buffer(it.slot[a]).halos) halo.outdate(joined);
  }
  for (const MadeHalo& halo : made) mark(halo);
}

void Lowering::move_in_place(int id) {
  const Instance& it = instance(id);
  const InPlacePair pair = in_place_pair(*it.stage);
  if (pair.to < 0) return;
  const int from = it.slot[static_cast<std::size_t>(pair.from)];
  const int to = it.slot[static_cast<std::size_t>(pair.to)];
  host(MoveInPlace{id, memory(from), memory(to)});
  moves_[memory(to)] = moves_[memory(from)] + 1;
  const auto offsets = moves_in_place(*it.stage, pair);
  const FieldRecord& field = slots_.field(from);
  const int fast = field.order[0];
  auto& target = buffer(to);
  const auto& source = buffer(from);
  for (std::size_t c = 0; c < target.halos.size(); ++c) {
    target.halos[c] = source.halos[c];
    if (offsets[c] == std::array<int, 3>{}) continue;
    target.halos[c].move_rows(fast, field.has_constants_at_corners(static_cast<int>(c), fast));
  }
}

/// Marks a halo that sweeps have filled as valid. It is valid if they fill all of it, or if an
/// exchange has left constants in the rest: beyond the ends of the grid, and in the corners unless
/// these come from patches and are not sent, too.
void Lowering::mark(const MadeHalo& made) {
  auto& halo = buffer(made.what.slot).halos[static_cast<std::size_t>(made.what.component)];
  const bool are_rows = !made.sent;
  const bool has_ends = !slots_.grid(made.what.slot)->is_periodic(made.axis);
  if (!are_rows) {
    if (has_ends && !halo.constants[static_cast<std::size_t>(made.axis)]) return;
    if (halo.constants != constants(made.what) || halo.made.on(made.axis, made.side) < made.width) {
      return;
    }
  }
  (made.side == Side::low ? halo.valid.low : halo.valid.high)[made.axis] = made.width;
  if (are_rows || made.corners) return;
  const auto joined = schedule_.patches.joined(slots_.field(made.what.slot).grid);
  if (std::count(joined.begin(), joined.end(), true) > 1) halo.corners = false;
}

/// Returns where the cells of a copy lie in the patch at one end. For lists of cells it is a box
/// around all own cells, or around all ghosts.
Box Lowering::cells_of(const CellCopy& copy, MessageEnd end) const {
  const bool sends = end == MessageEnd::sends;
  if (!copy.cells) return sends ? copy.source : copy.target;
  const FieldLayout& its =
      layout(sends ? copy.source_memory : copy.memory, sends ? copy.from : copy.to);
  Box cells = its.allocated();
  (sends ? cells.upper : cells.lower)[0] = its.owned[0];
  return cells;
}

double Lowering::bytes_of(const Component& what, const Box& box) const {
  const auto size = static_cast<double>(slots_.field(what.slot).element_size());
  return 2 * size * static_cast<double>(box.volume());
}

Touch Lowering::touch(MemoryNumber memory, int patch, int component, const Box& box,
                      bool writes) const {
  Touch touch{shared_[static_cast<std::size_t>(memory)], patch, component, box, writes};
  const auto moves = moves_.find(memory);
  if (moves != moves_.end()) touch.moves = moves->second;
  return touch;
}

GhostFill Lowering::fill_of(const Operation& op) const {
  return {op.what, memory(op.what.slot), op.patch, op.box, op.axis, op.side};
}

CellCopy Lowering::copy_of(const Operation& op, const Piece& piece) const {
  const bool sends = op.kind == Kind::send;
  CellCopy copy{piece.what,
                memory(piece.what.slot),
                sends ? op.patch : op.other_patch,
                sends ? op.other_patch : op.patch,
                piece.source,
                piece.target,
                memory(piece.source_slot < 0 ? piece.what.slot : piece.source_slot),
                piece.cells};
  if (copy.from == copy.to && bindings_.is_asynchronous) {
    copy_whole_sectors(copy.source, copy.target, layout(copy.memory, copy.to));
  }
  return copy;
}

void Lowering::touch_fill(const GhostFill& fill, std::vector<Touch>& touches) const {
  const int component = fill.what.component;
  const auto& condition = slots_.field(fill.what.slot).condition(component, fill.axis, fill.side);
  // The mirrored cells it reads lie just inside; a rule of the user's own reads deeper.
  const bool is_custom = condition.kind == BoundaryCondition::Kind::custom;
  const Index width =
      std::max<Index>(fill.box.extent(fill.axis), is_custom ? GhostCell::most : 0) + 1;
  Box interior = fill.box;
  (fill.side == Side::low ? interior.upper : interior.lower)[fill.axis] +=
      fill.side == Side::low ? width : -width;
  touches.push_back(touch(fill.memory, fill.patch, component, fill.box, true));
  touches.push_back(touch(fill.memory, fill.patch, component, interior, false));
}

/// Whether a fill sets a constant. Such a fill reads nothing, so that it depends on earlier fills
/// only where both set the same ghosts.
bool Lowering::is_constant(const Operation& op) const {
  if (op.kind != Kind::fill) return false;
  const auto& condition = slots_.field(op.what.slot).condition(op.what.component, op.axis, op.side);
  return condition.kind == BoundaryCondition::Kind::constant;
}

/// Lowers the copies and fills from `first` on that belong together: those of one axis of an
/// exchange, the fills after one write, or constants of all axes. Returns the number of the next
/// operation.
std::size_t Lowering::copies_and_fills(std::size_t first) {
  const auto& operations = schedule_.operations;
  const Operation& leader = operations[first];
  const bool asynchronous = bindings_.is_asynchronous;
  const bool all_at_once = asynchronous && leader.exchange >= 0 &&
                           !schedule_.exchanges[static_cast<std::size_t>(leader.exchange)].corners;
  const auto computer = [&](int patch) {
    return bindings_.computers[schedule_.patches.position(patch)];
  };
  // A device reaches memory of the host, but not the host that of a device.
  const auto copier = [&](const Operation& op) {
    const bool from_device = computer(op.other_patch).has_device_memory;
    return from_device && !computer(op.patch).has_device_memory ? op.other_patch : op.patch;
  };
  const auto step_of = [&](const Operation& op) {
    return op.instance < 0 ? -1 : instance(op.instance).step;
  };
  Fill fills;
  Copy copies;
  Command command = this->command(leader.patch, leader.stream);
  double bytes_filled = 0;
  std::vector<Touch> touches;
  bool are_constant = asynchronous;  // so far
  std::size_t i = first;
  for (; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    if (op.kind != Kind::copy && op.kind != Kind::fill) break;
    if (op.exchange != leader.exchange) break;
    if (step_of(op) != step_of(leader)) break;  // conditions may see the time
    const bool is_made =
        op.kind == Kind::fill && (is_skipped(op.exchange, op.item, op.axis) || is_there(op));
    are_constant = are_constant && (is_made || is_constant(op));
    if (op.axis != leader.axis && !all_at_once && !are_constant) break;
    // A submission is one patch's work on one queue. Without corners nothing waits for another
    // axis.
    if (asynchronous && i > first) {
      if (op.kind != leader.kind || op.stream != leader.stream || op.patch != leader.patch) break;
      if (op.kind == Kind::copy && copier(op) != copier(leader)) break;
    }
    if (op.kind == Kind::fill) {
      if (is_made) continue;
      fills.ghosts.push_back(fill_of(op));
      bytes_filled += bytes_of(op.what, op.box);
      touch_fill(fills.ghosts.back(), touches);
      continue;
    }
    for (const auto& piece : op.pieces) {
      if (is_skipped(op.exchange, piece.item, op.axis)) continue;
      const CellCopy& copy = copies.cells.emplace_back(copy_of(op, piece));
      command.bytes += bytes_of(copy.what, copy.target);
      const int component = copy.what.component;
      touches.push_back(touch(copy.source_memory, copy.from, component,
                              cells_of(copy, MessageEnd::sends), false));
      touches.push_back(
          touch(copy.memory, copy.to, component, cells_of(copy, MessageEnd::receives), true));
    }
  }
  if (leader.kind == Kind::copy) command.patch = copier(leader);
  if (!copies.cells.empty()) {
    command.what = std::move(copies);
    order_.add(command, touches);
  }
  if (!fills.ghosts.empty()) {
    command.what = std::move(fills);
    command.bytes = bytes_filled;
    order_.add(std::move(command), std::move(touches));
  }
  return i;
}

}  // namespace goban
