// Lowers temporal blocking: the sweeps of several steps of a patch become one command.

#include <algorithm>
#include <set>

#include "goban/lowering/blocked_plan.hpp"
#include "goban/lowering/lowering.hpp"
#include "goban/program/updated_boxes.hpp"

namespace goban {
namespace {

using Kind = Operation::Kind;

bool are_alike(const FieldRecord& a, const FieldRecord& b) {
  return a.type == b.type && a.components == b.components && a.order == b.order &&
         a.location == b.location;
}

}  // namespace

/// The versions of the cycle that a pass reads or writes, as its commands number them.
struct Lowering::PassVersions {
  std::vector<BlockedSweeps::Version> versions;
  std::map<int, int> local;  ///< version of the cycle -> index into `versions`
  struct Kept {
    int slot;
    int target;  ///< the slot whose memory takes it; -1 for a spare buffer
  };
  std::vector<Kept> kept;  ///< the versions to keep; on CPUs all that are written

  int of(int version) const { return version < 0 ? -1 : local.at(version); }
  bool keeps(int version) const {
    const auto at = local.find(version);
    return at != local.end() && versions[static_cast<std::size_t>(at->second)].kept;
  }
};

/// Decides where the versions of a pass lie. On CPUs they lie where single sweeps would leave them.
/// On devices, versions that live only between steps of the pass never reach memory; a version that
/// must be kept goes into memory that the pass does not read: a buffer whose contents nobody needs
/// any more, or a spare one. Names are bound anew afterwards.
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
    const bool held = !produced && plan.is_read(static_cast<int>(i));
    if (!produced && !held) continue;
    const bool kept = produced && plan.is_kept(static_cast<int>(i));
    int target = v.slot;
    if (produced && !bindings_.is_asynchronous) all.kept.push_back({v.slot, target});
    if (kept && bindings_.is_asynchronous) {
      if (plan.is_in_use(v.slot) || taken[static_cast<std::size_t>(v.slot)]) {
        target = free_slot(v.slot);
      }
      if (target >= 0) taken[static_cast<std::size_t>(target)] = true;
      all.kept.push_back({v.slot, target});
    }
    all.local[static_cast<int>(i)] = static_cast<int>(all.versions.size());
    const MemoryNumber memory = target >= 0 ? this->memory(target) : spare_of(v.slot);
    all.versions.push_back({v.slot, memory, held, kept, v.widest(), {}});
  }
  return all;
}

/// Returns the spare buffer of a slot's field, and notes it as missing if it does not exist yet.
MemoryNumber Lowering::spare_of(int slot) {
  const int field = slots_.field(slot).id;
  const MemoryNumber spare = place_[static_cast<std::size_t>(field + fields())];
  const auto& entry = entries_[static_cast<std::size_t>(spare)];
  if (entry.serial < 0 || entry.halo != buffer(slot).halo) list_.spares_missing.push_back(field);
  return spare;
}

void Lowering::in_passes(int steps_per_pass) {
  const int steps = schedule_.cycle.steps;
  for (int first = 0; first < steps && list_.spares_missing.empty(); first += steps_per_pass) {
    pass(first, std::min(first + steps_per_pass, steps));
  }
}

/// Returns the halos of kept versions that the sweeps of a pass store into.
std::vector<MadeHalo> Lowering::made_by_pass(const BlockedPlan& plan,
                                             const PassVersions& versions) const {
  std::vector<MadeHalo> all;
  for (int id = 0; id < static_cast<int>(schedule_.cycle.instances.size()); ++id) {
    if (!plan.is_inside(id)) continue;
    for (const MadeHalo& made : schedule_.made[static_cast<std::size_t>(id)]) {
      const auto& written = instance(id).writes;
      const bool is_kept = std::any_of(written.begin(), written.end(), [&](int v) {
        return v >= 0 && version(v).slot == made.what.slot && versions.keeps(v);
      });
      if (made.sent && is_kept) all.push_back(made);
    }
  }
  return all;
}

/// Returns the copies into halos of other patches that a pass makes while it writes a kept version.
std::vector<CellCopy> Lowering::sends_of(int id, int patch, const PassVersions& versions) const {
  std::vector<CellCopy> sends;
  if (!bindings_.is_asynchronous) return sends;
  for (const Operation& op : schedule_.operations) {
    if (op.kind != Kind::sweep || op.instance != id || op.patch != patch) continue;
    for (const Operation& edge : op.edges) {
      if (!versions.keeps(edge.version)) continue;
      CellCopy copy = copy_of(edge, edge.pieces.front());
      copy.memory = copy.source_memory =
          versions.versions[static_cast<std::size_t>(versions.of(edge.version))].memory;
      sends.push_back(std::move(copy));
    }
  }
  return sends;
}

/// Whether a later step of the cycle reduces into the same parameter, so that nobody sees the
/// result of this one.
bool Lowering::is_reduced_again(int id) const {
  const auto& all = schedule_.cycle.instances;
  return std::any_of(all.begin() + id + 1, all.end(), [&](const Instance& later) {
    return later.stage->kind == Stage::Kind::reduce &&
           later.stage->target == instance(id).stage->target;
  });
}

