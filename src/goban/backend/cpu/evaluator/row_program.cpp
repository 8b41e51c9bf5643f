#include "goban/backend/cpu/evaluator/row_program.hpp"

#include <algorithm>
#include <stdexcept>

#include "goban/backend/cpu/evaluator/buffer_reuse.hpp"
#include "goban/backend/cpu/evaluator/instruction_pairs.hpp"

namespace goban::cpu {
namespace {

using Kind = ParameterDescription::Kind;

/// How often a value is computed.
enum class Rate : std::uint8_t { call, row, piece };

bool is_known(GraphOp op) {
  return op == GraphOp::constant || op == GraphOp::value || op == GraphOp::time ||
         op == GraphOp::step;
}

/// Returns how often a node with operands that never change must be computed.
Rate rate_of(const GraphNode& node, int fast_axis) {
  switch (node.op) {
    case GraphOp::read:
    case GraphOp::gather:
    case GraphOp::neighbor:
    case GraphOp::random: return Rate::piece;
    case GraphOp::index:
    case GraphOp::position:
    case GraphOp::walled: return node.data[0] == fast_axis ? Rate::piece : Rate::row;
    default: return Rate::call;
  }
}

class Builder {
 public:
  Builder(RowProgram& program, const Graph& graph, const Footprint& footprint, int fast_axis,
          const std::vector<bool>& reads_other_grid)
      : program_(program),
        graph_(graph),
        footprint_(footprint),
        fast_axis_(fast_axis),
        reads_other_grid_(reads_other_grid),
        results_(graph.branches().empty() ? std::vector<int>{} : graph.branches().front().outputs),
        place_(graph.nodes().size()),
        rate_(graph.nodes().size()) {}

  void build() {
    for (const int node : graph_.needed_for(results_)) add(node);
    for (std::size_t n = 0; n < results_.size(); ++n) {
      if (results_[n] >= 0) add_output(footprint_.outputs[n], results_[n]);
    }
    insert_stores();
    join_pairs(program_);
    for (const Instruction& it : program_.per_piece) {
      if (it.to.kind == Place::Kind::buffer) {
        program_.widest = std::max(program_.widest, bytes_of(it.lane));
      }
    }
    program_.buffers = reuse_buffers(program_.per_piece);
  }

 private:
  Place& place(int node) { return place_[static_cast<std::size_t>(node)]; }
  Rate& rate(int node) { return rate_[static_cast<std::size_t>(node)]; }
  Lane lane(int node) const { return lane_of(graph_.node(node).type); }

  Place new_one() { return {Place::Kind::one, program_.ones++}; }
  Place new_buffer() { return {Place::Kind::buffer, buffers_++}; }

  void add(int n) {
    const GraphNode& node = graph_.node(n);
    rate(n) = rate_of(node, fast_axis_);
    for (const int operand : node.operands) {
      if (operand >= 0) rate(n) = std::max(rate(n), rate(operand));
    }
    if (is_known(node.op)) {
      place(n) = new_one();
      program_.known.push_back({node, lane(n), place(n).number});
    } else if (node.op == GraphOp::within || is_same(node)) {
      place(n) = place(node.operands[0]);
    } else if (node.op == GraphOp::read) {
      add_read(n, node);
    } else if (node.op == GraphOp::gather) {
      const auto& field = footprint_.parameters[static_cast<std::size_t>(node.data[0])];
      place(n) = add_instruction(Rate::piece, nullptr, node, lane(n), {place(node.operands[0])},
                                 lane_of(field.type));
    } else if (node.op == GraphOp::neighbor) {
      place(n) = add_instruction(Rate::piece, nullptr, node, lane(n), {});
    } else if (node.op == GraphOp::stored_as_half) {
      const Place rounded = add_instruction(rate(n), row_conversion(Lane::half, Lane::float32),
                                            node, Lane::half, {place(node.operands[0])});
      place(n) = add_instruction(rate(n), row_conversion(Lane::float32, Lane::half), node,
                                 Lane::float32, {rounded});
    } else {
      add_computed(n, node);
    }
  }

