#pragma once
// The shape of a device's kernel for a stage, derived from the footprint of its functor.

#include <array>

#include "goban/program/stage.hpp"

namespace goban {

/// Two arguments of a functor: a field that it reads, and the new values of that field that it
/// writes, which the next step reads as `in`.
struct MarchPair {
  int in = -1, out = -1;
};
inline constexpr int most_march_pairs = 3;
using MarchPairs = std::array<MarchPair, most_march_pairs>;

/// How far a functor reads along the fastest, middle and slowest axis, in either direction.
struct StarReach {
  int fast = 0, middle = 0, slow = 0;
  int farthest() const;
};

/// The rows and planes that one thread computes; they share what it reads.
struct ThreadBlock {
  int rows = 1, planes = 1;
  bool operator==(const ThreadBlock&) const = default;
};

/// What a kernel's generator, launcher and the prediction of its time have to know about a stage.
/// The number of threads of a launch is chosen in backend/cuda/launch/launch_choice.hpp.
struct DeviceShape {
  /// Derives the shape of a sweep or a reduction.
  explicit DeviceShape(const Stage& stage);

  std::array<int, 3> order{0, 1, 2};  ///< the memory order of the fields
  bool is_reduction = false;
  bool writes_in_place = false;
  bool reads_other_grids = false;  ///< it reads other grids than it writes
  bool is_list = false;            ///< cells are those of a list, which is one row
  /// It reads and writes the same field, so that no cell may be computed twice.
  bool updates = false;
  /// Cells per pack: 16 bytes of the widest field, or fewer if the values that are alive at the
  /// same time would not fit into registers.
  int width = 1;
  /// Packs have one cell, and the values that otherwise_values() finds are computed only in cells
  /// that take them, because not all values would fit into registers.
  bool reads_otherwise = false;
  int widest_stored = 1;   ///< bytes per element of the widest field
  int most_registers = 0;  ///< the most registers that all components of one field fill for a cell
  /// The registers that everything fills that a thread reads for one pack and its neighbours.
  int read_registers = 0;
  /// Several packs per thread would be too much for its registers and for the compiler.
  bool fills_thread = false;
  int reach = 0;          ///< the farthest read along the slowest axis, in cells
  int most_in_place = 0;  ///< the most components of a field stored in place

  /// The fields whose planes a tile keeps while it moves ("marches") through the grid, if the
  /// functor allows it. There are as many as the functor writes; they are the ones with the most
  /// reads among those that are read only along the axes, in the order of arguments. Other fields
  /// may be read anywhere, as they do not change.
  MarchPairs pairs;
  int pair_count = 0;
  StarReach star;  ///< how far these fields are read
  /// Returns whether tiles can march with this many steps per pass. Functors that reach one cell
  /// have kernels for four steps per pass, or two if they have several fields; functors that reach
  /// farther have them only for single sweeps.
  bool marches(int steps) const;

  bool has_many_values() const { return most_registers >= 8; }
  /// Returns the blocks of rows and planes that one thread may compute, the largest last. Which one
  /// is fastest depends on the size of planes.
  std::vector<ThreadBlock> blocks() const;
  /// Returns the default number of threads of a block along the fastest, middle and slowest axis.
  std::array<int, 3> threads() const;
  /// Returns how many blocks of threads a multiprocessor must be able to hold at least, if a thread
  /// computes `block_cells` cells along the slower axes; 0 leaves it to the compiler. It limits the
  /// registers of a thread: few blocks leave it enough registers to issue all its loads at once,
  /// which the compiler would not do by itself.
  int least_blocks(int block_cells) const;
};

}  // namespace goban
