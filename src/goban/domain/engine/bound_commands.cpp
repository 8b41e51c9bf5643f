#include "goban/domain/engine/bound_commands.hpp"

#include <algorithm>

namespace goban {

std::vector<BoundCommand> Binder::bind(const CommandList& list) {
  for (const MemoryNumber memory : list.to_be_reached) {
    domain_.reach_halos(domain_.memory(memory));
  }
  std::vector<BoundCommand> all;
  for (const Command& command : list.commands) all.push_back(bind(command));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int bundled = list.commands[i].bundled;
    if (bundled == 0 || !all[i].executor->bundles()) continue;
    all[i].bundled = bundled;
    const auto is_told_anew = [](const BoundCommand& one) {
      return one.changes && !one.has_numbers;
    };
    bool is_all_told_anew = is_told_anew(all[i]);
    for (std::size_t n = i + 1; n <= i + static_cast<std::size_t>(bundled); ++n) {
      all[n].is_submitted = true;
      is_all_told_anew = is_all_told_anew || is_told_anew(all[n]);
      all[i].changes = all[i].changes || all[n].changes;
    }
    all[i].has_numbers = all[i].changes && !is_all_told_anew;
  }
  return all;
}

BoundCommand Binder::bind(const Command& command) const {
  BoundCommand all;
  if (command.patch >= 0) all.executor = &domain_.executor(command.patch);
  all.is_hosts = command.patch < 0 && !std::holds_alternative<DeviceBarrier>(command.what);
  all.changes = changes(command);
  all.submission.stream = command.stream;
  all.submission.patch = command.patch;
  if (const auto* sweep = std::get_if<Sweep>(&command.what)) {
    all.work = bound(*sweep, command.patch);
    all.has_numbers = all.changes && !std::get<BoundSweep>(all.work).is_in_place &&
                      all.executor->loops() && all.executor->recorder();
  } else if (const auto* pass = std::get_if<BlockedSweeps>(&command.what)) {
    all.work = bound(*pass, command.patch);
  } else if (const auto* fill = std::get_if<Fill>(&command.what)) {
    all.work = bound(*fill);
  } else if (const auto* copy = std::get_if<Copy>(&command.what)) {
    all.work = bound(*copy);
  } else if (std::holds_alternative<Post>(command.what) ||
             std::holds_alternative<Arrive>(command.what)) {
    all.work = bound_messages(command, *all.executor);
  } else if (std::holds_alternative<RankBarrier>(command.what)) {
    BoundRankBarrier barrier;
    for (const auto& [patch, path] : domain_.channels().peers(domain_.channels().are_peers())) {
      if (&domain_.executor(patch) == all.executor) barrier.paths.push_back(path);
    }
    all.work = std::move(barrier);
  } else if (const auto* devices = std::get_if<DeviceBarrier>(&command.what)) {
    BoundDeviceBarrier barrier;
    for (const auto& one : devices->all) {
      barrier.barriers.push_back({&domain_.executor(one.patch), one.stream, {}});
    }
    all.work = std::move(barrier);
  }
  return all;
}

bool Binder::changes(const Command& command) const {
  const auto moves = [&](const auto& parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const auto& part) { return is_in_place(part.what); });
  };
  const auto moves_in = [&](const std::vector<HaloMessage>& messages) {
    return std::any_of(messages.begin(), messages.end(),
                       [&](const HaloMessage& message) { return moves(message.pieces); });
  };
  if (const auto* sweep = std::get_if<Sweep>(&command.what)) {
    const Instance& it = instance(sweep->instance);
    return it.changes || std::any_of(it.slot.begin(), it.slot.end(), [&](int slot) {
             return slot >= 0 && slots_.field(slot).in_place;
           });
  }
  if (const auto* pass = std::get_if<BlockedSweeps>(&command.what)) {
    return std::any_of(pass->steps.begin(), pass->steps.end(),
                       [&](const auto& step) { return instance(step.sweep.instance).changes; });
  }
  if (const auto* fill = std::get_if<Fill>(&command.what)) {
    return std::any_of(fill->ghosts.begin(), fill->ghosts.end(), [&](const GhostFill& ghosts) {
      const FieldRecord& field = slots_.field(ghosts.what.slot);
      return field.in_place || field.has_timed_ghosts();
    });
  }
  if (const auto* copy = std::get_if<Copy>(&command.what)) return moves(copy->cells);
  if (const auto* post = std::get_if<Post>(&command.what)) return moves_in(post->messages);
  if (const auto* arrive = std::get_if<Arrive>(&command.what)) return moves_in(arrive->messages);
  return std::holds_alternative<Sample>(command.what);  // each goes to a place of its own
}

FieldBinding Binder::component(MemoryNumber memory, int patch, const Component& what) const {
  FieldBinding field = domain_.bind(domain_.memory(memory), patch);
  const auto offset = static_cast<Index>(slots_.field(what.slot).element_size()) *
                      field.component_offset(what.component);
  field.read += offset;
  field.write += offset;
  return field;
}