  /// Returns whether a node is a conversion that changes nothing.
  bool is_same(const GraphNode& node) const {
    return node.op == GraphOp::convert && lane(node.operands[0]) == lane_of(node.type);
  }

  /// Adds the instruction of an operation. Every operation accepts one number for all cells as
  /// operand; but if an operation of one operand is computed for pieces, its operand differs
  /// between cells.
  void add_computed(int n, const GraphNode& node) {
    std::array<Place, 3> operands;
    for (std::size_t k = 0; k < 3; ++k) {
      if (node.operands[k] >= 0) operands[k] = place(node.operands[k]);
    }
    place(n) =
        add_instruction(rate(n), operation_of(node, operands, rate(n)), node, lane(n), operands);
  }

  RowOperation operation_of(const GraphNode& node, const std::array<Place, 3>& operands,
                            Rate rate) const {
    switch (node.op) {
      case GraphOp::index:
      case GraphOp::position:
      case GraphOp::random:
      case GraphOp::walled: return nullptr;
      case GraphOp::convert: return row_conversion(lane_of(node.type), lane(node.operands[0]));
      default: break;
    }
    const auto is_one = [&](std::size_t k) {
      return rate == Rate::piece && operands[k].kind == Place::Kind::one;
    };
    // The lane of a selection is that of what it selects.
    const Lane lane = this->lane(node.operands[node.op == GraphOp::select ? 1 : 0]);
    const OneNumber one{is_one(0), is_one(1), is_one(2)};
    const RowOperation found = row_operation(node.op, lane, one);
    if (!found) throw std::logic_error("an operation of a graph has no rows");
    return found;
  }

  Place add_instruction(Rate rate, RowOperation operation, const GraphNode& node, Lane lane,
                        const std::array<Place, 3>& operands, Lane from = Lane::float32) {
    const Place to = rate == Rate::piece ? new_buffer() : new_one();
    auto& list = rate == Rate::piece ? program_.per_piece
                 : rate == Rate::row ? program_.per_row
                                     : program_.per_call;
    list.push_back({operation, node, lane, from, to, operands});
    return to;
  }

  void add_read(int n, const GraphNode& node) {
    const auto parameter = static_cast<std::size_t>(node.data[0]);
    const ParameterDescription& description = footprint_.parameters[parameter];
    const Lane stored = lane_of(description.type);
    const Place row{Place::Kind::read, static_cast<int>(program_.reads.size())};
    program_.reads.push_back({static_cast<int>(parameter),
                              static_cast<int>(node.data[1]),
                              {static_cast<int>(node.data[2]), static_cast<int>(node.data[3]),
                               static_cast<int>(node.data[4])},
                              description.kind == Kind::scratch,
                              node.data[5] != 0,
                              stored});
    place(n) = row;
    const bool is_result = std::find(results_.begin(), results_.end(), n) != results_.end();
    if (reads_other_grid_[parameter]) {
      place(n) = add_instruction(Rate::piece, nullptr, node, lane(n), {row}, stored);
    } else if (stored == Lane::half) {
      place(n) = add_instruction(Rate::piece, row_conversion(Lane::float32, stored), node,
                                 Lane::float32, {row});
    } else if (description.is_written() && is_result) {
      // What takes its place may be stored before it is.
      place(n) = add_instruction(Rate::piece, row_copy(stored), node, stored, {row});
    }
  }

  /// Returns the number of instructions up to the last one that reads what the output overwrites.
  std::size_t last_read_of(const RowOutput& output) const {
    std::size_t last = 0;
    for (std::size_t n = 0; n < program_.per_piece.size(); ++n) {
      for (const Place& operand : program_.per_piece[n].operands) {
        if (operand.kind != Place::Kind::read) continue;
        const RowRead& read = program_.reads[static_cast<std::size_t>(operand.number)];
        const bool is_it = read.parameter == output.parameter &&
                           read.component == output.component && !read.is_of_level_before;
        if (is_it) last = n + 1;
      }
    }
    return last;
  }

