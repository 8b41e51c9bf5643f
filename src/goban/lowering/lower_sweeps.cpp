// Lowers sweeps and samples and finds the cells that they touch.

#include <algorithm>

#include "goban/lowering/lowering.hpp"
#include "goban/program/in_place.hpp"
#include "goban/program/samples.hpp"

namespace goban {
namespace {

constexpr Index widest_pack = 64;  // bytes

/// Returns how far an argument is read along each axis.
Extents reach_of(const Stage& stage, std::size_t argument) {
  Extents reach;
  for (const Read& r : stage.footprint.reads) {
    if (static_cast<std::size_t>(r.parameter) != argument) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      reach.low[axis] = std::max<Index>(reach.low[axis], -r.offset[axis]);
      reach.high[axis] = std::max<Index>(reach.high[axis], r.offset[axis]);
    }
  }
  return reach;
}

/// Returns the memory order of a sweep's fields.
const std::array<int, 3>& order_of(const Instance& it, const Slots& slots) {
  const auto last = std::find_if(it.slot.rbegin(), it.slot.rend(), [](int s) { return s >= 0; });
  return last == it.slot.rend() ? ijk::order : slots.field(*last).order;
}

}  // namespace

Sweep Lowering::sweep_of(const Operation& op) const {
  const Instance& it = instance(op.instance);
  Sweep sweep;
  sweep.instance = op.instance;
  sweep.box = op.box;
  for (const int slot : it.slot) sweep.memory.push_back(slot < 0 ? 0 : memory(slot));
  if (it.mask_slot >= 0) sweep.mask = memory(it.mask_slot);
  for (const auto& edge : op.edges) {
    if (bindings_.is_asynchronous) {
      sweep.sends.push_back(copy_of(edge, edge.pieces.front()));
      continue;
    }
    if (edge.kind == Operation::Kind::fill) sweep.row_fills.push_back(fill_of(edge));
    for (const auto& piece : edge.pieces) sweep.row_copies.push_back(copy_of(edge, piece));
  }
  return sweep;
}

void Lowering::sweep(const Operation& op) {
  if (op.box.empty()) return;
  Command command = this->command(op.patch, op.stream);
  Sweep sweep = sweep_of(op);
  count(command, sweep);
  auto touches = bindings_.is_asynchronous ? touches_of(sweep, op) : std::vector<Touch>{};
  command.what = std::move(sweep);
  order_.add(std::move(command), std::move(touches));
}

void Lowering::count(Command& command, const Sweep& sweep) const {
  const Instance& it = instance(sweep.instance);
  const auto cells = static_cast<double>(sweep.box.volume());
  command.flops += cells * static_cast<double>(it.stage->footprint.flops);
  if (it.mask_slot >= 0) command.bytes += cells;
  for (std::size_t a = 0; a < it.slot.size(); ++a) {
    if (it.slot[a] < 0) continue;
    const FieldRecord& field = slots_.field(it.slot[a]);
    double moves = components_moved(sweep, *it.stage, a);
    for (std::size_t axis = 0; axis < 3; ++axis) {  // cells read for one that is written
      moves *= static_cast<double>(it.maps[a].scale[axis]) / (1 << it.maps[a].halving[axis]);
    }
    command.bytes += cells * moves * static_cast<double>(field.element_size());
  }
}

std::vector<Touch> Lowering::touches_of(const Sweep& sweep, const Operation& op) const {
  const Instance& it = instance(sweep.instance);
  std::vector<Touch> touches;
  const auto touch_all = [&](std::size_t a, int patch, const Box& box, bool writes) {
    for (int c = 0; c < slots_.field(it.slot[a]).components; ++c) {
      touches.push_back(touch(sweep.memory[a], patch, c, box, writes));
    }
  };
  const InPlacePair pair = in_place_pair(*it.stage);
  const auto fast = static_cast<std::size_t>(order_of(it, slots_)[0]);
  for (std::size_t a = 0; a < it.slot.size(); ++a) {
    if (it.slot[a] < 0) continue;
    if (static_cast<int>(a) == pair.to) {
      // What is written is what is read; cells of the field that is read tell where.
      const auto moves = moves_in_place(*it.stage, pair);
      const MemoryNumber from = sweep.memory[static_cast<std::size_t>(pair.from)];
      for (int c = 0; c < slots_.field(it.slot[a]).components; ++c) {
        const auto& [i, j, k] = moves[static_cast<std::size_t>(c)];
        touches.push_back(touch(from, op.patch, c, shifted(sweep.box, {i, j, k}), true));
      }
    } else if (it.writes[a] >= 0) {
      touch_all(a, op.patch, sweep.box, true);
    }
    if (it.reads[a] < 0) continue;
    // Packs at the ends of a row read whole, and those beside them, also cells whose results are
    // dropped.
    const Index pack = widest_pack / static_cast<Index>(slots_.field(it.slot[a]).element_size());
    Box cells = sweep.box;
    int patch = op.patch;
    if (it.spans_grids) {
      patch = schedule_.patches.counterpart(op.patch, slots_.field(it.slot[a]).grid);
      const Box there = image(it.maps[a], shifted(cells, schedule_.patches[op.patch].owned.lower));
      cells = shifted(there, Index3{} - schedule_.patches[patch].owned.lower);
    }
    Box read = extended(cells, reach_of(*it.stage, a));
    read.lower[fast] = round_down(read.lower[fast], pack);
    read.upper[fast] = round_up(read.upper[fast], pack);
    const auto& list = it.stage->list_reads;
    const bool is_anywhere = std::any_of(list.begin(), list.end(), [&](const ListRead& r) {
      return r.parameter == static_cast<int>(a);
    });
    touch_all(a, patch, is_anywhere ? layout(sweep.memory[a], patch).allocated() : read, false);
  }
  if (it.mask_slot >= 0) touches.push_back(touch(sweep.mask, op.patch, 0, sweep.box, false));
  for (const CellCopy& send : sweep.sends) {
    touches.push_back(touch(send.memory, send.to, send.what.component, send.target, true));
  }
  return touches;
}

/// Returns the cells of a sampled part that lie in the patch.
Box Lowering::sampled(const Samples& samples, const Samples::Part& part,
                      const PatchGeometry& patch) {
  return intersection(shifted(part.box, Index3{} - patch.owned.lower),
                      patch.owned_local(samples.field_of(part).location));
}

void Lowering::sample(const Operation& op) {
  host(BeginSample{op.instance});
  const Instance& it = instance(op.instance);
  const Samples& samples = *it.stage->samples;
  Sample sample{op.instance, {}};
  for (const int slot : it.slot) sample.memory.push_back(memory(slot));
  for (const auto& patch : schedule_.patches.of_grid(it.grid)) {
    Command command = this->command(patch.patch, Stream::compute);
    std::vector<Touch> touches;
    for (const Samples::Part& part : samples.parts()) {
      const FieldRecord& field = samples.field_of(part);
      const Box box = sampled(samples, part, patch);
      if (box.empty()) continue;
      for (int c = 0; c < field.components; ++c) {
        touches.push_back(touch(sample.memory[part.field], patch.patch, c, box, false));
      }
      command.bytes += bytes_of({it.slot[part.field], 0}, box) * field.components;
    }
    if (touches.empty()) continue;
    command.what = sample;
    order_.add(std::move(command), std::move(touches));
  }
}

}  // namespace goban