BoundSweep Binder::bound(const Sweep& sweep, int patch) const {
  const Instance& it = instance(sweep.instance);
  const Stage& stage = *it.stage;
  const auto of_stage = grid_of(stage);
  const GridState& grid = *of_stage;
  const PatchGeometry& geometry = schedule_.patches[patch];
  BoundSweep all;
  SweepTask& task = all.task;
  task.stage = it.stage;
  task.box = sweep.box;
  task.fields.resize(stage.arguments.size());
  task.values.assign(stage.arguments.size(), 0.0);
  Location location = Location::cell;
  bool found = false;
  for (std::size_t a = 0; a < stage.arguments.size(); ++a) {
    if (it.slot[a] < 0) continue;
    const FieldRecord& field = slots_.field(it.slot[a]);
    all.is_in_place = all.is_in_place || field.in_place;
    task.fields[a] = it.maps[a].is_identity()
                         ? domain_.bind(domain_.memory(sweep.memory[a]), patch)
                         : on_other_grid(sweep.memory[a], field, patch, it.maps[a]);
    task.fields[a].clip =
        extended(geometry.owned_local(field.location), geometry.interior(it.extent));
    task.order = field.order;
    if (!found || stage.arguments[a].access != Access::in) {
      if (!found || it.writes[a] >= 0) location = field.location;
      found = true;
    }
  }
  if (it.mask_slot >= 0) task.mask = domain_.bind(domain_.memory(sweep.mask), patch);
  task.site.index = geometry.owned.lower;
  task.site.extents = grid.cells;
  for (int a = 0; a < 3; ++a) {
    task.site.periodic[a] = grid.is_periodic(a);
    task.site.offset[a] = is_staggered(location, a) ? 0.0 : 0.5;
  }
  task.site.origin = grid.origin;
  task.site.spacing = grid.spacing;
  task.site.seed = grid.context->settings().seed;
  for (const auto& fill : sweep.row_fills) task.edge_fills.push_back(fill_task(fill));
  for (const auto& copy : sweep.row_copies) task.edge_copies.push_back(copy_task(copy));
  for (const auto& send : sweep.sends) task.sends.push_back(copy_task(send));
  if (stage.kind == Stage::Kind::reduce) {
    all.partial = std::make_unique<Reducer>();
    all.partial->kind = stage.reduction;
    task.reducer = all.partial.get();
  }
  return all;
}

/// Binds a field of another grid, in the patch of that grid that covers the same part of the
/// domain.
FieldBinding Binder::on_other_grid(MemoryNumber memory, const FieldRecord& field, int patch,
                                   const IndexMap& map) const {
  const int there = schedule_.patches.counterpart(patch, field.grid);
  FieldBinding binding = domain_.bind(domain_.memory(memory), there);
  const Index3 lower = schedule_.patches[there].owned.lower;
  Index elements = 0;
  for (std::size_t a = 0; a < 3; ++a) elements += lower[a] * binding.stride[a];
  binding.read -= elements * static_cast<Index>(field.element_size());
  binding.write = nullptr;
  binding.map = map;
  return binding;
}

BoundPass Binder::bound(const BlockedSweeps& pass, int patch) const {
  const PatchGeometry& geometry = schedule_.patches[patch];
  BoundPass all;
  for (const auto& version : pass.versions) {
    const FieldRecord& field = slots_.field(version.slot);
    const Buffer& buffer = domain_.memory(version.memory);
    PassTask::VersionInfo info;
    info.memory = domain_.bind(buffer, patch);
    info.type = field.type;
    info.components = field.components;
    info.held = version.held;
    info.kept = version.kept;
    info.owned = geometry.owned_local(field.location);
    info.allocated = buffer.layout[schedule_.patches.position(patch)].allocated();
    info.need = version.need;
    info.cells = version.cells;
    all.task.versions.push_back(info);
  }
  for (const auto& step : pass.steps) {
    PassTask::Step& task = all.task.steps.emplace_back();
    BoundSweep sweep = bound(step.sweep, patch);
    task.sweep = std::move(sweep.task);
    all.partials.push_back(std::move(sweep.partial));
    task.parts = step.parts;
    task.reads = step.reads;
    task.writes = step.writes;
    task.keeps = step.keeps;
    task.mask = step.mask;
    for (std::size_t f = 0; f < step.fills.size(); ++f) {
      task.fills.push_back(fill_task(step.fills[f]));
      task.fill_version.push_back(step.fill_versions[f]);
      task.fill_component.push_back(step.fills[f].what.component);
    }
  }
  return all;
}

