#pragma once
// One array of a checkpoint: how its values are had and given back.

#include <functional>
#include <string>

#include "goban/grid/box.hpp"

namespace goban {

/// Values by global index. Boxes are copied x fastest, component slowest.
struct CheckpointArray {
  std::string name;
  ElementType type = ElementType::float32;
  Index3 extents{0, 0, 0};
  int components = 1;
  /// Not needed to go on: a run that lacks it, or a checkpoint that does, is accepted.
  bool optional = false;
  /// Along y from one checkpoint to the next: as many come back as there were.
  bool grows = false;
  /// The run only reads it: see CheckpointSubject::accept.
  bool constant = false;
  /// Disjoint boxes that hold all values, one a rank, the same answer on every rank: who has which
  /// of them. Empty: nobody in particular.
  std::function<Box(int rank)> owned_by = {};
  /// Both are collective; ranks that want or bring nothing name an empty box.
  std::function<void(const Box&, void* elements)> copy_out = {};
  std::function<void(const Box&, const void* elements)> copy_in = {};

  Index bytes_per_cell() const { return static_cast<Index>(size_of(type)) * components; }
  Index bytes() const { return product(extents) * bytes_per_cell(); }
};

}  // namespace goban
