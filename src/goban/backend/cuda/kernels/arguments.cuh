#pragma once
// What sweep kernels are launched with: plain data, axes in the fields' memory order (fastest,
// middle, slowest), cells local to the patch. Host and kernels share it.

#include "goban/backend/kernels/site_view.hpp"

namespace goban::device {

/// One field argument; pointers are to component 0 of local cell (0, 0, 0).
struct FieldView {
  const unsigned char* read;
  unsigned char* write;
  Index slow;           ///< elements to the next plane
  Index component;      ///< elements to the next component
  int middle;           ///< elements to the next row
  int low[3], high[3];  ///< cells a store may touch
  int padding;
};

/// A value that is the same for all cells: `value`, or what lies in the device's memory.
struct Number {
  const double* place;  ///< null: not there
  double value;
};
#if GOBAN_KERNEL
GOBAN_DEVICE double number(const Number& one) {
  return one.place ? number_in_memory(one.place) : one.value;
}
#endif

/// Cells that are also stored `shift` bytes away; see SentCells.
struct SendView {
  Index shift;
  Index component;
  int first, last;
  uint32 components;
  int padding;
};

/// Exact sums, extrema: see reduce.cuh.
struct ReductionView {
  uint64* state;   ///< reduction_words zeros in the device's memory
  uint64* result;  ///< where the host gets it
  double* value;   ///< where it is rounded to instead, in the device's memory; null: nowhere
};

/// Cells that reductions of a launch go over.
struct ReductionWalk {
  int low[3], high[3];
  int first;   ///< cell of the first pack
  int planes;  ///< planes that a thread walks
};

/// What all arguments of a sweep have; what there is one of for every argument of the functor
/// follows it: see SweepArguments.
struct SweepCommon {
  FieldView mask;  ///< read is null: none
  SiteView site;
  ReductionView reduction;
  int low[3], high[3];              ///< cells to update
  int plain_low[3], plain_high[3];  ///< cells of these that are stored, unmasked, and not sent
  int first;                        ///< cell of the first pack, a multiple of the pack width
  uint32 blocks_x;                  ///< blocks of threads along a row
  uint32 slab;                      ///< and in a slab of rows
  int padding;
};

constexpr int at_least_one(int n) { return n > 0 ? n : 1; }

/// Components: the most of a field stored in place; 0: there is none. The host lays out the same
/// with numbers it has at run time (launch/launch_arguments.hpp): every member is a multiple of 8
/// bytes.
template <int Arguments, int Constants, int Components>
struct SweepArguments {
  static constexpr bool has_sends = true;
  SweepCommon common;
  FieldView field[Arguments];
  SendView sent[Arguments][4];  ///< two of planes, two of rows of every plane
  SendView ends_sent[Arguments][2];
  Number value[Arguments];
  uint64 constant[at_least_one(Constants)];
  Index place[Arguments][at_least_one(Components)];  ///< elements from component 0
};

/// The arguments of one sweep of a bundle: fields have memory of their own, and the kernel sends
/// nothing.
template <int Arguments, int Constants>
struct PartArguments {
  static constexpr bool has_sends = false;
  SweepCommon common;
  FieldView field[Arguments];
  Number value[Arguments];
  uint64 constant[at_least_one(Constants)];
};

/// Cells that the same parts of a bundle update; along rows some of them, in whole packs.
struct BundleRegion {
  int low[3], high[3];
  uint32 threads[3], blocks[2];  ///< threads of a block; blocks along a row and across rows
  uint32 reciprocal[4];  ///< for threads[0], threads[1], blocks[0], blocks[1]; see divided()
  uint32 first_block;    ///< the number of its first block in the launch
  uint32 parts;          ///< a bit each
  uint32 padding;
};
template <int Regions>
struct BundleRegions {
  int count, padding;
  BundleRegion region[Regions];
};

/// Cells of a field that marches.
struct ReadableCells {
  int low[3], high[3];
  int first_pack, last_pack;  ///< cells of the first and last packs with readable ones
};

inline constexpr int most_marching = 3;

struct MarchCommon {
  int low[3], high[3];                    ///< cells to write
  int changing_low[3], changing_high[3];  ///< all others keep their values: constant ghosts
  /// Cells whose values count; the results of others are lost, so that the functor may as well be
  /// evaluated at the nearest of these.
  int needed_low[3], needed_high[3];
  int first;   ///< cell of the first pack to write
  int planes;  ///< planes that a block writes
  ReadableCells readable[most_marching];
};

/// Several steps: a site and values for each.
template <int Arguments, int Constants, int Steps>
struct MarchArguments {
  MarchCommon common;
  FieldView field[Arguments];
  SiteView site[Steps];
  Number value[Steps][Arguments];
  uint64 constant[at_least_one(Constants)];
};
/// The arguments of a pass that stores planes a second time.
template <int Arguments, int Constants, int Steps>
struct SendingMarchArguments : MarchArguments<Arguments, Constants, Steps> {
  SendView planes_sent[Arguments][2];
};

/// Columns of tiles. The first begins, the last ends where no more cells change or count.
struct StepsColumns {
  int tiles, columns;    ///< along a row; in all
  int first, first_row;  ///< cells of the first tile
  int last_row;          ///< first row of the last tiles
};

/// A box of an array of three dimensions, as the copy engine is told.
struct alignas(64) BoxMap {
  uint64 opaque[16];
};

/// For each field that marches, the maps of its rows of a tile and of one row.
struct StepsMaps {
  BoxMap rows[most_marching], row[most_marching];
};

static_assert(sizeof(FieldView) == 64 && sizeof(SendView) == 32 && sizeof(SiteView) == 168);
static_assert(sizeof(BundleRegion) == 72);
static_assert(sizeof(SweepCommon) % 8 == 0 && sizeof(MarchCommon) % 8 == 0);

}  // namespace goban::device