FillTask Binder::fill_task(const GhostFill& fill) const {
  const FieldRecord& field = slots_.field(fill.what.slot);
  const GridState& grid = domain_.grid_of(field);
  const PatchGeometry& patch = schedule_.patches[fill.patch];
  FillTask task;
  task.field = component(fill.memory, fill.patch, fill.what);
  task.type = field.type;
  task.order = field.order;
  task.component = fill.what.component;
  const BoundaryCondition& condition = field.condition(fill.what.component, fill.axis, fill.side);
  task.condition = {condition.kind, condition.value_at(0), condition.rule};
  task.box = fill.box;
  task.axis = fill.axis;
  task.side = fill.side;
  task.cells = patch.owned.extent(fill.axis);
  task.staggered = is_staggered(field.location, fill.axis);
  task.inside = patch.owned_local(field.location).extent(fill.axis) - (task.staggered ? 1 : 0);
  task.spacing = grid.spacing[fill.axis];
  task.first = patch.owned.lower;
  for (int a = 0; a < 3; ++a) task.period[a] = grid.is_periodic(a) ? grid.cells[a] : 0;
  const Position origin = grid.position({0, 0, 0}, field.location);
  task.origin = {origin.x, origin.y, origin.z};
  task.spacings = grid.spacing;
  return task;
}

CopyTask Binder::copy_task(const CellCopy& copy) const {
  const FieldRecord& field = slots_.field(copy.what.slot);
  CopyTask task;
  task.source = component(copy.source_memory, copy.from, copy.what);
  FieldBinding target = domain_.bind_neighbor(domain_.memory(copy.memory), copy.from, copy.to);
  const auto offset =
      static_cast<Index>(field.element_size()) * target.component_offset(copy.what.component);
  target.read += offset;
  target.write += offset;
  task.target = std::move(target);
  task.type = field.type;
  task.order = field.order;
  task.source_box = copy.source;
  task.target_box = copy.target;
  task.cells = copy.cells;
  return task;
}

BoundFill Binder::bound(const Fill& fill) const {
  BoundFill all;
  for (const GhostFill& ghosts : fill.ghosts) {
    const FieldRecord& field = slots_.field(ghosts.what.slot);
    all.tasks.push_back(fill_task(ghosts));
    all.conditions.push_back(&field.condition(ghosts.what.component, ghosts.axis, ghosts.side));
    all.is_in_place = all.is_in_place || field.in_place;
    all.is_timed = all.is_timed || field.has_timed_ghosts();
  }
  return all;
}

BoundCopy Binder::bound(const Copy& copy) const {
  BoundCopy all;
  for (const CellCopy& cells : copy.cells) {
    all.tasks.push_back(copy_task(cells));
    all.is_in_place = all.is_in_place || is_in_place(cells.what);
  }
  return all;
}

BoundMessages Binder::bound_messages(const Command& command, Executor& executor) const {
  const auto* const post = std::get_if<Post>(&command.what);
  const auto* const arrive = std::get_if<Arrive>(&command.what);
  std::vector<BoundMessage> all;
  bool is_in_place = false;
  for (const HaloMessage& message : post ? post->messages : arrive->messages) {
    BoundMessage& one = all.emplace_back(BoundMessage{&message, &executor, {}});
    const bool sends = message.end == MessageEnd::sends;
    for (const CellCopy& piece : message.pieces) {
      const FieldRecord& field = slots_.field(piece.what.slot);
      CopyTask& task = one.cells.emplace_back();
      is_in_place = is_in_place || field.in_place;
      (sends ? task.source : task.target) = component(sends ? piece.source_memory : piece.memory,
                                                      sends ? piece.from : piece.to, piece.what);
      task.type = field.type;
      task.order = field.order;
      task.source_box = piece.source;
      task.target_box = piece.target;
      task.cells = piece.cells;
    }
  }
  HaloChannel& channel = domain_.channels().by(post ? post->transport : arrive->transport);
  return {post ? channel.post(std::move(all)) : channel.arrive(std::move(all)), is_in_place};
}

void Binder::rebind(const Command& command, Executor& executor, BoundMessages& bound) const {
  bound = bound_messages(command, executor);
}

void Binder::rebind(const Command& command, BoundSweep& sweep) const {
  const Sweep& what = std::get<Sweep>(command.what);
  const auto& slots = instance(what.instance).slot;
  for (std::size_t a = 0; a < slots.size(); ++a) {
    if (slots[a] < 0 || !is_in_place({slots[a], 0})) continue;
    const Box clip = sweep.task.fields[a].clip;
    sweep.task.fields[a] = domain_.bind(domain_.memory(what.memory[a]), command.patch);
    sweep.task.fields[a].clip = clip;
  }
  for (std::size_t i = 0; i < what.sends.size(); ++i) {
    sweep.task.sends[i] = copy_task(what.sends[i]);
  }
  for (std::size_t i = 0; i < what.row_copies.size(); ++i) {
    sweep.task.edge_copies[i] = copy_task(what.row_copies[i]);
  }
  for (std::size_t i = 0; i < what.row_fills.size(); ++i) {
    sweep.task.edge_fills[i] = fill_task(what.row_fills[i]);
  }
}

void Binder::rebind(const Fill& fill, BoundFill& bound) const {
  for (std::size_t i = 0; i < fill.ghosts.size(); ++i) {
    bound.tasks[i].field =
        component(fill.ghosts[i].memory, fill.ghosts[i].patch, fill.ghosts[i].what);
  }
}

void Binder::rebind(const Copy& copy, BoundCopy& bound) const {
  for (std::size_t i = 0; i < copy.cells.size(); ++i) {
    bound.tasks[i] = copy_task(copy.cells[i]);
  }
}

}  // namespace goban
