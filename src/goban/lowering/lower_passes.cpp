// Temporal blocking: the sweeps of several steps of a patch become one command.

#include <algorithm>

#include "goban/lowering/blocked_plan.hpp"
#include "goban/lowering/lowering.hpp"

namespace goban {
namespace {

using Kind = Operation::Kind;

bool are_alike(const FieldRecord& a, const FieldRecord& b) {
  return a.type == b.type && a.components == b.components && a.order == b.order &&
         a.location == b.location;
}

}  // namespace

/// Versions of the cycle that a pass reads or makes, as those of its commands.
struct Lowering::PassVersions {
  std::vector<BlockedSweeps::Version> versions;
  std::map<int, int> local;  ///< version of the cycle -> position here
  struct Kept {
    int slot;
    int target;  ///< slot whose memory takes it; -1: a spare buffer
  };
  std::vector<Kept> kept;

  int of(int version) const { return version < 0 ? -1 : local.at(version); }
};

/// Versions that live only between steps of the pass never reach memory. One that must be kept is
/// written beside what the pass reads: into a buffer whose contents nobody needs any more, or into
/// a spare one; the names are bound anew afterwards.
Lowering::PassVersions Lowering::pass_versions(const BlockedPlan& plan) {
  PassVersions all;
  std::vector<bool> taken(static_cast<std::size_t>(slots_.size()), false);
  const auto free_slot = [&](int slot) {
    for (int s = 0; s < slots_.size(); ++s) {
      if (s == slot || taken[static_cast<std::size_t>(s)]) continue;
      if (!are_alike(slots_.field(s), slots_.field(slot))) continue;
      if (buffer(s).halo == buffer(slot).halo && !plan.is_needed(s)) return s;
    }
    return -1;
  };
  const auto& versions = schedule_.cycle.versions;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Version& v = versions[i];
    const bool produced = plan.is_inside(v.producer);
    const bool held = !produced && plan.is_read(v);
    if (!produced && !held) continue;
    const bool kept = produced && plan.is_kept(v);
    int target = v.slot;
    if (kept) {
      if (plan.is_in_use(v.slot) || taken[static_cast<std::size_t>(v.slot)]) {
        target = free_slot(v.slot);
      }
      if (target >= 0) taken[static_cast<std::size_t>(target)] = true;
      all.kept.push_back({v.slot, target});
    }
    all.local[static_cast<int>(i)] = static_cast<int>(all.versions.size());
    const MemoryNumber memory = target >= 0 ? this->memory(target) : spare_of(v.slot);
    all.versions.push_back({v.slot, memory, held, kept, v.widest()});
  }
  return all;
}

/// A buffer like the slot's that has no name.
MemoryNumber Lowering::spare_of(int slot) {
  const int field = slots_.field(slot).id;
  const MemoryNumber spare = place_[static_cast<std::size_t>(field + fields())];
  const auto& entry = entries_[static_cast<std::size_t>(spare)];
  if (entry.serial < 0 || entry.halo != buffer(slot).halo) list_.spares_missing.push_back(field);
  return spare;
}

void Lowering::in_passes(std::size_t i, int steps_per_pass) {
  for (int slot = 0; slot < slots_.size(); ++slot) {
    if (buffer(slot).is_sent) rank_barrier();
  }
  const int steps = schedule_.cycle.steps;
  for (int first = 0; first < steps; first += steps_per_pass) {
    i = pass(i, first, std::min(first + steps_per_pass, steps));
  }
  for (auto& entry : entries_) {
    if (entry.serial >= 0) entry.is_used = true;
  }
}

/// The steps from `first` to `last`, which begin with operation i.
std::size_t Lowering::pass(std::size_t i, int first, int last) {
  const BlockedPlan plan(schedule_.cycle, first, last);
  const PassVersions versions = pass_versions(plan);
  if (!list_.spares_missing.empty()) return schedule_.operations.size();
  std::vector<BlockedSweeps> passes(schedule_.patches.size());
  std::vector<Command> commands;
  for (const auto& patch : schedule_.patches) {
    passes[commands.size()].versions = versions.versions;
    commands.push_back(command(patch.patch, Stream::compute));
  }
  const auto& operations = schedule_.operations;
  int latest = -1;  // the instance whose fills follow
  for (; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    const int id = op.kind == Kind::fill ? latest : op.instance;
    if (id >= 0 && instance(id).step >= last) break;
    if (op.instance >= 0) step_ = instance(op.instance).step;
    if (op.kind == Kind::compute) {
      order_.flush();
      host(ScalarStage{op.instance});
    }
    if (op.kind != Kind::sweep && op.kind != Kind::fill) continue;
    const std::size_t position = schedule_.patches.position(op.patch);
    auto& all = passes[position].steps;
    if (op.kind == Kind::sweep) {
      latest = op.instance;
      const Instance& it = instance(latest);
      BlockedSweeps::Step& step = all.emplace_back();
      step.sweep = sweep_of(op);
      for (const int v : it.reads) step.reads.push_back(versions.of(v));
      for (const int v : it.writes) step.writes.push_back(versions.of(v));
      commands[position].flops +=
          static_cast<double>(op.box.volume()) * static_cast<double>(it.stage->footprint.flops);
      const int number = passes_ + static_cast<int>(position);
      host(TakeNumbers{number, static_cast<int>(all.size()) - 1});
      continue;
    }
    for (const int v : instance(latest).writes) {
      if (v < 0 || version(v).slot != op.what.slot) continue;
      all.back().fills.push_back(fill_of(op));
      all.back().fill_versions.push_back(versions.of(v));
      break;
    }
  }
  passes_ += static_cast<int>(passes.size());
  for (std::size_t position = 0; position < passes.size(); ++position) {
    add_pass(std::move(commands[position]), std::move(passes[position]));
  }
  for (const auto& [slot, target] : versions.kept) {
    const auto field = static_cast<std::size_t>(slots_.field(slot).id);
    const std::size_t other = target < 0 ? field + static_cast<std::size_t>(fields())
                                         : static_cast<std::size_t>(slots_.field(target).id);
    std::swap(place_[field], place_[other]);
    for (auto& halo : buffer(slot).halos) halo.outdate(schedule_.patches.joined());
  }
  return i;
}

void Lowering::add_pass(Command command, BlockedSweeps pass) {
  std::vector<Touch> touches;
  for (const auto& version : pass.versions) {
    if (!version.held && !version.kept) continue;
    const FieldRecord& field = slots_.field(version.slot);
    const Box box = layout(version.memory, command.patch).allocated();
    for (int c = 0; c < field.components; ++c) {
      touches.push_back(touch(version.memory, command.patch, c, box, version.kept));
    }
    const Box owned = schedule_.patches[command.patch].owned_local(field.location);
    command.bytes += bytes_of({version.slot, 0}, owned) * field.components / 2;
  }
  command.step = step_;
  command.what = std::move(pass);
  order_.add(std::move(command), std::move(touches));
}

}  // namespace goban
