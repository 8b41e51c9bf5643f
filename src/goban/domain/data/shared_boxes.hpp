#pragma once
// Values by global index of which every rank has a box: how any rank gets and gives those of any
// box.

#include <functional>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/grid/blocks.hpp"

namespace goban {

/// Takes the values of a box from a dense array.
using BoxSink = std::function<void(const Box& box, const void* elements)>;

/// Calls are collective. A rank that wants nothing names an empty box; others hand over their part
/// of what it wants and never have more than that. `own` is the rank's own memory: of any box it
/// makes or takes the part that this rank has.
class SharedBoxes {
 public:
  /// `box_of(rank)`: disjoint boxes, the same answer on every rank.
  SharedBoxes(Communicator& communicator, std::function<Box(int rank)> box_of, int components,
              std::size_t element_size)
      : communicator_(communicator),
        box_of_(std::move(box_of)),
        components_(components),
        element_size_(element_size) {}

  /// The values of `box`.
  void copy_out(const Box& box, void* elements, const BoxSource& own) const;
  /// Hands the values of `box` to those who have its cells. Where several ranks name a cell, they
  /// give it the same value.
  void copy_in(const Box& box, const void* elements, const BoxSink& own) const;
  /// What others have of what this rank had before, `from`, goes to them.
  void move(const SharedBoxes& before, const BoxSource& from, const BoxSink& own) const;

 private:
  /// A message: the box, then its values.
  Parcel parcel_for(int rank, const Box& box, bool with_values) const;
  /// Messages with `box`, for the ranks that have a part of it.
  std::vector<Parcel> parcels_for_others(const Box& box, const BoxSource& part) const;
  void take(const std::vector<Parcel>& parcels, const BoxSink& own) const;

  Communicator& communicator_;
  std::function<Box(int rank)> box_of_;
  int components_;
  std::size_t element_size_;
};

}  // namespace goban
