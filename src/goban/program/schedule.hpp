#pragma once
// What every patch does in one cycle, as a plain value: run in order it is correct, and because
// every operation states the boxes it touches, asynchronous executors derive from it what must wait
// for what. It can be printed, checked and counted without being run.

#include <string>
#include <vector>

#include "goban/grid/decomposition.hpp"
#include "goban/program/cycle.hpp"

namespace goban {

/// Queue of an executor that an operation is put into.
enum class Stream : std::uint8_t { compute, halo };

/// One component of one slot.
struct Component {
  int slot = 0;
  int component = 0;
  bool operator==(const Component&) const = default;
};

/// A rectangular piece of a halo message: cells of `source` go to cells of `target`.
struct Piece {
  Component what;
  int item = 0;  ///< index into the exchange's items
  Box source;    ///< local cells of the sending patch
  Box target;    ///< local cells of the receiving patch
};

struct Operation {
  enum class Kind : std::uint8_t {
    begin_exchange,  ///< decides which items of the exchange are stale
    copy,            ///< pieces from `source_patch` into the halo of `patch`
    fill,            ///< ghost cells at a physical boundary
    end_exchange,    ///< the halos of the exchange are valid from here
    sweep,           ///< one box of one instance; partial result of a reduction
    combine,         ///< a reduction's partial results become the parameter
    compute          ///< a scalar stage
  };
  Kind kind = Kind::sweep;
  Stream stream = Stream::compute;
  int patch = -1;         ///< who executes it; -1: the host
  int instance = -1;      ///< sweep, combine, compute; exchange: the reader it is for
  Box box;                ///< sweep: local cells; fill: ghost cells
  int source_patch = -1;  ///< copy
  std::vector<Piece> pieces;
  int exchange = -1;             ///< begin, copy, fill, end; fill: -1 when it follows a write
  Component what;                ///< fill
  int item = -1;                 ///< fill
  int version = -1;              ///< fill and copy outside exchanges: what they make ghosts of
  int axis = 0;                  ///< fill, and copy of an edge: where the ghosts are
  Side side = Side::low;         ///< likewise
  std::vector<Operation> edges;  ///< sweep: ghosts made of what it writes, with it
};

/// What one exchange makes valid.
struct Exchange {
  struct Item {
    int version = 0;
    Component what;
    Extents need;
  };
  std::vector<Item> items;
  bool corners = false;
};

struct ScheduleOptions {
  Overlap overlap = Overlap::none;
  enum class Edges : std::uint8_t {
    none,
    rows,   ///< ghosts along x that a patch can make of its own rows are made row by row, while the
            ///< rows are in cache; for executors that work in order
    sends,  ///< halos of other patches; for asynchronous executors
  };
  Edges edges = Edges::none;  ///< what sweeps make beside the cells they update
};

struct Schedule {
  Cycle cycle;
  std::vector<PatchGeometry> patches;
  std::vector<Exchange> exchanges;
  std::vector<Operation> operations;
  bool computes_ahead =
      false;  ///< no exchange after the first sweep: the sweeps may run as one pass

  /// Axes along which halos come from patches.
  std::array<bool, 3> joined() const;

  /// Cells updated per patch and cycle beyond the owned ones, relative to the owned ones.
  double redundancy() const;
  /// Bytes received per patch and cycle, averaged over patches.
  double halo_bytes(const Slots& slots) const;
};

/// Errors (ExitCode::usage): a halo wider than the smallest patch.
Schedule make_schedule(Cycle cycle, const Slots& slots, const std::vector<PatchGeometry>& patches,
                       const ScheduleOptions& options);

/// One operation a line.
std::string to_string(const Schedule& schedule, const Slots& slots);

}  // namespace goban
