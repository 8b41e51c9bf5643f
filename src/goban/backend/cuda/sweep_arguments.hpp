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

/// Cells that are also stored `shift` bytes away; see SentCells.
struct SendView {
  Index shift;
  Index component;
  int first, last;
  unsigned int components;
};

/// Exact sums, extrema: see reduction.cuh.
struct ReductionView {
  unsigned long long* state;
  int kind;
};

/// Of arguments stored in place: elements from component 0 to each component.
template <int Arguments, int Components>
struct PlacesView {
  Index offset[Arguments][Components];
};
template <int Arguments>
struct PlacesView<Arguments, 0> {};

/// Components: the most of a field stored in place; 0: there is none.
template <class F, int Arguments, int Components>
struct SweepArguments {
  F functor;
  FieldView field[Arguments];
  double value[Arguments];
  SendView planes_sent[Arguments][2], ends_sent[Arguments][2];
  FieldView mask;  ///< read is null: none
  SiteInfo site;
  ReductionView reduction;
  int first;                        ///< cell of the first pack, a multiple of the pack width
  int low[3], high[3];              ///< cells to update
  int plain_low[3], plain_high[3];  ///< of these the ones that are stored, unmasked, and not sent
  unsigned int blocks_x;            ///< blocks of threads along a row
  unsigned int slab;                ///< and in a slab of rows
  int planes;                       ///< reductions: planes a thread walks
  PlacesView<Arguments, Components> places;
};

}  // namespace goban::cuda
