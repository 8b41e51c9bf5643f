#pragma once
// What every patch does in one cycle, as a plain value: run in order it is correct, and because
// every operation states the boxes it touches, asynchronous executors derive from it what must wait
// for what. It can be printed, checked and counted without being run.

#include <memory>
#include <string>
#include <vector>

#include "goban/grid/cell_numbers.hpp"
#include "goban/grid/patches.hpp"
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
  int item = 0;          ///< index into the exchange's items
  Box source;            ///< local cells of the sending patch
  Box target;            ///< local cells of the receiving patch
  int source_slot = -1;  ///< what is sent, where that is another field than what is received
  /// For lists of active cells, the numbers of the cells; the boxes are as many cells in a row, as
  /// they lie in messages.
  std::shared_ptr<const CellNumbers> cells{};
};

struct Operation {
  enum class Kind : std::uint8_t {
    begin_exchange,  ///< decides which items of the exchange are stale
    send,            ///< pieces of `patch` to `other_patch`, of another rank
    copy,     ///< pieces from `other_patch` into the halo of `patch`, also beyond periodic sides
    fill,     ///< ghost cells at a physical boundary that is not periodic
    receive,  ///< what `other_patch`, of another rank, sends into the halo of `patch`
    end_exchange,  ///< the halos of the exchange are valid from here
    begin_sweeps,  ///< from here on an instance changes what it writes
    sweep,         ///< one box of one instance; partial result of a reduction
    combine,       ///< a reduction's partial results become the parameter
    compute,       ///< a scalar stage
    sample         ///< values are taken, on all patches
  };
  Kind kind = Kind::sweep;
  Stream stream = Stream::compute;
  int patch = -1;        ///< who executes it; -1: the host
  int instance = -1;     ///< sweeps, combine, compute, sample; exchange: the reader it is for
  Box box;               ///< sweep: local cells; fill: ghost cells
  int other_patch = -1;  ///< send, copy, receive
  std::vector<Piece> pieces;
  int exchange = -1;             ///< the exchange it belongs to; fill: -1 when it follows a write
  Component what;                ///< fill
  int item = -1;                 ///< fill
  int version = -1;              ///< fill and copy outside exchanges: what they make ghosts of
  int axis = 0;                  ///< send, copy, fill, receive: the ghosts are across it,
  Side side = Side::low;         ///< on this side of the patch that has them
  std::vector<Operation> edges;  ///< sweep: ghosts made of what it writes, with it
  bool moves = false;            ///< send, copy, receive: values rather than ghosts
};

/// Halos of one component that the sweeps of an instance make beside what they write, on every
/// patch that has them.
struct MadeHalo {
  Component what;
  int axis = 0;
  Side side = Side::low;
  Index width = 0;
  bool sent = false;     ///< by one patch to another; the rest of the halo is as it was
  bool corners = false;  ///< sent with the edges and corners of patches
  bool operator==(const MadeHalo&) const = default;
};

/// What one exchange makes valid.
struct Exchange {
  struct Item {
    int version = 0;
    Component what;
    Extents need;
    /// Whether, per axis, only cells that this cycle reads are copied.
    std::array<bool, 3> is_partial{};
  };
  std::vector<Item> items;
  bool corners = false;
  bool moves = false;  ///< values of a field to one of a grid that is cut anew: nothing is skipped
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
  /// Whether, per axis, they reach the halos of patches that other ranks have.
  std::array<bool, 3> reaches_ranks{};
};

struct Schedule {
  Cycle cycle;
  Patches patches;
  std::vector<Exchange> exchanges;
  std::vector<Operation> operations;        ///< operations on the rank's own patches
  std::vector<std::vector<MadeHalo>> made;  ///< per instance
  bool computes_ahead =
      false;  ///< no exchange after the first sweep: the sweeps may run as one pass
};

/// All ranks make schedules that fit together: what one sends another receives, in this order.
/// Errors (ExitCode::usage), on all ranks alike: a halo wider than the patch it comes from.
Schedule make_schedule(Cycle cycle, const Slots& slots, const Patches& patches,
                       const ScheduleOptions& options);

}  // namespace goban
