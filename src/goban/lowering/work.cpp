// Sums up the work of a command list.

#include <algorithm>
#include <set>

#include "goban/lowering/command.hpp"

namespace goban {
namespace {

/// Adds up the work of commands.
class Sum {
 public:
  Sum(Work& work, const Schedule& schedule, const Slots& slots)
      : work_(work), schedule_(schedule), slots_(slots) {}

  void operator()(const Command& command) {
    work_.bytes += command.bytes;
    work_.flops += command.flops;
    if (const auto* sweep = std::get_if<Sweep>(&command.what)) {
      add(command.patch, {sweep->box});
      add(sweep->sends);
      add(sweep->row_copies);
    } else if (const auto* pass = std::get_if<BlockedSweeps>(&command.what)) {
      for (const auto& step : pass->steps) {
        add(command.patch, step.parts);
        add(step.sweep.sends);
      }
    } else if (const auto* copy = std::get_if<Copy>(&command.what)) {
      add(copy->cells);
    } else if (const auto* arrive = std::get_if<Arrive>(&command.what)) {
      for (const HaloMessage& message : arrive->messages) add(message.pieces);
    }
  }

 private:
  void add(int patch, const std::vector<Box>& boxes) {
    const Box own{{0, 0, 0}, schedule_.patches[patch].owned.extents()};
    for (const Box& box : boxes) {
      work_.cells += static_cast<double>(box.volume());
      work_.owned += static_cast<double>(intersection(box, own).volume());
    }
  }
  void add(const std::vector<CellCopy>& copies) {
    for (const CellCopy& copy : copies) {
      work_.halo_bytes += static_cast<double>(copy.target.volume()) *
                          static_cast<double>(slots_.field(copy.what.slot).element_size());
    }
  }

  Work& work_;
  const Schedule& schedule_;
  const Slots& slots_;
};

}  // namespace

int components_moved(const Stage& sweep, std::size_t argument) {
  const StageArgument& its = sweep.arguments[argument];
  if (its.access != Access::in)
    return its.field->components * (its.access == Access::inout ? 2 : 1);
  std::set<int> read;
  for (const Read& one : sweep.footprint.reads) {
    if (static_cast<std::size_t>(one.parameter) == argument) read.insert(one.component);
  }
  return static_cast<int>(read.size());
}

int components_moved(const Sweep& sweep, const Stage& stage, std::size_t argument) {
  return components_moved(stage, argument) - (sweep.at_hand.empty() ? 0 : sweep.at_hand[argument]);
}

Work work_of(const CommandList& list, const Schedule& schedule, const Slots& slots) {
  Work work;
  std::for_each(list.commands.begin(), list.commands.end(), Sum(work, schedule, slots));
  return work;
}

}  // namespace goban