  void add_output(const Output& output, int node) {
    const ParameterDescription& description =
        footprint_.parameters[static_cast<std::size_t>(output.parameter)];
    const RowOutput row{output.parameter, output.component, description.kind == Kind::scratch,
                        description.access == Access::inout, lane_of(description.type)};
    const Place to{Place::Kind::output, static_cast<int>(program_.outputs.size())};
    program_.outputs.push_back(row);
    const Place value = place(node);
    const std::size_t last_read = last_read_of(row);
    std::size_t made = 0;  // instructions up to the one that makes it
    for (std::size_t n = 0; n < program_.per_piece.size(); ++n) {
      if (program_.per_piece[n].to == value) made = n + 1;
    }
    const bool is_buffer = value.kind == Place::Kind::buffer;
    if (is_buffer && row.stored != Lane::half && made >= last_read) {
      return rename(value, to);
    }
    const RowOperation operation = row.stored == Lane::half && value.kind != Place::Kind::one
                                       ? row_conversion(Lane::half, Lane::float32)
                                   : value.kind == Place::Kind::one ? row_fill(row.stored)
                                                                    : row_copy(row.stored);
    Place from = value;
    if (row.stored == Lane::half && value.kind == Place::Kind::one) {
      from = add_instruction(std::max(Rate::row, rate(node)),
                             row_conversion(Lane::half, Lane::float32), graph_.node(node),
                             Lane::half, {value});
    }
    stores_.push_back({std::max(made, last_read),
                       {operation, graph_.node(node), row.stored, row.stored, to, {from}}});
  }

  /// Lets a value be computed in another place, and lets later instructions read it there.
  void rename(const Place& value, const Place& to) {
    for (Instruction& it : program_.per_piece) {
      if (it.to == value) it.to = to;
      std::replace(it.operands.begin(), it.operands.end(), value, to);
    }
    for (auto& [after, it] : stores_) {
      std::replace(it.operands.begin(), it.operands.end(), value, to);
    }
    std::replace(place_.begin(), place_.end(), value, to);
  }

  void insert_stores() {
    std::stable_sort(stores_.begin(), stores_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Instruction> all;
    std::size_t next = 0;
    for (std::size_t n = 0; n <= program_.per_piece.size(); ++n) {
      for (; next < stores_.size() && stores_[next].first == n; ++next) {
        all.push_back(stores_[next].second);
      }
      if (n < program_.per_piece.size()) all.push_back(program_.per_piece[n]);
    }
    program_.per_piece = std::move(all);
  }

  RowProgram& program_;
  const Graph& graph_;
  const Footprint& footprint_;
  int fast_axis_;
  const std::vector<bool>& reads_other_grid_;
  std::vector<int> results_;
  std::vector<Place> place_;
  std::vector<Rate> rate_;
  /// Each store, with the number of instructions before it.
  std::vector<std::pair<std::size_t, Instruction>> stores_;
  int buffers_ = 0;
};

}  // namespace

RowProgram::RowProgram(const Graph& graph, const Footprint& footprint, int fast_axis,
                       const std::vector<bool>& reads_other_grid) {
  Builder(*this, graph, footprint, fast_axis, reads_other_grid).build();
  for (const Instruction& it : per_piece) {
    RowStep& step = steps.emplace_back();
    step.operation = it.operation;
    step.slots[0] = slot(it.to);
    for (std::size_t k = 0; k < 3; ++k) step.slots[1 + k] = slot(it.operands[k]);
    step.instruction = static_cast<std::int32_t>(steps.size()) - 1;
  }
  constexpr Index cache = Index{24} << 10, grain = 64, most = 1024;
  const Index row = std::max(1, buffers) * widest;
  piece = std::clamp(round_down(cache / row, grain), grain, most);
}

int RowProgram::slot(const Place& place) const {
  switch (place.kind) {
    case Place::Kind::none: return 0;
    case Place::Kind::one: return place.number;
    case Place::Kind::buffer: return ones + place.number;
    case Place::Kind::read: return ones + buffers + place.number;
    default: return ones + buffers + static_cast<int>(reads.size()) + place.number;
  }
}

}  // namespace goban::cpu
