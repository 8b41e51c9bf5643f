#include "goban/backend/cpu/evaluator/row_run.hpp"

#include <immintrin.h>

#include <algorithm>
#include <cstring>

namespace goban::cpu {

RowRun::RowRun(const RowProgram& program, const RowManner& manner, const SweepCall& call)
    : program_(program), manner_(manner), order_(manner.order), call_(call), memory_(program) {
  inputs_.reserve(program.reads.size());
  for (const RowRead& read : program.reads) inputs_.emplace_back(call, read, order_);
  if (!manner.reduces) {
    stores_.reserve(program.outputs.size());
    for (const RowOutput& output : program.outputs) stores_.emplace_back(call, output, order_);
  }
  computes_in_memory_ = !manner.reduces && !manner.stores_late && !overlaps();
  site_.info = call.site;
  site_.fast_axis = order_[0];
  set_slots();
  set_known_numbers();
  run_once(program.per_call);
}

/// Whether some field is written where another one is read.
bool RowRun::overlaps() const {
  return std::any_of(program_.outputs.begin(), program_.outputs.end(), [&](const RowOutput& out) {
    const auto written = static_cast<std::size_t>(out.parameter);
    return std::any_of(program_.reads.begin(), program_.reads.end(), [&](const RowRead& read) {
      const auto p = static_cast<std::size_t>(read.parameter);
      return p != written && !out.is_scratch && !read.is_scratch &&
             call_.fields[p].read == call_.fields[written].write;
    });
  });
}

void RowRun::set_known_numbers() {
  for (const KnownNumber& known : program_.known) {
    std::byte* const to = memory_.one(known.number);
    switch (known.node.op) {
      case GraphOp::constant: std::memcpy(to, known.node.data.data(), 8); break;
      case GraphOp::time: std::memcpy(to, &call_.site.time, 8); break;
      case GraphOp::step: std::memcpy(to, &call_.site.step, 8); break;
      default:
        visit_lane(known.lane, [&]<class T>(T) {
          const auto value =
              static_cast<T>(call_.values[static_cast<std::size_t>(known.node.data[0])]);
          std::memcpy(to, &value, sizeof(T));
        });
    }
  }
}

void RowRun::set_slots() {
  slots_.resize(static_cast<std::size_t>(std::max(1, program_.slots())));
  auto slot = slots_.begin();
  for (int n = 0; n < program_.ones; ++n) *slot++ = memory_.one(n);
  for (int n = 0; n < program_.buffers; ++n) *slot++ = memory_.buffer(n);
}

/// The local number of the first cell at hand, along the row.
Index RowRun::first_local() const {
  const auto fast = static_cast<std::size_t>(order_[0]);
  return site_.info.index[fast] - call_.site.index[fast];
}

void RowRun::run_special(const Instruction& it, void* to, const void* operand, Index n) const {
  switch (it.node.op) {
    case GraphOp::neighbor:
      return neighbor_row(it, call_.fields[it.node.data[0]], first_local(), to, n);
    case GraphOp::gather:
      return gathered_row(it, call_.fields[it.node.data[0]], first_local(), to, operand, n);
    case GraphOp::walled: return walled_row(it, site_, to, operand, n);
    case GraphOp::read: {
      const auto& input = inputs_[static_cast<std::size_t>(it.operands[0].number)];
      return other_grid_row(it, site_, input.map(), to, operand, n);
    }
    default: return site_row(it, site_, to, n);
  }
}

void RowRun::run_once(const std::vector<Instruction>& instructions) const {
  const auto at = [&](const Place& place) {
    return slots_[static_cast<std::size_t>(program_.slot(place))];
  };
  for (const Instruction& it : instructions) {
    if (it.operation) {
      it.operation(at(it.to), at(it.operands[0]), at(it.operands[1]), at(it.operands[2]), 1);
    } else {
      run_special(it, at(it.to), at(it.operands[0]), 1);
    }
  }
}

void RowRun::operator()(const Box& box) {
  const Index low = box.lower[order_[0]], high = box.upper[order_[0]];
  if (box.empty()) return;
  for (Index slow = box.lower[order_[2]]; slow < box.upper[order_[2]]; ++slow) {
    for (Index middle = box.lower[order_[1]]; middle < box.upper[order_[1]]; ++middle) {
      row({middle, slow}, low, high);
    }
  }
  if (call_.streaming) _mm_sfence();
}

void RowRun::row(const RowOfBox& row, Index low, Index high) {
  row_ = row;
  for (RowInput& input : inputs_) input.start(row);
  for (RowStore& store : stores_) store.start(row);
  const auto at = [&](int axis, Index i) {
    const auto a = static_cast<std::size_t>(axis);
    site_.info.index[a] = call_.site.index[a] + i;
  };
  at(order_[0], low);
  at(order_[1], row.middle);
  at(order_[2], row.slow);
  run_once(program_.per_row);
  Waiting waiting;
  for (Index first = low; first < high;) {
    const Index end = std::min(high, round_down(first, program_.piece) + program_.piece);
    const Waiting piece{first, end - first, turn_};
    if (is_masked_out(first, end)) {
      first = end;
      continue;
    }
    at(order_[0], first);
    if (call_.fetcher) (*call_.fetcher)(piece.n);
    evaluate(first, piece.n);
    if (!manner_.stores_late) {
      store(piece);
    } else {
      store(waiting);
      waiting = piece;
      turn_ = 1 - turn_;
    }
    first = end;
  }
  store(waiting);
}

const std::uint8_t* RowRun::mask_at(Index first) const {
  const auto& stride = call_.mask->stride;
  return reinterpret_cast<const std::uint8_t*>(call_.mask->read) +
         row_.middle * stride[static_cast<std::size_t>(order_[1])] +
         row_.slow * stride[static_cast<std::size_t>(order_[2])] + first;
}

bool RowRun::is_masked_out(Index first, Index end) const {
  const bool keeps = std::any_of(program_.outputs.begin(), program_.outputs.end(),
                                 [](const RowOutput& out) { return out.is_scratch; });
  if (!call_.mask || keeps) return false;
  const std::uint8_t* const mask = mask_at(first);
  return std::all_of(mask, mask + (end - first), [](std::uint8_t value) { return value == 0; });
}

void RowRun::evaluate(Index first, Index n) {
  auto slot = slots_.begin() + program_.ones + program_.buffers;
  // Nobody writes through those of reads.
  for (const RowInput& input : inputs_) *slot++ = const_cast<std::byte*>(input.at(first));
  for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
    const bool is_direct = computes_in_memory_ && stores_[o].is_whole(first, n);
    *slot++ = is_direct ? stores_[o].at(first) : memory_.output(static_cast<int>(o), turn_);
  }
  std::byte* const* const slots = slots_.data();
  for (const RowStep& step : program_.steps) {
    const auto [to, a, b, c] = step.slots;
    if (step.operation) {
      step.operation(slots[to], slots[a], slots[b], slots[c], n);
    } else {
      run_special(program_.per_piece[static_cast<std::size_t>(step.instruction)], slots[to],
                  slots[a], n);
    }
  }
}

void RowRun::store(const Waiting& piece) const {
  if (piece.n == 0) return;
  if (manner_.reduces) return reduce(piece.first, piece.n, memory_.output(0, piece.turn));
  for (std::size_t o = 0; o < stores_.size(); ++o) {
    if (computes_in_memory_ && stores_[o].is_whole(piece.first, piece.n)) continue;
    stores_[o].store(piece.first, piece.n, memory_.output(static_cast<int>(o), piece.turn));
  }
}

void RowRun::reduce(Index first, Index n, const std::byte* values) const {
  const auto* const numbers = reinterpret_cast<const double*>(values);
  if (!call_.mask) return call_.reducer->add(numbers, n);
  const std::uint8_t* const mask = mask_at(first);
  for (Index i = 0; i < n; ++i) {
    if (mask[i] != 0) call_.reducer->add(numbers + i, 1);
  }
}

}  // namespace goban::cpu
