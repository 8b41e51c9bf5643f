#include "goban/lowering/lower.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "goban/lowering/bundles.hpp"
#include "goban/lowering/lowering.hpp"

namespace goban {

using Kind = Operation::Kind;

Lowering::Lowering(const Schedule& schedule, const Slots& slots, const Bindings& bindings)
    : schedule_(schedule),
      slots_(slots),
      bindings_(bindings),
      order_(bindings, schedule.patches),
      place_(bindings.state.entries.size()),
      entries_(bindings.state.entries),
      skipped_(schedule.exchanges.size()) {
  std::iota(place_.begin(), place_.end(), 0);
  shared_ = place_;
  for (int slot = 0; slot < slots.size(); ++slot) {
    const FieldRecord& field = slots.field(slot);
    if (field.in_place_of >= 0) shared_[static_cast<std::size_t>(field.id)] = field.in_place_of;
  }
  list_.steps = schedule.cycle.steps;
}

CommandList Lowering::run(int steps_per_pass) {
  const auto& operations = schedule_.operations;
  const auto begins = [](const Operation& op) {
    return op.kind == Kind::begin_sweeps || op.kind == Kind::compute || op.kind == Kind::sample;
  };
  for (std::size_t i = 0; i < operations.size();) {
    if (steps_per_pass > 1 && begins(operations[i])) {
      combine_all();
      in_passes(steps_per_pass);
      break;
    }
    i = next(i);
  }
  return finish();
}

std::size_t Lowering::next(std::size_t i) {
  const Operation& op = schedule_.operations[i];
  if (!stands_beside_reductions(op)) combine_all();
  if (op.instance >= 0) step_ = instance(op.instance).step;
  switch (op.kind) {
    case Kind::begin_exchange: begin_exchange(op.exchange); break;
    case Kind::end_exchange: end_exchange(op.exchange); break;
    case Kind::copy:
    case Kind::fill: return copies_and_fills(i);
    case Kind::send:
    case Kind::receive: return messages(i);
    case Kind::begin_sweeps: begin_sweeps(op.instance); break;
    case Kind::sweep: sweep(op); break;
    case Kind::combine: reduced_.push_back(op.instance); break;
    case Kind::compute:
      order_.flush();
      host(ScalarStage{op.instance});
      break;
    case Kind::sample: sample(op); break;
  }
  return i + 1;
}

Command Lowering::command(int patch, Stream stream) const {
  Command command;
  command.step = step_;
  command.patch = patch;
  command.stream = stream;
  return command;
}

void Lowering::host(decltype(Command::what) what) {
  Command command = this->command(-1, Stream::compute);
  command.what = std::move(what);
  order_.add_for_host(std::move(command));
}

/// Whether an operation may come before earlier reductions are combined. Only sweeps of another
/// reduction that uses none of their results may; so reductions stand side by side and can be
/// bundled.
bool Lowering::stands_beside_reductions(const Operation& op) const {
  if (reduced_.empty() || op.kind == Kind::combine) return true;
  if (op.kind != Kind::begin_sweeps && op.kind != Kind::sweep) return false;
  const Instance& it = instance(op.instance);
  return it.stage->kind == Stage::Kind::reduce && it.step == instance(reduced_.back()).step &&
         std::none_of(it.stage->arguments.begin(), it.stage->arguments.end(), [&](const auto& a) {
           return std::any_of(reduced_.begin(), reduced_.end(), [&](int id) {
             return a.parameter && a.parameter == instance(id).stage->target;
           });
         });
}

void Lowering::combine_all() {
  for (const int id : std::exchange(reduced_, {})) combine(id);
}

/// Adds the command that combines the partial results of all sweeps of this instance.
void Lowering::combine(int instance) {
  order_.flush();
  Reduce reduce{instance, {}};
  const auto& commands = order_.commands();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const int number = static_cast<int>(i);
    if (const auto* sweep = std::get_if<Sweep>(&commands[i].what)) {
      if (sweep->instance == instance) reduce.partials.push_back({number, -1});
    } else if (const auto* pass = std::get_if<BlockedSweeps>(&commands[i].what)) {
      for (std::size_t step = 0; step < pass->steps.size(); ++step) {
        if (pass->steps[step].sweep.instance != instance) continue;
        reduce.partials.push_back({number, static_cast<int>(step)});
      }
    }
  }
  host(std::move(reduce));
}

/// Completes the list: which memory names and spares are bound to afterwards, and what later
/// commands may have to wait for.
CommandList Lowering::finish() {
  combine_all();
  order_.flush();
  list_.commands = order_.take();
  bundle_sweeps(list_.commands, schedule_.cycle, slots_, bindings_.is_asynchronous);
  std::vector<MemoryNumber> from = place_;
  for (int name = 0; name < slots_.size(); ++name) {
    const int slot = schedule_.cycle.binding[static_cast<std::size_t>(name)];
    from[static_cast<std::size_t>(slots_.field(name).id)] = memory(slot);
  }
  list_.after.channels = bindings_.state.channels;
  for (const MemoryNumber memory : from) {
    list_.after.entries.push_back(entries_[static_cast<std::size_t>(memory)]);
  }
  std::map<int, Hazards::Place> places;
  for (std::size_t m = 0; m < from.size(); ++m) places[from[m]] = {static_cast<int>(m), 0};
  for (int slot = 0; slot < slots_.size(); ++slot) {  // rings that both names of a pair share
    const FieldRecord& field = slots_.field(slot);
    if (!field.in_place || field.in_place_of >= 0) continue;
    const auto moves = moves_.find(from[static_cast<std::size_t>(field.id)]);
    places[field.id] = {field.id, moves == moves_.end() ? 0 : moves->second};
  }
  list_.from = std::move(from);
  list_.hazards = std::move(order_.hazards());
  list_.left = list_.hazards.settle(places);
  return std::move(list_);
}

CommandList lower(const Schedule& schedule, const Slots& slots, const Bindings& bindings,
                  int steps_per_pass) {
  return Lowering(schedule, slots, bindings).run(steps_per_pass);
}

}  // namespace goban
