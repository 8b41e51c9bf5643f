#pragma once
// What is done to compute a graph over a piece of a row: instructions, each over the whole piece.

#include <array>
#include <vector>

#include "goban/backend/cpu/evaluator/row_operations.hpp"
#include "goban/stencil/graph/graph.hpp"

namespace goban::cpu {

/// What an instruction computes from and to. `number` counts those of the kind.
struct Place {
  enum class Kind : std::uint8_t {
    none,
    one,     ///< a number that all cells of the row have
    read,    ///< a row of a field or of scratch, where it lies
    buffer,  ///< a row in cache
    output   ///< where an output goes: its row in memory, or one in cache
  };
  Kind kind = Kind::none;
  int number = -1;
  bool operator==(const Place&) const = default;
};

struct Instruction {
  RowOperation operation =
      nullptr;  ///< null: it reads a site, a wall, a list or another grid: see the node
  GraphNode node;
  Lane lane = Lane::float32;  ///< the lane of the result
  Lane from = Lane::float32;  ///< what the row that is read stores, on other grids
  Place to;
  std::array<Place, 3> operands;
  bool is_pair = false;  ///< it also does what another instruction did
};

/// An instruction as it is carried out: places are numbered together, see RowProgram::slot().
struct RowStep {
  RowOperation operation = nullptr;
  std::array<std::int32_t, 4> slots{};  ///< the slots of the result and the operands
  std::int32_t instruction = 0;         ///< the number of the instruction
};

/// A number that is known when a sweep begins.
struct KnownNumber {
  GraphNode node;  ///< constant, value, time or step
  Lane lane;
  int number;
};

struct RowRead {
  int parameter, component;
  std::array<int, 3> offset;  ///< cells, per grid axis
  bool is_scratch, is_of_level_before;
  Lane stored;
};

struct RowOutput {
  int parameter, component;
  bool is_scratch, is_updated;  ///< what stands there is read before
  Lane stored;
};

struct RowProgram {
  /// `graph` has no branches; `reads_other_grid`: of the parameters, those whose fields lie on
  /// another grid than the cells.
  RowProgram(const Graph& graph, const Footprint& footprint, int fast_axis,
             const std::vector<bool>& reads_other_grid);

  /// Numbers for all cells come first, then buffers, reads and outputs.
  int slot(const Place& place) const;
  int slots() const { return slot({Place::Kind::output, static_cast<int>(outputs.size())}); }

  std::vector<KnownNumber> known;
  std::vector<Instruction> per_call, per_row, per_piece;
  std::vector<RowStep> steps;  ///< what is done for every piece
  std::vector<RowRead> reads;
  std::vector<RowOutput> outputs;
  int ones = 0, buffers = 0;
  Index widest = 1;  ///< bytes of a number in a buffer
  Index piece = 64;  ///< cells of a piece: all buffers fit into the first-level cache
};

}  // namespace goban::cpu
