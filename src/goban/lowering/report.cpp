// A command list in words.

#include <sstream>

#include "goban/lowering/command.hpp"

namespace goban {
namespace {

class Report {
 public:
  Report(const CommandList& list, const Schedule& schedule, const Slots& slots)
      : list_(list), cycle_(schedule.cycle), slots_(slots) {}

  std::string text() const {
    std::ostringstream text;
    for (std::size_t i = 0; i < list_.commands.size(); ++i) {
      const Command& command = list_.commands[i];
      text << i << ": " << (command.patch < 0 ? "host" : "patch " + std::to_string(command.patch))
           << (command.stream == Stream::halo ? " halo" : "") << " step " << command.step << "  "
           << std::visit([&](const auto& what) { return words(what); }, command.what);
      if (command.bytes > 0) text << ", " << command.bytes << " bytes";
      if (command.flops > 0) text << ", " << command.flops << " flops";
      text << waits(command.waits) << "\n";
    }
    return text.str();
  }

 private:
  static std::string waits(const std::vector<Wait>& all) {
    std::string text;
    for (const Wait wait : all) {
      text += text.empty() ? ", waits for " : ", ";
      text += wait >= 0 ? std::to_string(wait) : "what came before";
    }
    return text;
  }
  const std::string& stage(int instance) const {
    return cycle_.instances[static_cast<std::size_t>(instance)].stage->name;
  }
  std::string name(const Component& what) const {
    const FieldRecord& field = slots_.field(what.slot);
    return field.components == 1 ? field.name
                                 : field.name + "[" + std::to_string(what.component) + "]";
  }
  std::string words(const CellCopy& copy) const {
    return " " + name(copy.what) + " " + std::to_string(copy.from) + to_string(copy.source) + "->" +
           std::to_string(copy.to) + to_string(copy.target);
  }
  std::string words(const std::vector<CellCopy>& copies) const {
    std::string text;
    for (const auto& copy : copies) text += words(copy);
    return text;
  }
  std::string words(const std::vector<HaloMessage>& messages) const {
    std::string text;
    for (const auto& message : messages) {
      text += message.end == MessageEnd::sends ? " to" : " from";
      text += " rank " + std::to_string(message.rank) + words(message.pieces);
    }
    return text;
  }
  std::string words(const Sweep& sweep) const {
    std::string text = "sweep " + stage(sweep.instance) + " " + to_string(sweep.box);
    if (!sweep.sends.empty()) text += ", sends" + words(sweep.sends);
    if (!sweep.row_copies.empty()) text += ", ends of rows" + words(sweep.row_copies);
    return text;
  }
  std::string words(const BlockedSweeps& pass) const {
    return "pass of " + std::to_string(pass.steps.size()) + " sweeps";
  }
  std::string words(const TakeNumbers& take) const {
    return "numbers of sweep " + std::to_string(take.step) + " of pass " +
           std::to_string(take.pass);
  }
  std::string words(const Fill& fill) const {
    std::string text = "fill";
    for (const GhostFill& ghosts : fill.ghosts) {
      text += " " + name(ghosts.what) + " " + "xyz"[ghosts.axis] +
              (ghosts.side == Side::low ? "-low " : "-high ") + to_string(ghosts.box);
    }
    return text;
  }
  std::string words(const Copy& copy) const { return "copy" + words(copy.cells); }
  std::string words(const Post& post) const {
    return std::string("post by ") + name_of(post.transport) + words(post.messages);
  }
  std::string words(const Arrive& arrive) const {
    return std::string("arrive by ") + name_of(arrive.transport) + words(arrive.messages);
  }
  static std::string words(const RankBarrier&) { return "devices of ranks wait for each other"; }
  static std::string words(const DeviceBarrier& barrier) {
    std::string text = "devices wait for each other";
    for (const auto& one : barrier.all) {
      text += "; patch " + std::to_string(one.patch) + waits(one.waits);
    }
    return text;
  }
  std::string words(const Reduce& reduce) const { return "reduce " + stage(reduce.instance); }
  std::string words(const ScalarStage& scalar) const { return "compute " + stage(scalar.instance); }
  std::string words(const BeginSample&) const { return "begin a record"; }
  std::string words(const Sample&) const { return "sample"; }
  std::string words(const MoveInPlace& move) const {
    return "cells move in place for " + stage(move.instance);
  }

  const CommandList& list_;
  const Cycle& cycle_;
  const Slots& slots_;
};

}  // namespace

std::string to_string(const CommandList& list, const Schedule& schedule, const Slots& slots) {
  return Report(list, schedule, slots).text();
}

}  // namespace goban
