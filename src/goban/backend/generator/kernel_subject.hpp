#pragma once
// What kernels are written from.

#include <vector>

#include "goban/backend/device_shape.hpp"

namespace goban {

/// What there is of a functor to make kernels of.
struct KernelSubject {
  explicit KernelSubject(const Stage& stage);

  const Graph* graph;
  const Footprint* footprint;
  DeviceShape shape;
  bool covers_everything;          ///< it has neither a region nor a mask
  std::vector<bool> is_in_place;   ///< per argument
  std::vector<IndexMap> maps;      ///< the index map of each argument
  std::vector<bool> are_changing;  ///< per argument: others write the field meanwhile; empty: none
  std::vector<int> constants;      ///< nodes whose bits are arguments, in their order
  bool has_short_offsets = false;  ///< from any cell to any it reads there are fewer than 2^31
  const ColumnSweeps* columns;     ///< null: it sweeps none
  Reduction reduction;             ///< what a reduction makes of its values
};

}  // namespace goban
