#pragma once
// Gives access to values of active cells by their number along the curve, although ranks store them
// in another order.

#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/domain/data/shared_boxes.hpp"
#include "goban/grid/active_cells.hpp"
#include "goban/grid/decomposition.hpp"

namespace goban {

/// Does for a list in parts what SharedBoxes does for boxes. Boxes given by the caller are ranges
/// of numbers along the curve; boxes passed to `own` are ranges of numbers in the list. Calls are
/// collective unless they say otherwise.
class ListValues {
 public:
  ListValues(Communicator& communicator, const ActiveCells& list, const Decomposition& cut,
             int components, std::size_t element_size)
      : communicator_(communicator),
        list_(list),
        cut_(cut),
        components_(static_cast<std::size_t>(components)),
        element_size_(element_size) {}

  /// Copies the values of `box` that this rank has; others stay as they are. Not collective.
  void copy_out_own(const Box& box, void* elements, const BoxSource& own) const;
  void copy_out(const Box& box, void* elements, const BoxSource& own) const;
  void copy_in(const Box& box, const void* elements, const BoxSink& own) const;

 private:
  /// Cells that are consecutive in both orders.
  struct Run {
    Index along_curve, number, cells;
    Index before;  ///< the number of cells in the runs before it
  };
  using Runs = std::vector<Run>;
  /// A dense array of the cells of a box, or of the cells of some runs.
  struct Values {
    std::byte* elements;
    Index cells;
  };
  /// Returns the cells of a box that a rank has, in order along the curve.
  Runs runs(int rank, const Box& box) const;
  Values values(const Runs& runs, std::vector<std::byte>& memory) const;
  void copy(const Values& from, Index first, const Values& to, Index place, Index cells) const;
  /// Copy this rank's values of runs out of, and into, its own memory.
  void read(const Runs& runs, const Values& to, const BoxSource& own) const;
  void write(const Runs& runs, const Values& from, const BoxSink& own) const;
  /// Returns the boxes of all ranks.
  std::vector<Box> boxes_of_all(const Box& box) const;

  Communicator& communicator_;
  const ActiveCells& list_;
  const Decomposition& cut_;
  std::size_t components_, element_size_;
};

}  // namespace goban
