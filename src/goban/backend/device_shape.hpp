#pragma once
// How the kernels of devices go about a functor: read off its footprint.

#include <array>

#include "goban/program/stage.hpp"

namespace goban {

/// Arguments of a functor: what it makes of a field, and takes for that field in the next step.
struct MarchPair {
  int in = -1, out = -1;
};
inline constexpr int most_march_pairs = 3;
using MarchPairs = std::array<MarchPair, most_march_pairs>;

/// How far a functor reads along the fastest, middle and slowest axis, either way.
struct StarReach {
  int fast = 0, middle = 0, slow = 0;
  int farthest() const;
};

/// Rows and planes that one thread evaluates, sharing what they read.
struct ThreadBlock {
  int rows = 1, planes = 1;
  bool operator==(const ThreadBlock&) const = default;
};

struct DeviceShape {
  /// Finds the shape of a sweep or a reduction.
  explicit DeviceShape(const Stage& stage);

  std::array<int, 3> order{0, 1, 2};  ///< memory order of the fields
  bool is_reduction = false;
  bool writes_in_place = false;
  bool reads_other_grids = false;  ///< than it writes
  bool is_list = false;            ///< cells are those of a list: one row
  bool updates = false;            ///< some cell is read and written: none may be evaluated twice
  int width = 1;  ///< cells a pack: 16 bytes of the widest field, fewer where what is computed
                  ///< with at a time would not fit into registers
  bool reads_otherwise = false;  ///< packs are of one cell, and otherwise_values() are computed by
                                 ///< the cells alone that take them: all would not fit
  int widest_stored = 1;         ///< bytes
  int most_registers = 0;        ///< registers that the components of one field of a cell fill
  /// Registers that all a thread reads of a cell and its neighbours fills.
  int read_registers = 0;
  bool fills_thread = false;  ///< several packs are too much for a thread, and for a compiler
  int reach = 0;              ///< farthest read along the slowest axis
  int most_in_place = 0;      ///< components of a field stored in place

  /// The fields that march through the planes, if the functor can: as many as it makes new ones, of
  /// those it reads along the axes alone the ones it reads most of, in their order. Other fields
  /// may be read anywhere, as they do not change.
  MarchPairs pairs;
  int pair_count = 0;
  StarReach star;  ///< how far the fields that march are read
  /// Whether tiles can march with so many steps in flight. Functors that reach one cell march four
  /// steps in a pass, two with several fields; those that reach farther march through single
  /// sweeps.
  bool marches(int steps) const;

  bool has_many_values() const { return most_registers >= 8; }
  /// What a thread may evaluate together, the widest last; what is fastest depends on the size of
  /// planes.
  std::vector<ThreadBlock> blocks() const;
  /// Threads of a block along the fastest, middle and slowest axis.
  std::array<int, 3> threads() const;
  /// Blocks of threads that a multiprocessor is to hold at least, for a thread of so many cells
  /// along the slower axes; 0: as it comes. It decides the registers of a thread: few blocks leave
  /// it enough to ask for all that it reads at once, which the compiler would not do of its own
  /// accord.
  int least_blocks(int block_cells) const;
};

}  // namespace goban
