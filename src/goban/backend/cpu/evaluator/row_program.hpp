#pragma once
// The program that computes a graph over a piece of a row: instructions, each of which works on the
// whole piece.

#include <array>
#include <vector>

#include "goban/backend/cpu/evaluator/row_operations.hpp"
#include "goban/stencil/graph/graph.hpp"

namespace goban::cpu {

/// An operand or the result of an instruction. `number` is its index among those of its kind.
struct Place {
  enum class Kind : std::uint8_t {
    none,
    one,     ///< a number that all cells of the row share
    read,    ///< a row of a field or of scratch, where it lies
    buffer,  ///< a row in cache
    output   ///< the row of an output, in memory or in cache
  };
  Kind kind = Kind::none;
  int number = -1;
  bool operator==(const Place&) const = default;
};

/// One operation over a piece of a row.
struct Instruction {
  RowOperation operation =
      /// Null for reads of a site, a wall, a list or another grid, which `node` describes.
      nullptr;
  GraphNode node;
  Lane lane = Lane::float32;  ///< the type of the result
  Lane from = Lane::float32;  ///< the stored type of a row on another grid
  Place to;
  std::array<Place, 3> operands;
  bool is_pair = false;  ///< it also does the operation of another instruction
};

/// An instruction in the form in which it runs: places of all kinds are numbered together, see
/// RowProgram::slot().
struct RowStep {
  RowOperation operation = nullptr;
  std::array<std::int32_t, 4> slots{};  ///< the slots of the result and the operands
  std::int32_t instruction = 0;         ///< the index of the instruction
};

/// A number that is known when a sweep begins.
struct KnownNumber {
  GraphNode node;  ///< a constant, a value, the time or the step
  Lane lane;
  int number;
};

struct RowRead {
  int parameter, component;
  std::array<int, 3> offset;  ///< in cells, per grid axis
  bool is_scratch, is_of_level_before;
  Lane stored;
};

struct RowOutput {
  int parameter, component;
  bool is_scratch, is_updated;  ///< `is_updated`: the sweep reads the old values, too
  Lane stored;
};

struct RowProgram {
  /// `graph` must have no branches. `reads_other_grid`: for each parameter whether its field lies
  /// on another grid than the cells.
  RowProgram(const Graph& graph, const Footprint& footprint, int fast_axis,
             const std::vector<bool>& reads_other_grid);

  /// Returns the slot of a place. Numbers for all cells come first, then buffers, reads and
  /// outputs.
  int slot(const Place& place) const;
  int slots() const { return slot({Place::Kind::output, static_cast<int>(outputs.size())}); }

  std::vector<KnownNumber> known;
  std::vector<Instruction> per_call, per_row, per_piece;
  std::vector<RowStep> steps;  ///< what runs for every piece
  std::vector<RowRead> reads;
  std::vector<RowOutput> outputs;
  int ones = 0, buffers = 0;
  Index widest = 1;  ///< bytes per number in a buffer
  Index piece = 64;  ///< cells of a piece, so that all buffers fit into the first-level cache
};

}  // namespace goban::cpu
