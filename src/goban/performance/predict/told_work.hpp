#pragma once
// A computation of which nothing is known but numbers: what an update computes, moves and sends.

#include <string>

#include "goban/grid/grid.hpp"
#include "goban/performance/model/straight_run.hpp"

namespace goban {

/// One sweep over all cells a step, as the papers on scaling describe one.
struct ToldWork {
  double flops = 0;  ///< operations of an update, F
  double bytes = 0;  ///< bytes that an update moves between memory and device, B
  Index halo = 0;    ///< bytes that a cell of a face sends to the neighbour beside it in a step
  Index fields = 0;  ///< values of a cell that a step renews
  Index reach = 1;   ///< cells along each axis that an update reads: layers of the halo
  ElementType type = ElementType::float32;

  /// Values of a cell that travel: those of a face and one layer.
  Index values_sent() const { return halo / (reach * static_cast<Index>(size_of(type))); }
};

/// Reads "flops=13,bytes=32,halo=4,fields=1,reach=1"; the last two may be left out: as many fields
/// as halo sends values, 1. Values have the size of `type`. Errors (ExitCode::usage): an unknown
/// name, no number, one that is missing, a halo that is no whole number of values and layers or has
/// more of them than there are fields.
ToldWork told_work(const std::string& text, ElementType type);

/// The step of such a program on a grid of so many cells, without fields that hold anything: a
/// sweep and a swap. `context` must outlive it.
StraightRun run_of(const ToldWork& work, Index3 cells, GridContext& context);

}  // namespace goban
