#include "goban/domain/cycle_run.hpp"

#include <algorithm>

#include "goban/backend/timeline.hpp"
#include "goban/base/activity.hpp"
#include "goban/base/stopwatch.hpp"
#include "goban/domain/pass_plan.hpp"
#include "goban/domain/rank_reductions.hpp"
#include "goban/domain/whole_sectors.hpp"
#include "goban/program/ghost_operations.hpp"
#include "goban/program/in_place.hpp"

namespace goban {
namespace {

using Kind = Operation::Kind;

constexpr Index widest_pack = 64;  // bytes

}  // namespace

CycleRun::CycleRun(Domain& domain, const Slots& slots, const Schedule& schedule, StepClock& clock,
                   TimeSplit& split, std::vector<SampleMemory>& samples)
    : domain_(domain),
      slots_(slots),
      schedule_(schedule),
      clock_(clock),
      split_(split),
      samples_(samples),
      submissions_(domain) {
  skipped_.resize(schedule.exchanges.size());
}

void CycleRun::in_order() {
  const auto& operations = schedule_.operations;
  for (std::size_t i = 0; i < operations.size();) {
    const Operation& op = operations[i];
    if (op.instance >= 0) advance_to(instance(op.instance).step);
    note_progress();
    switch (op.kind) {
      case Kind::begin_exchange: begin_exchange(op.exchange); break;
      case Kind::end_exchange: end_exchange(op.exchange); break;
      case Kind::copy:
      case Kind::fill: i = copies_and_fills(i); continue;
      case Kind::send:
      case Kind::receive: i = messages(i); continue;
      case Kind::begin_sweeps: begin_sweeps(op.instance); break;
      case Kind::sweep: sweep(op); break;
      case Kind::combine: combine(op.instance); break;
      case Kind::compute: compute(op); break;
      case Kind::sample: sample(op); break;
    }
    ++i;
  }
  finish();
}

void CycleRun::in_passes(int steps_per_pass) {
  const auto& operations = schedule_.operations;
  std::size_t i = 0;
  // The exchanges of a schedule that computes ahead come first.
  while (i < operations.size() && operations[i].kind != Kind::begin_sweeps &&
         operations[i].kind != Kind::compute) {
    const Operation& op = operations[i];
    if (op.kind == Kind::begin_exchange) begin_exchange(op.exchange);
    if (op.kind == Kind::end_exchange) end_exchange(op.exchange);
    if (op.kind == Kind::copy || op.kind == Kind::fill) {
      i = copies_and_fills(i);
    } else if (op.kind == Kind::send || op.kind == Kind::receive) {
      i = messages(i);
    } else {
      ++i;
    }
  }
  for (int slot = 0; slot < slots_.size(); ++slot) {
    if (buffer(slot).is_sent) meet_over_ways();
  }
  PassPlan plan(schedule_, slots_);
  for (int first = 0; first < schedule_.cycle.steps; first += steps_per_pass) {
    const int last = std::min(first + steps_per_pass, schedule_.cycle.steps);
    plan.begin(first, last, domain_);
    for (; i < operations.size(); ++i) {
      const Operation& op = operations[i];
      const int id = op.kind == Kind::fill ? plan.latest_instance() : op.instance;
      if (id >= 0 && instance(id).step >= last) break;
      if (op.instance >= 0) advance_to(instance(op.instance).step);
      if (op.kind == Kind::compute) compute(op);
      if (op.kind == Kind::sweep)
        plan.add(op.instance, sweep_task(op.instance, op.patch, op.box), op.patch);
      if (op.kind == Kind::fill) plan.add(op, fill_task(op));
    }
    const Stopwatch watch(split_.compute);
    plan.run(domain_, submissions_);
    note_progress();
  }
  domain_.use_halos();
  finish();
}

void CycleRun::change(Recording& recording) {
  for (const Operation& op : schedule_.operations) {
    if (op.instance < 0) continue;
    advance_to(instance(op.instance).step);
    if (op.kind == Kind::compute) compute(op);
    if (op.kind == Kind::sample) begin_record(op);
    if (op.kind != Kind::sweep || op.box.empty() || !instance(op.instance).changes) continue;
    SweepTask task;
    task.stage = instance(op.instance).stage;
    set_changing(task);
    recording.change((*next_number_)++, task);
  }
  advance_to(schedule_.cycle.steps);
}

/// Moves the clock to a later step of the cycle.
void CycleRun::advance_to(int step) {
  for (; step_ < step; ++step_) clock_.advance();
}

void CycleRun::finish() {
  submissions_.flush();
  advance_to(schedule_.cycle.steps);
  std::vector<int> source(domain_.grid().fields.size());
  for (std::size_t f = 0; f < source.size(); ++f) source[f] = static_cast<int>(f);
  for (int name = 0; name < slots_.size(); ++name) {
    const int slot = schedule_.cycle.binding[static_cast<std::size_t>(name)];
    source[static_cast<std::size_t>(slots_.field(name).id)] = slots_.field(slot).id;
  }
  domain_.rebind(source);
}

void CycleRun::compute(const Operation& op) {
  submissions_.flush();
  const Doing call(Activity::call);
  instance(op.instance).stage->compute(clock_.time);
}

void CycleRun::begin_exchange(int id) {
  const Exchange& exchange = schedule_.exchanges[static_cast<std::size_t>(id)];
  auto& skipped = skipped_[static_cast<std::size_t>(id)];
  skipped.clear();
  for (const auto& item : exchange.items) {
    if (buffer(item.what.slot).is_sent) meet_over_ways();
  }
  for (const auto& item : exchange.items) {
    const auto component = static_cast<std::size_t>(item.what.component);
    const FieldRecord& field = slots_.field(item.what.slot);
    const ComponentHalo& halo = buffer(item.what.slot).halos[component];
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

void CycleRun::end_exchange(int id) {
  const Exchange& exchange = schedule_.exchanges[static_cast<std::size_t>(id)];
  for (const auto& item : exchange.items) {
    Buffer& exchanged = buffer(item.what.slot);
    exchanged.is_used = true;
    exchanged.halos[static_cast<std::size_t>(item.what.component)].make(item.need, exchange.corners,
                                                                        constants(item.what));
  }
}

/// What lies beyond the ends of every axis, if it never changes.
std::array<ComponentHalo::Constants, 3> CycleRun::constants(const Component& what) const {
  const FieldRecord& field = slots_.field(what.slot);
  return {field.constants_beyond(what.component, 0), field.constants_beyond(what.component, 1),
          field.constants_beyond(what.component, 2)};
}

/// The ghosts of a fill are constants that an earlier exchange has left there.
bool CycleRun::is_there(const Operation& fill) {
  if (fill.exchange < 0) return false;
  const Exchange& exchange = schedule_.exchanges[static_cast<std::size_t>(fill.exchange)];
  const FieldRecord& field = slots_.field(fill.what.slot);
  const auto& halo = buffer(fill.what.slot).halos[static_cast<std::size_t>(fill.what.component)];
  return !sets_wall(field) && halo.constants[static_cast<std::size_t>(fill.axis)] &&
         halo.constants == constants(fill.what) &&
         halo.made.covers(exchange.items[static_cast<std::size_t>(fill.item)].need) &&
         (halo.corners || !exchange.corners);
}

bool CycleRun::is_skipped(int exchange, int item, int axis) const {
  return exchange >= 0 && skipped_[static_cast<std::size_t>(exchange)]
                                  [static_cast<std::size_t>(item)][static_cast<std::size_t>(axis)];
}

FieldBinding CycleRun::component(int slot, int patch, int component) {
  return component_of(domain_.bind(buffer(slot), patch), {slot, component});
}

FieldBinding CycleRun::component_of(FieldBinding field, const Component& what) const {
  const auto offset = static_cast<Index>(slots_.field(what.slot).element_size()) *
                      field.component_offset(what.component);
  field.read += offset;
  field.write += offset;
  return field;
}

FillTask CycleRun::fill_task(const Operation& op) {
  const FieldRecord& field = slots_.field(op.what.slot);
  const GridState& grid = domain_.grid();
  const PatchGeometry& patch = schedule_.patches[op.patch];
  FillTask task;
  task.field = component(op.what.slot, op.patch, op.what.component);
  task.type = field.type;
  task.order = field.order;
  task.component = op.what.component;
  const BoundaryCondition& condition = field.condition(op.what.component, op.axis, op.side);
  task.condition = {condition.kind, condition.value_at(clock_.time), condition.rule};
  task.box = op.box;
  task.axis = op.axis;
  task.side = op.side;
  task.cells = patch.owned.extent(op.axis);
  task.staggered = is_staggered(field.location, op.axis);
  task.inside = patch.owned_local(field.location).extent(op.axis) - (task.staggered ? 1 : 0);
  task.spacing = grid.spacing[op.axis];
  task.first = patch.owned.lower;
  for (int a = 0; a < 3; ++a) task.period[a] = grid.is_periodic(a) ? grid.cells[a] : 0;
  const Position origin = grid.position({0, 0, 0}, field.location);
  task.origin = {origin.x, origin.y, origin.z};
  task.spacings = grid.spacing;
  task.time = clock_.time;
  return task;
}

CopyTask CycleRun::copy_task(const Operation& op, const Piece& piece) {
  CopyTask task;
  task.source = component(piece.what.slot, op.other_patch, piece.what.component);
  task.target = component_of(
      domain_.bind_neighbor(buffer(piece.what.slot), op.other_patch, op.patch), piece.what);
  task.type = slots_.field(piece.what.slot).type;
  task.order = slots_.field(piece.what.slot).order;
  task.source_box = piece.source;
  task.target_box = piece.target;
  if (op.patch == op.other_patch && domain_.executor(op.patch).is_asynchronous()) {
    copy_whole_sectors(task, buffer(piece.what.slot).layout[domain_.patches().position(op.patch)]);
  }
  return task;
}

/// Runs the copies and fills from `first` on that belong together: one axis of one exchange, or
/// the fills after one write. Returns the operation after them.
std::size_t CycleRun::copies_and_fills(std::size_t first) {
  const Stopwatch watch(split_.halo);
  const auto& operations = schedule_.operations;
  std::size_t i = first;
  std::vector<FillTask> fills;
  std::vector<CopyTask> copies;
  std::vector<Touch> touches;
  auto touch_fill = [&](const FillTask& f, int component) {
    Box interior = f.box;
    // The mirrored cells it reads lie just inside; a rule of the user's own reads deeper.
    const bool is_custom = f.condition.kind == BoundaryCondition::Kind::custom;
    const Index width = std::max<Index>(f.box.extent(f.axis), is_custom ? GhostCell::most : 0) + 1;
    (f.side == Side::low ? interior.upper : interior.lower)[f.axis] +=
        f.side == Side::low ? width : -width;
    touches.push_back(touch(f.field, component, f.box, true));
    touches.push_back(touch(f.field, component, interior, false));
  };
  auto step_of = [&](const Operation& op) {
    return op.instance < 0 ? -1 : instance(op.instance).step;
  };
  const bool asynchronous = domain_.some_executor().is_asynchronous();
  const int exchange = operations[first].exchange;
  const bool all_at_once = asynchronous && exchange >= 0 &&
                           !schedule_.exchanges[static_cast<std::size_t>(exchange)].corners;
  for (; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    if (op.kind != Kind::copy && op.kind != Kind::fill) break;
    if (op.exchange != operations[first].exchange) break;
    if (step_of(op) != step_of(operations[first])) break;  // conditions may see the time
    if (op.axis != operations[first].axis && !all_at_once) break;
    // A submission is one patch's work on one queue. Without corners nothing waits for another
    // axis.
    if (asynchronous && i > first) {
      const Operation& leader = operations[first];
      if (op.kind != leader.kind || op.stream != leader.stream || op.patch != leader.patch) break;
      if (op.kind == Kind::copy && domain_.copier(op.other_patch, op.patch) !=
                                       domain_.copier(leader.other_patch, leader.patch)) {
        break;
      }
    }
    if (op.kind == Kind::fill) {
      if (is_skipped(op.exchange, op.item, op.axis) || is_there(op)) continue;
      fills.push_back(fill_task(op));
      if (asynchronous) touch_fill(fills.back(), op.what.component);
      continue;
    }
    for (const auto& piece : op.pieces) {
      if (is_skipped(op.exchange, piece.item, op.axis)) continue;
      copies.push_back(copy_task(op, piece));
      if (!asynchronous) continue;
      const CopyTask& c = copies.back();
      touches.push_back(touch(c.source, piece.what.component, c.source_box, false));
      touches.push_back(touch(c.target, piece.what.component, c.target_box, true));
    }
  }
  const Operation& op = operations[first];
  const int patch = op.kind == Kind::copy ? domain_.copier(op.other_patch, op.patch) : op.patch;
  Executor& executor = domain_.executor(patch);
  const Submission submission{op.stream, {}, asynchronous ? patch : -1, clock_.step};
  if (asynchronous) {
    if (touches.empty()) return i;
    submissions_.add(
        Submissions::Work::computes, submission, std::move(touches),
        [&executor, copies = std::move(copies), fills = std::move(fills)](const Submission& s) {
          return copies.empty() ? executor.fill(fills, s) : executor.copy(copies, s);
        });
    return i;
  }
  if (!copies.empty()) executor.copy(copies, submission);
  if (!fills.empty()) executor.fill(fills, submission);
  return i;
}

SweepTask CycleRun::sweep_task(int instance_id, int patch, const Box& box) {
  const Instance& it = instance(instance_id);
  const Stage& stage = *it.stage;
  const GridState& grid = domain_.grid();
  const PatchGeometry& geometry = schedule_.patches[patch];
  SweepTask task;
  task.stage = it.stage;
  task.box = box;
  task.fields.resize(stage.arguments.size());
  Location location = Location::cell;
  bool found = false;
  for (std::size_t a = 0; a < stage.arguments.size(); ++a) {
    const auto& argument = stage.arguments[a];
    if (it.slot[a] < 0) continue;
    const FieldRecord& field = slots_.field(it.slot[a]);
    task.fields[a] = domain_.bind(buffer(it.slot[a]), patch);
    task.fields[a].clip =
        extended(geometry.owned_local(field.location), geometry.interior(it.extent));
    task.order = field.order;
    if (!found || argument.access != Access::in) {
      if (!found || it.writes[a] >= 0) location = field.location;
      found = true;
    }
  }
  if (it.mask_slot >= 0) task.mask = domain_.bind(buffer(it.mask_slot), patch);
  task.site.index = geometry.owned.lower;
  task.site.extents = grid.cells;
  for (int a = 0; a < 3; ++a) {
    task.site.periodic[a] = grid.is_periodic(a);
    task.site.offset[a] = is_staggered(location, a) ? 0.0 : 0.5;
  }
  task.site.origin = grid.origin;
  task.site.spacing = grid.spacing;
  task.site.seed = grid.context->settings().seed;
  set_changing(task);
  return task;
}

void CycleRun::set_changing(SweepTask& task) const {
  const auto& arguments = task.stage->arguments;
  task.values.assign(arguments.size(), 0.0);
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (arguments[a].parameter) task.values[a] = arguments[a].parameter->value;
  }
  task.site.step = clock_.step;
  task.site.time = clock_.time;
}

void CycleRun::sweep(const Operation& op) {
  if (op.box.empty()) return;
  const Instance& it = instance(op.instance);
  SweepTask task = sweep_task(op.instance, op.patch, op.box);
  if (next_number_ && it.changes) task.recorded_as = (*next_number_)++;
  Partial* partial = nullptr;
  if (it.stage->kind == Stage::Kind::reduce) {
    partials_.push_back({op.instance, std::make_unique<Reducer>(), nullptr});
    partial = &partials_.back();
    task.reducer = partial->reducer.get();
    task.reducer->kind = it.stage->reduction;
  }
  Executor& executor = domain_.executor(op.patch);
  const Submission submission{op.stream, {}, op.patch, clock_.step};
  if (!executor.is_asynchronous()) {
    for (const auto& edge : op.edges) {
      if (edge.kind == Kind::fill) task.edge_fills.push_back(fill_task(edge));
      for (const auto& piece : edge.pieces) task.edge_copies.push_back(copy_task(edge, piece));
    }
    {
      const Stopwatch watch(split_.compute);
      executor.sweep(task, submission);
    }
    return;
  }
  std::vector<Touch> touches;
  auto touch_components = [&](int slot, std::size_t argument, const Box& box, bool writes) {
    FieldBinding field = task.fields[argument];
    const auto element = static_cast<Index>(slots_.field(slot).element_size());
    for (int c = 0; c < slots_.field(slot).components; ++c) {
      touches.push_back(touch(field, c, box, writes));
      field.read += element * field.component_stride;
    }
  };
  const InPlacePair pair = in_place_pair(*it.stage);
  for (std::size_t a = 0; a < it.slot.size(); ++a) {
    if (it.slot[a] < 0) continue;
    if (static_cast<int>(a) == pair.to) {
      // What is written is what is read; cells of the field that is read tell where.
      const auto moves = moves_in_place(*it.stage, pair);
      for (int c = 0; c < slots_.field(it.slot[a]).components; ++c) {
        const auto& [i, j, k] = moves[static_cast<std::size_t>(c)];
        touches.push_back(touch(task.fields[static_cast<std::size_t>(pair.from)], c,
                                shifted(op.box, {i, j, k}), true));
      }
    } else if (it.writes[a] >= 0) {
      touch_components(it.slot[a], a, op.box, true);
    }
    if (it.reads[a] < 0) continue;
    Extents reach;
    for (const Read& r : it.stage->footprint.reads) {
      if (static_cast<std::size_t>(r.parameter) != a) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        reach.low[axis] = std::max<Index>(reach.low[axis], -r.offset[axis]);
        reach.high[axis] = std::max<Index>(reach.high[axis], r.offset[axis]);
      }
    }
    // Packs at the ends of a row read whole, and those beside them, also cells whose results are
    // dropped.
    const Index pack = widest_pack / static_cast<Index>(slots_.field(it.slot[a]).element_size());
    Box read = extended(op.box, reach);
    const auto fast = static_cast<std::size_t>(task.order[0]);
    read.lower[fast] = round_down(read.lower[fast], pack);
    read.upper[fast] = round_up(read.upper[fast], pack);
    touch_components(it.slot[a], a, read, false);
  }
  if (it.mask_slot >= 0) touches.push_back({task.mask.read, op.box, false});
  for (const auto& edge : op.edges) {
    task.sends.push_back(copy_task(edge, edge.pieces.front()));
    const CopyTask& send = task.sends.back();
    touches.push_back(
        touch(send.target, edge.pieces.front().what.component, send.target_box, true));
  }
  submissions_.add(Submissions::Work::computes, submission, std::move(touches),
                   [&executor, partial, task = std::move(task)](const Submission& s) {
                     EventPtr event = executor.sweep(task, s);
                     if (partial) partial->event = event;
                     return event;
                   });
}

void CycleRun::combine(int instance_id) {
  submissions_.flush();
  const Stage& stage = *instance(instance_id).stage;
  Reducer total;
  total.kind = stage.reduction;
  for (auto& partial : partials_) {
    if (partial.instance != instance_id) continue;
    if (partial.event) {
      const HostSpan span(domain_.grid().context->timeline(), Timeline::Kind::wait, stage.name);
      partial.event->wait();
    }
    total.merge(*partial.reducer);
  }
  std::erase_if(partials_, [&](const Partial& p) { return p.instance == instance_id; });
  reduce_over_ranks(domain_.communicator(), total);
  stage.target->value = total.value();
}

}  // namespace goban
