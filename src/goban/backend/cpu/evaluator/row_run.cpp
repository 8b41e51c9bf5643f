#include "goban/backend/cpu/evaluator/row_run.hpp"

#include <algorithm>
#include <cstring>

namespace goban::cpu {

RowRun::RowRun(const RowProgram& program, const RowManner& manner, const SweepCall& call)
    : program_(program),
      manner_(manner),
      order_(manner.order),
      call_(call),
      memory_(program),
      read_at_(program.reads.size()),
      output_at_(program.outputs.size()) {
  inputs_.reserve(program.reads.size());
  for (const RowRead& read : program.reads) inputs_.emplace_back(call, read, order_);
  if (!manner.reduces) {
    stores_.reserve(program.outputs.size());
    for (const RowOutput& output : program.outputs) stores_.emplace_back(call, output, order_);
  }
  computes_in_memory_ = !manner.reduces && !manner.stores_late && !overlaps();
  site_.info = call.site;
  site_.fast_axis = order_[0];
  set_known_numbers();
  run_once(program.per_call);
}

/// Some field is written where another one is read.
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

std::byte* RowRun::pointer(const Place& place) const {
  switch (place.kind) {
    case Place::Kind::one: return memory_.one(place.number);
    case Place::Kind::buffer: return memory_.buffer(place.number);
    case Place::Kind::output: return output_at_[static_cast<std::size_t>(place.number)];
    default: return nullptr;
  }
}

void RowRun::run(const Instruction& it, Index n) const {
  std::array<const void*, 3> operands{};
  for (std::size_t k = 0; k < 3; ++k) {
    const Place& place = it.operands[k];
    operands[k] = place.kind == Place::Kind::read ? read_at_[static_cast<std::size_t>(place.number)]
                                                  : pointer(place);
  }
  void* const to = pointer(it.to);
  if (it.operation) return it.operation(to, operands[0], operands[1], operands[2], n);
  switch (it.node.op) {
    case GraphOp::walled: return walled_row(it, site_, to, operands[0], n);
    case GraphOp::read:
      return other_grid_row(it, site_,
                            inputs_[static_cast<std::size_t>(it.operands[0].number)].map(), to,
                            operands[0], n);
    default: return site_row(it, site_, to, n);
  }
}

void RowRun::run_once(const std::vector<Instruction>& instructions) const {
  for (const Instruction& it : instructions) run(it, 1);
}

void RowRun::operator()(const Box& box) {
  const Index low = box.lower[order_[0]], high = box.upper[order_[0]];
  if (box.empty()) return;
  for (Index slow = box.lower[order_[2]]; slow < box.upper[order_[2]]; ++slow) {
    for (Index middle = box.lower[order_[1]]; middle < box.upper[order_[1]]; ++middle) {
      row({middle, slow}, low, high);
    }
  }
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

void RowRun::evaluate(Index first, Index n) {
  for (std::size_t r = 0; r < inputs_.size(); ++r) read_at_[r] = inputs_[r].at(first);
  for (std::size_t o = 0; o < output_at_.size(); ++o) {
    const bool is_direct = computes_in_memory_ && stores_[o].is_whole(first, n);
    output_at_[o] = is_direct ? stores_[o].at(first) : memory_.output(static_cast<int>(o), turn_);
  }
  for (const Instruction& it : program_.per_piece) run(it, n);
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
  const auto& stride = call_.mask->stride;
  const auto* const mask = reinterpret_cast<const std::uint8_t*>(call_.mask->read) +
                           row_.middle * stride[static_cast<std::size_t>(order_[1])] +
                           row_.slow * stride[static_cast<std::size_t>(order_[2])] + first;
  for (Index i = 0; i < n; ++i) {
    if (mask[i] != 0) call_.reducer->add(numbers + i, 1);
  }
}

}  // namespace goban::cpu
