#include "goban/lowering/bundles.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <utility>

namespace goban {
namespace {

/// The cells of a field that a sweep reads or writes.
struct CellAccess {
  MemoryNumber memory = 0;
  Box cells;
  bool writes = false;
  bool is_at_hand = true;  ///< for each cell that the sweep updates it is that cell itself
};

bool conflict(const CellAccess& a, const CellAccess& b) {
  if (a.memory != b.memory || !(a.writes || b.writes)) return false;
  return !(a.is_at_hand && b.is_at_hand) && !intersection(a.cells, b.cells).empty();
}

class Bundles {
 public:
  Bundles(const Cycle& cycle, const Slots& slots, bool is_asynchronous)
      : cycle_(cycle), slots_(slots), is_asynchronous_(is_asynchronous) {}

  /// Returns how many of the commands from `first` on form one bundle.
  std::size_t count_from(const std::vector<Command>& commands, std::size_t first) {
    all_.clear();
    std::size_t next = first;
    for (; next < commands.size(); ++next) {
      const Command& command = commands[next];
      const auto* sweep = std::get_if<Sweep>(&command.what);
      if (!sweep || !can_be_bundled(*sweep)) break;
      std::vector<CellAccess> accesses = accesses_of(*sweep);
      if (next > first && !(follows(command, commands[first]) && fits(accesses))) break;
      if (next > first && !may_come_after(*sweep, std::get<Sweep>(commands[next - 1].what))) break;
      for (const CellCopy& send : sweep->sends) {
        if (send.to == command.patch) accesses.push_back({send.memory, send.target, true, false});
      }
      all_.insert(all_.end(), accesses.begin(), accesses.end());
    }
    return next - first;
  }

 private:
  const Instance& instance(const Sweep& sweep) const {
    return cycle_.instances[static_cast<std::size_t>(sweep.instance)];
  }

  /// Whether a sweep may follow another in a bundle. A reduction must be over the same cells.
  bool may_come_after(const Sweep& sweep, const Sweep& before) const {
    if (reduces(sweep)) {
      const bool are_few = sweep.box.volume() < most_cells_reduced_together;
      return sweep.box == before.box && (are_few || !is_asynchronous_);
    }
    return is_asynchronous_ && !reduces(before);
  }

  bool reduces(const Sweep& sweep) const {
    return instance(sweep).stage->kind == Stage::Kind::reduce;
  }

  bool can_be_bundled(const Sweep& sweep) const {
    const Instance& it = instance(sweep);
    const bool is_in_place = std::any_of(it.slot.begin(), it.slot.end(), [&](int slot) {
      return slot >= 0 && slots_.field(slot).in_place;
    });
    return it.stage->is_sweep() && !it.stage->columns && !it.spans_grids && !is_in_place &&
           sweep.row_copies.empty() && sweep.row_fills.empty();
  }

  static bool follows(const Command& command, const Command& first) {
    return command.patch == first.patch && command.stream == first.stream &&
           command.step == first.step && command.waits.empty();
  }

  bool fits(const std::vector<CellAccess>& accesses) const {
    return std::none_of(all_.begin(), all_.end(), [&](const CellAccess& earlier) {
      return std::any_of(accesses.begin(), accesses.end(),
                         [&](const CellAccess& one) { return conflict(earlier, one); });
    });
  }

  std::vector<CellAccess> accesses_of(const Sweep& sweep) const {
    const Instance& it = instance(sweep);
    std::vector<CellAccess> all;
    for (std::size_t a = 0; a < it.slot.size(); ++a) {
      if (it.slot[a] < 0) continue;
      if (it.writes[a] >= 0) all.push_back({sweep.memory[a], sweep.box, true, true});
      for (const Read& read : it.stage->footprint.reads) {
        if (static_cast<std::size_t>(read.parameter) != a) continue;
        const Index3 offset{read.offset[0], read.offset[1], read.offset[2]};
        all.push_back({sweep.memory[a], shifted(sweep.box, offset), false, offset == Index3{}});
      }
    }
    for (const ListRead& read : it.stage->list_reads) {
      constexpr Index most = std::numeric_limits<Index>::max();
      const Box anywhere{{0, 0, 0}, {most, most, most}};
      all.push_back(
          {sweep.memory[static_cast<std::size_t>(read.parameter)], anywhere, false, false});
    }
    if (it.mask_slot >= 0) all.push_back({sweep.mask, sweep.box, false, true});
    return all;
  }

  const Cycle& cycle_;
  const Slots& slots_;
  std::vector<CellAccess> all_;  ///< the accesses of the sweeps in the bundle so far
  bool is_asynchronous_;
};

/// Sets Sweep::at_hand of the reductions in a bundle and subtracts from their bytes what an earlier
/// sweep of the bundle, or an earlier argument with the same field, has moved.
void find_at_hand(std::span<Command> bundle, const Cycle& cycle, const Slots& slots) {
  std::set<std::pair<MemoryNumber, int>> known;  // components
  for (Command& command : bundle) {
    auto& sweep = std::get<Sweep>(command.what);
    const Instance& it = cycle.instances[static_cast<std::size_t>(sweep.instance)];
    const bool reduces = it.stage->kind == Stage::Kind::reduce;
    if (reduces) sweep.at_hand.assign(it.slot.size(), 0);
    for (std::size_t a = 0; a < it.slot.size(); ++a) {
      if (it.slot[a] < 0) continue;
      const FieldRecord& field = slots.field(it.slot[a]);
      std::set<int> components;
      for (const Read& read : it.stage->footprint.reads) {
        if (static_cast<std::size_t>(read.parameter) == a) components.insert(read.component);
      }
      for (int c = 0; it.writes[a] >= 0 && c < field.components; ++c) components.insert(c);
      for (const int c : components) {
        if (known.insert({sweep.memory[a], c}).second || !reduces) continue;
        ++sweep.at_hand[a];
        command.bytes -=
            static_cast<double>(sweep.box.volume()) * static_cast<double>(field.element_size());
      }
    }
  }
}

}  // namespace

void bundle_sweeps(std::vector<Command>& commands, const Cycle& cycle, const Slots& slots,
                   bool is_asynchronous) {
  Bundles bundles(cycle, slots, is_asynchronous);
  for (std::size_t first = 0; first < commands.size();) {
    const std::size_t count = std::max<std::size_t>(bundles.count_from(commands, first), 1);
    commands[first].bundled = static_cast<int>(count) - 1;
    if (std::holds_alternative<Sweep>(commands[first].what)) {
      find_at_hand(std::span(commands).subspan(first, count), cycle, slots);
    }
    first += count;
  }
}

}  // namespace goban
