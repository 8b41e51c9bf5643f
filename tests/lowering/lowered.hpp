#pragma once
// Command lists as text, and what they are lowered for where nothing is allocated.

#include <string>
#include <vector>

#include "goban/lowering/lower.hpp"
#include "tests/on_paper.hpp"

namespace goban::test {

/// Buffers that nobody has allocated, spares among them, with halos that hold nothing. Executors of
/// patches, which queue their work; none: the patches are computed one after the other.
inline Bindings bindings_of(const Schedule& schedule, const Slots& slots,
                            const std::vector<int>& executors = {}) {
  const auto fields = static_cast<std::size_t>(slots.size());
  const std::vector<Extents> widths = halo_widths(schedule.cycle);
  Bindings bindings;
  bindings.is_asynchronous = !executors.empty();
  for (std::size_t memory = 0; memory < 2 * fields; ++memory) {
    const FieldRecord& field = slots.field(static_cast<int>(memory % fields));
    const Extents& halo = widths[memory % fields];
    bindings.state.entries.push_back(
        {static_cast<int>(memory), halo,
         std::vector<ComponentHalo>(static_cast<std::size_t>(field.components))});
    bindings.are_halos_reached.push_back(true);
    auto& layouts = bindings.layouts.emplace_back();
    for (const PatchGeometry& patch : schedule.patches) {
      layouts.push_back(make_layout(field, patch.owned.extents(), halo));
    }
  }
  for (std::size_t patch = 0; patch < schedule.patches.size(); ++patch) {
    bindings.computers.push_back({executors.empty() ? 0 : executors[patch], false, false});
  }
  return bindings;
}

/// Lists of cycles that follow each other, each lowered for what the one before has left.
inline std::vector<CommandList> lists_of(std::size_t cycles, const Schedule& schedule,
                                         const Slots& slots, Bindings bindings,
                                         int steps_per_pass = 1) {
  std::vector<CommandList> lists;
  while (lists.size() < cycles) {
    lists.push_back(lower(schedule, slots, bindings, steps_per_pass));
    bindings.state = lists.back().after;
    bindings.before = lists.back().hazards;
  }
  return lists;
}

/// One line for a command: what it does, and for whom; "after" names what it waits for.
class CommandText {
 public:
  CommandText(const Schedule& schedule, const Slots& slots) : schedule_(schedule), slots_(slots) {}

  std::string operator()(const Command& command) const {
    const std::string queue = command.stream == Stream::halo ? "~" : "";
    const std::string patch = command.patch < 0 ? "" : " " + std::to_string(command.patch);
    return queue + std::visit([&](const auto& what) { return of(what, patch); }, command.what) +
           after(command.waits);
  }

 private:
  static std::string after(const std::vector<Wait>& waits) {
    std::string text;
    for (const Wait wait : waits) {
      text += (text.empty() ? " after " : ",") +
              (wait < 0 ? "~" + std::to_string(~wait) : std::to_string(wait));
    }
    return text;
  }
  std::string name(int instance) const {
    return schedule_.cycle.instances[static_cast<std::size_t>(instance)].stage->name;
  }
  std::string name(const Component& what) const { return slots_.field(what.slot).name; }
  std::string cells(const std::vector<CellCopy>& copies) const {
    std::string text;
    for (const CellCopy& one : copies) {
      text += " " + std::to_string(one.from) + ">" + std::to_string(one.to) + " " + name(one.what);
    }
    return text;
  }
  std::string messages(const std::vector<HaloMessage>& all) const {
    std::string text;
    for (const HaloMessage& one : all) {
      text += (one.end == MessageEnd::sends ? " to" : " from") + std::string(" rank ") +
              std::to_string(one.rank) + " by " + std::to_string(one.channel) + cells(one.pieces);
    }
    return text;
  }

  std::string of(const goban::Sweep& sweep, const std::string& patch) const {
    return name(sweep.instance) + patch + " " + to_string(sweep.box);
  }
  std::string of(const BlockedSweeps& pass, const std::string& patch) const {
    return "pass" + patch + " of " + std::to_string(pass.steps.size());
  }
  std::string of(const TakeNumbers& numbers, const std::string&) const {
    return "numbers " + std::to_string(numbers.pass) + "." + std::to_string(numbers.step);
  }
  std::string of(const Fill& fill, const std::string& patch) const {
    std::string text = "fill" + patch;
    for (const GhostFill& ghost : fill.ghosts) {
      text += " " + name(ghost.what) + " " + text_of(ghost.axis, ghost.side);
    }
    return text;
  }
  std::string of(const goban::Copy& copy, const std::string& patch) const {
    return "copy" + patch + cells(copy.cells);
  }
  std::string of(const Post& post, const std::string& patch) const {
    return "post" + patch + messages(post.messages);
  }
  std::string of(const Arrive& arrive, const std::string& patch) const {
    return "arrive" + patch + messages(arrive.messages);
  }
  std::string of(const RankBarrier&, const std::string& patch) const {
    return "rank barrier" + patch;
  }
  std::string of(const DeviceBarrier& barrier, const std::string&) const {
    std::string text = "device barrier";
    for (const auto& one : barrier.all) {
      text +=
          (one.stream == Stream::halo ? " ~" : " ") + std::to_string(one.patch) + after(one.waits);
    }
    return text;
  }
  std::string of(const Reduce& reduce, const std::string&) const {
    std::string text = "reduce";
    for (const auto& partial : reduce.partials) {
      text += " " + std::to_string(partial.command);
      if (partial.step >= 0) text += "." + std::to_string(partial.step);
    }
    return text;
  }
  std::string of(const ScalarStage&, const std::string&) const { return "compute"; }
  std::string of(const BeginSample&, const std::string&) const { return "begin sample"; }
  std::string of(const goban::Sample&, const std::string& patch) const { return "sample" + patch; }
  std::string of(const MoveInPlace& move, const std::string&) const {
    return "move " + std::to_string(move.from) + ">" + std::to_string(move.to);
  }

  const Schedule& schedule_;
  const Slots& slots_;
};

inline Lines lines_of(const CommandList& list, const Schedule& schedule, const Slots& slots) {
  Lines lines;
  const CommandText text(schedule, slots);
  for (const Command& command : list.commands) lines.push_back(text(command));
  return lines;
}

}  // namespace goban::test
