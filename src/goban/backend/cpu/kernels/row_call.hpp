#pragma once
// What the kernels of CPUs are called with: rows of cells of some planes. Host and kernels share
// it. Axes are in the memory order of the fields.

#include "goban/backend/kernels/site_view.hpp"

namespace goban::device {

inline constexpr int most_planes_of_group = 4, most_rows_ahead = 12;

/// One argument. Pointers are to component 0 of local cell 0 of the first row.
struct RowField {
  const unsigned char* read;
  unsigned char* write;
  Index middle, slow;        ///< elements to the next row and plane
  Index component;           ///< elements to the next component that is read
  const Index* place;        ///< stored in place: elements from component 0 to each that is read
  const Index* to;           ///< elements from component 0 to each that is written
  Index to_middle, to_slow;  ///< elements to the next row and plane there
  Index first;               ///< on another grid: global index of local cell 0 along the row
  Index previous;            ///< scratch: elements to the level visited before
  /// Where lines are fetched from with a pack of the first row, at cell 0 of their rows: those that
  /// are needed soon, into the first-level cache, and later, into the second. In a group of planes
  /// each plane has its own.
  const unsigned char* soon[most_planes_of_group][most_rows_ahead];
  const unsigned char* later[most_planes_of_group];
  /// Per component, where the ends of the row are kept, too; null: nowhere.
  unsigned char* const* kept;
  Index kept_middle, kept_slow;  ///< elements to the next row and plane there
  Index kept_low, kept_high;     ///< the ends: cells below and from
  Index kept_gap;                ///< elements left out between both
};

struct RowCall {
  RowField* field;         ///< a field for each argument
  const double* value;     ///< a number for each argument
  const uint64* constant;  ///< numbers that are no part of the text
  const SiteView* site;
  Index middle, slow;  ///< the first row
  Index low, high;     ///< cells that count; of others neighbours on other grids are not read
  bool streaming;      ///< results go past the caches
  /// Told of the cells of a row before they are computed; null: nobody is.
  void (*before_row)(void* fetcher, Index cells);
  void* fetcher;
  void* evaluator;  ///< the RowRun that evaluates a graph without machine code
};

/// Computes packs that begin at first, first + width, ... below last, of so many rows of so many
/// planes, a multiple of those that are computed together.
using RowFunction = void (*)(const RowCall* call, Index first, Index last, Index rows,
                             Index planes);

}  // namespace goban::device
