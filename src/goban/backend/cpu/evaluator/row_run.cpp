#include "goban/backend/cpu/evaluator/row_run.hpp"

#include <algorithm>
#include <cstring>

namespace goban::cpu {

RowRun::RowRun(const RowProgram& program, const std::array<int, 3>& order, bool stores_late,
               const SweepCall& call)
    : program_(program),
      order_(order),
      stores_late_(stores_late),
      is_direct_(!stores_late),
      call_(call),
      memory_(program),
      reads_(program.reads.size()),
      writes_(program.outputs.size()) {
  is_direct_ = is_direct_ && !overlaps();
  site_.info = call.site;
  site_.fast_axis = order_[0];
  set_slots();
  set_known_numbers();
  run_once(program.per_call);
}

/// Returns whether some field is written in the memory that another one is read from.
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

/// Returns the local index, along the row, of the first cell of the present piece.
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
      const auto parameter = static_cast<std::size_t>(it.node.data[0]);
      return other_grid_row(it, site_, call_.fields[parameter].map, to, operand, n);
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

void RowRun::operator()(const device::RowCall& rows, Index first, Index last, Index count,
                        Index planes) {
  streams_ = rows.streaming;
  for (Index plane = 0; plane < planes; ++plane) {
    for (Index row = 0; row < count; ++row) {
      aim(rows, row, plane);
      run_row(rows, first, last);
    }
  }
}

/// Sets the addresses for a row of a plane, both counted from those of the call.
void RowRun::aim(const device::RowCall& rows, Index row, Index plane) {
  for (std::size_t n = 0; n < reads_.size(); ++n) {
    const RowRead& read = program_.reads[n];
    const device::RowField& field = rows.field[read.parameter];
    const auto along = [&](std::size_t a) -> Index {
      return read.offset[static_cast<std::size_t>(order_[a])];
    };
    Index at = (row + along(1)) * field.middle + (plane + along(2)) * field.slow + along(0);
    at += read.is_scratch ? read.component * field.component : field.place[read.component];
    if (read.is_of_level_before) at += field.previous;
    reads_[n] = reinterpret_cast<const std::byte*>(field.read) + at * bytes_of(read.stored);
  }
  for (std::size_t n = 0; n < writes_.size(); ++n) {
    const RowOutput& output = program_.outputs[n];
    const device::RowField& field = rows.field[output.parameter];
    const Index at = row * field.to_middle + plane * field.to_slow + field.to[output.component];
    writes_[n] = reinterpret_cast<std::byte*>(field.write) + at * bytes_of(output.stored);
  }
  const auto set = [&](int axis, Index i) {
    const auto a = static_cast<std::size_t>(axis);
    site_.info.index[a] = call_.site.index[a] + i;
  };
  set(order_[1], rows.middle + row);
  set(order_[2], rows.slow + plane);
  run_once(program_.per_row);
}

void RowRun::run_row(const device::RowCall& rows, Index first, Index last) {
  Piece waiting;
  for (Index low = first; low < last;) {
    const Index high = std::min(last, round_down(low, program_.piece) + program_.piece);
    const Piece piece{low, high - low, turn_};
    if (rows.before_row) rows.before_row(rows.fetcher, piece.n);
    evaluate(piece);
    if (stores_late_) {
      store(waiting);
      waiting = piece;
      turn_ = 1 - turn_;
    } else {
      store(piece);
    }
    low = high;
  }
  store(waiting);
}

/// Returns the address that a read of the cells from `first` on finds; on another grid that of cell
/// 0 of its row.
const std::byte* RowRun::input(std::size_t read, Index first) const {
  const RowRead& it = program_.reads[read];
  if (!it.is_scratch && !call_.fields[it.parameter].map.is_identity()) return reads_[read];
  return reads_[read] + first * bytes_of(it.stored);
}

void RowRun::evaluate(const Piece& piece) {
  const auto fast = static_cast<std::size_t>(order_[0]);
  site_.info.index[fast] = call_.site.index[fast] + piece.first;
  auto slot = slots_.begin() + program_.ones + program_.buffers;
  // Nobody writes through those of reads.
  for (std::size_t n = 0; n < reads_.size(); ++n) {
    *slot++ = const_cast<std::byte*>(input(n, piece.first));
  }
  for (std::size_t o = 0; o < writes_.size(); ++o) {
    const RowOutput& output = program_.outputs[o];
    *slot++ = is_direct(output) ? writes_[o] + piece.first * bytes_of(output.stored)
                                : memory_.output(static_cast<int>(o), piece.turn);
  }
  std::byte* const* const slots = slots_.data();
  for (const RowStep& step : program_.steps) {
    const auto [to, a, b, c] = step.slots;
    if (step.operation) {
      step.operation(slots[to], slots[a], slots[b], slots[c], piece.n);
    } else {
      run_special(program_.per_piece[static_cast<std::size_t>(step.instruction)], slots[to],
                  slots[a], piece.n);
    }
  }
}

void RowRun::store(const Piece& piece) const {
  for (std::size_t o = 0; o < writes_.size() && piece.n > 0; ++o) {
    const RowOutput& output = program_.outputs[o];
    if (is_direct(output)) continue;
    const Index bytes = bytes_of(output.stored);
    std::byte* const to = writes_[o] + piece.first * bytes;
    const std::byte* const from = memory_.output(static_cast<int>(o), piece.turn);
    if (streams_ && !stores_late_) {
      row_streaming_copy()(to, from, nullptr, nullptr, piece.n * bytes);
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(piece.n * bytes));
    }
  }
}

void evaluate_rows(const device::RowCall* call, device::Index first, device::Index last,
                   device::Index rows, device::Index planes) {
  (*static_cast<RowRun*>(call->evaluator))(*call, first, last, rows, planes);
}

}  // namespace goban::cpu
