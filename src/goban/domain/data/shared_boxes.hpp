#pragma once
// Gives any rank access to the values of any box, by global index, where every rank has one box of
// them.

#include <functional>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/grid/blocks.hpp"

namespace goban {

/// Stores the values of a box, which come as a dense array.
using BoxSink = std::function<void(const Box& box, const void* elements)>;

/// Calls are collective. A rank that wants nothing passes an empty box. Ranks send each other only
/// the parts that are wanted, and no rank needs memory for more than that. `own` accesses the
/// rank's own memory: for any box it gets or sets the part that this rank has.
class SharedBoxes {
 public:
  /// `box_of(rank)` must return disjoint boxes, the same on every rank.
  SharedBoxes(Communicator& communicator, std::function<Box(int rank)> box_of, int components,
              std::size_t element_size)
      : communicator_(communicator),
        box_of_(std::move(box_of)),
        components_(components),
        element_size_(element_size) {}

  /// Copies the values of `box` to `elements`.
  void copy_out(const Box& box, void* elements, const BoxSource& own) const;
  /// Sends the values of `box` to the ranks that have its cells. Ranks that pass the same cell must
  /// pass the same value.
  void copy_in(const Box& box, const void* elements, const BoxSink& own) const;
  /// Moves values to a new distribution: sends what this rank had `before`, read by `from`, to the
  /// ranks that have it now.
  void move(const SharedBoxes& before, const BoxSource& from, const BoxSink& own) const;

 private:
  /// Returns a message with a box and room for its values.
  Parcel parcel_for(int rank, const Box& box, bool with_values) const;
  /// Returns messages for the other ranks that have a part of `box`, with values if `part` is
  /// given.
  std::vector<Parcel> parcels_for_others(const Box& box, const BoxSource& part) const;
  void take(const std::vector<Parcel>& parcels, const BoxSink& own) const;

  Communicator& communicator_;
  std::function<Box(int rank)> box_of_;
  int components_;
  std::size_t element_size_;
};

}  // namespace goban
