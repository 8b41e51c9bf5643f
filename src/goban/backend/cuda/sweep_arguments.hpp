#pragma once
// What a sweep kernel is launched with: plain data, axes in the fields' memory order (fastest,
// middle, slowest), cells local to the patch.

#include "goban/program/stage.hpp"

namespace goban::cuda {

/// One field argument; pointers are to component 0 of local cell (0, 0, 0).
struct FieldView {
  const std::byte* read;
  std::byte* write;
  Index slow;           ///< elements to the next plane
  Index component;      ///< elements to the next component
  int middle;           ///< elements to the next row
  int low[3], high[3];  ///< cells a store may touch
};

/// Exact sums, extrema: see reduction.cuh.
struct ReductionView {
  unsigned long long* state;
  int kind;
};

template <class F, int Arguments>
struct SweepArguments {
  F functor;
  FieldView field[Arguments];
  double value[Arguments];
  FieldView mask;  ///< read is null: none
  SiteInfo site;
  ReductionView reduction;
  int first;              ///< cell of the first pack, a multiple of the pack width
  int low[3], high[3];    ///< cells to update
  unsigned int blocks_x;  ///< blocks of threads along a row
  unsigned int slab;      ///< and in a slab of rows
  int planes;             ///< reductions: planes a thread walks
};

}  // namespace goban::cuda