/// Returns an instance as a step of a pass over one patch. If it leaves a part of a field
/// unchanged, the new version includes that part.
BlockedSweeps::Step Lowering::blocked(int id, const PatchGeometry& patch,
                                      const PassVersions& versions) const {
  const Instance& it = instance(id);
  BlockedSweeps::Step step;
  if (it.stage->samples) {
    for (const Samples::Part& part : it.stage->samples->parts()) {
      const Box box = sampled(*it.stage->samples, part, patch);
      if (!box.empty()) step.parts.push_back(box);
    }
  } else {
    step.parts = updated_boxes(it, slots_, patch);
  }
  Operation op;
  op.instance = id;
  op.patch = patch.patch;
  for (const Box& part : step.parts) op.box = hull(op.box, part);
  for (std::size_t a = 0; a < it.slot.size(); ++a) {
    step.reads.push_back(versions.of(it.reads[a]));
    step.writes.push_back(versions.of(it.writes[a]));
    step.keeps.push_back(it.writes[a] < 0 ? -1 : versions.of(version(it.writes[a]).previous));
    if (step.keeps.back() >= 0) {
      const Version& made = version(it.writes[a]);
      op.box = hull(op.box, extended(patch.owned_local(slots_.field(made.slot).location),
                                     patch.interior(made.widest())));
    }
  }
  if (it.mask_read >= 0) step.mask = versions.of(it.mask_read);
  step.sweep = sweep_of(op);
  step.sweep.sends = sends_of(id, patch.patch, versions);
  return step;
}

/// Lowers the steps `first` to `last` - 1 as one pass per patch.
void Lowering::pass(int first, int last) {
  const BlockedPlan plan(schedule_.cycle, first, last);
  const PassVersions versions = pass_versions(plan);
  if (!list_.spares_missing.empty()) return;
  const auto made = made_by_pass(plan, versions);
  std::set<MemoryNumber> used, sent;
  for (const auto& version : versions.versions) {
    if (version.held || version.kept) used.insert(version.memory);
  }
  for (const int slot : sent_to_ranks(made)) {
    for (const auto& version : versions.versions) {
      if (version.kept && version.slot == slot) sent.insert(version.memory);
    }
  }
  meet_ranks(used, sent);
  const auto patches = schedule_.patches.of_grid(slots_.field(0).grid);  // all are of one grid
  const auto position_of = [&](int patch) {
    return schedule_.patches.position(patch) - schedule_.patches.position(patches.front().patch);
  };
  std::vector<BlockedSweeps> passes(patches.size());
  std::vector<Command> commands;
  for (const auto& patch : patches) {
    passes[commands.size()].versions = versions.versions;
    for (auto& one : passes[commands.size()].versions) {
      one.cells =
          extended(patch.owned_local(slots_.field(one.slot).location), patch.interior(one.need));
    }
    commands.push_back(command(patch.patch, Stream::compute));
  }
  std::vector<int> reductions;
  std::map<int, std::size_t> step_of;  // instance -> of every pass
  for (int id = 0; id < static_cast<int>(schedule_.cycle.instances.size()); ++id) {
    if (!plan.is_inside(id)) continue;
    const Stage& stage = *instance(id).stage;
    step_ = instance(id).step;
    if (stage.kind == Stage::Kind::compute) {
      host(ScalarStage{id});
      continue;
    }
    if (stage.kind == Stage::Kind::sample) host(BeginSample{id});
    if (stage.kind == Stage::Kind::reduce) {
      if (is_reduced_again(id)) continue;
      reductions.push_back(id);
    }
    for (const auto& patch : patches) {
      const std::size_t position = position_of(patch.patch);
      auto& steps = passes[position].steps;
      step_of[id] = steps.size();
      steps.push_back(blocked(id, patch, versions));
      for (const Box& part : steps.back().parts) {
        commands[position].flops +=
            static_cast<double>(part.volume()) * static_cast<double>(stage.footprint.flops);
      }
      host(TakeNumbers{passes_ + static_cast<int>(position), static_cast<int>(step_of[id])});
    }
  }
  for (const Operation& op : schedule_.operations) {
    if (op.kind != Kind::fill || op.version < 0 || !plan.is_inside(version(op.version).producer)) {
      continue;
    }
    auto& step = passes[position_of(op.patch)].steps[step_of.at(version(op.version).producer)];
    step.fills.push_back(fill_of(op));
    step.fill_versions.push_back(versions.of(op.version));
  }
  // Where all that is reduced is reduced again there is nothing to do.
  if (step_of.empty()) passes.clear();
  passes_ += static_cast<int>(passes.size());
  for (std::size_t position = 0; position < passes.size(); ++position) {
    add_pass(std::move(commands[position]), std::move(passes[position]));
  }
  for (const int id : reductions) combine(id);
  for (const auto& [slot, target] : versions.kept) {
    const auto field = static_cast<std::size_t>(slots_.field(slot).id);
    const std::size_t other = target < 0 ? field + static_cast<std::size_t>(fields())
                                         : static_cast<std::size_t>(slots_.field(target).id);
    std::swap(place_[field], place_[other]);
    const auto joined = schedule_.patches.joined(slots_.field(slot).grid);
    for (auto& halo : buffer(slot).halos) halo.outdate(joined);
  }
  for (const MadeHalo& halo : made) mark(halo);
}

void Lowering::add_pass(Command command, BlockedSweeps pass) {
  std::vector<Touch> touches;
  for (const auto& version : pass.versions) {
    if (!version.held && !version.kept) continue;
    const FieldRecord& field = slots_.field(version.slot);
    const Box owned = schedule_.patches[command.patch].owned_local(field.location);
    const Box box = version.held ? layout(version.memory, command.patch).allocated() : owned;
    for (int c = 0; c < field.components; ++c) {
      touches.push_back(touch(version.memory, command.patch, c, box, version.kept));
    }
    command.bytes += bytes_of({version.slot, 0}, owned) * field.components / 2;
  }
  for (const auto& step : pass.steps) {
    for (const CellCopy& send : step.sweep.sends) {
      touches.push_back(touch(send.memory, send.to, send.what.component, send.target, true));
    }
  }
  command.step = step_;
  command.what = std::move(pass);
  order_.add(std::move(command), std::move(touches));
}

}  // namespace goban
