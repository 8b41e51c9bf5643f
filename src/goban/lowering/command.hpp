#pragma once
// The commands that executors get in one cycle, as plain data. They are typed, in an order that is
// correct if they run one by one, and each says what it must wait for, which boxes it touches, its
// bytes and its floating-point operations. They hold no pointers: the code that runs, records,
// prints or predicts a list reads nothing else.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "goban/lowering/bindings.hpp"

namespace goban {

/// A copy of cells of one component from one patch to another.
struct CellCopy {
  Component what;
  MemoryNumber memory = 0;
  int from = -1, to = -1;          ///< the patches that cells come from and go to
  Box source, target;              ///< local cells
  MemoryNumber source_memory = 0;  ///< the memory that cells come from; mostly the same as `memory`
  std::shared_ptr<const CellNumbers> cells{};  ///< the cells of a list, see Piece; null for boxes
};

/// Ghosts of one component that a boundary condition sets.
struct GhostFill {
  Component what;
  MemoryNumber memory = 0;
  int patch = -1;
  Box box;
  int axis = 0;
  Side side = Side::low;
};

/// One stage over one box of one patch.
struct Sweep {
  int instance = 0;  ///< the number of the stage's instance in the schedule's cycle
  Box box;           ///< local cells
  /// One per argument; meaningless for site and number arguments.
  std::vector<MemoryNumber> memory;
  MemoryNumber mask = 0;  ///< memory of the mask, if the stage has one
  /// For a reduction, one per argument: how many of the components that it reads are at hand,
  /// because sweeps before it in its bundle have read or written them. Empty if none is.
  std::vector<int> at_hand;
  /// Copies of what it writes into halos of other patches, which the sweep itself makes.
  std::vector<CellCopy> sends;
  /// Ghosts at the ends of the rows that it writes, which are copied and filled along with them.
  std::vector<CellCopy> row_copies;
  std::vector<GhostFill> row_fills;
};

/// Several steps of a patch that run as one pass through memory, in a window that stays in cache or
/// registers (temporal blocking).
struct BlockedSweeps {
  /// One step of the pass: a sweep, a reduction or a sample.
  struct Step {
    Sweep sweep;             ///< its box covers all cells that the written versions are to hold
    std::vector<Box> parts;  ///< the boxes that it updates, reduces or samples
    std::vector<int> reads, writes;  ///< one per argument: an index into `versions`, or -1
    /// One per argument: the version whose cells it keeps where it writes none, or -1.
    std::vector<int> keeps;
    int mask = -1;                 ///< the version of its mask, or -1
    std::vector<GhostFill> fills;  ///< ghosts of what the step writes, which are filled after it
    std::vector<int> fill_versions;
  };
  struct Version {
    int slot = 0;
    MemoryNumber memory = 0;  ///< where it lies; on devices only if it is held or kept
    bool held = false;        ///< it lies in memory before the pass
    bool kept = false;        ///< it must lie in memory after the pass
    Extents need;
    Box cells;  ///< the local cells that may have values
  };
  std::vector<Step> steps;
  std::vector<Version> versions;
};

/// Notes the present values of parameters, step and time, and the record that was begun last, for
/// one step of blocked sweeps that follow.
struct TakeNumbers {
  int pass = 0;  ///< the number of the BlockedSweeps among those of the list
  int step = 0;
};

/// Fills ghosts by boundary conditions.
struct Fill {
  std::vector<GhostFill> ghosts;
};

/// Copies cells between patches of this rank.
struct Copy {
  std::vector<CellCopy> cells;
};

/// The message for one halo between two ranks.
struct HaloMessage {
  MessageEnd end = MessageEnd::sends;
  HaloSide halo;
  int channel = 0;
  int rank = 0;                  ///< the rank at the other end
  std::vector<CellCopy> pieces;  ///< the parts of the halo that are stale
};

/// Sends messages. Messages that devices hand over together are one command; for a group of devices
/// (NCCL) it includes the messages that arrive.
struct Post {
  Transport transport = Transport::host;
  std::vector<HaloMessage> messages;
};

/// Waits for messages and copies their cells into the halos.
struct Arrive {
  Transport transport = Transport::host;
  std::vector<HaloMessage> messages;
};

/// Lets devices of different ranks that store into each other's halos wait for each other.
struct RankBarrier {};

/// Lets queues of several devices of this rank wait for each other's earlier work, all at once.
struct DeviceBarrier {
  struct Waiting {
    int patch = -1;  ///< a patch of the executor that waits
    Stream stream = Stream::compute;
    std::vector<Wait> waits;
  };
  std::vector<Waiting> all;
};

/// Combines the partial results of a reduction, of all ranks, into its parameter.
struct Reduce {
  struct Partial {
    int command = 0;
    int step = -1;  ///< the step within BlockedSweeps; -1 if the command is a Sweep
  };
  int instance = 0;
  std::vector<Partial> partials;
};

/// Computes a function of parameters.
struct ScalarStage {
  int instance = 0;
};

/// Begins a record of sampled values.
struct BeginSample {
  int instance = 0;
};

/// Copies sampled values of a patch into the record that was begun last.
struct Sample {
  int instance = 0;
  std::vector<MemoryNumber> memory;  ///< one per field
};

/// Renames the cells of a field stored in place after a step; no memory is moved.
struct MoveInPlace {
  int instance = 0;
  MemoryNumber from = 0, to = 0;
};

/// One command with what it waits for and what it costs.
struct Command {
  std::variant<Sweep, BlockedSweeps, TakeNumbers, Fill, Copy, Post, Arrive, RankBarrier,
               DeviceBarrier, Reduce, ScalarStage, BeginSample, Sample, MoveInPlace>
      what;
  int step = 0;                     ///< the step within the cycle
  int patch = -1;                   ///< the patch whose executor runs it; -1 if the host does
  Stream stream = Stream::compute;  ///< the queue that runs it
  /// How many of the following commands form a bundle with it; see bundle_sweeps().
  int bundled = 0;
  std::vector<Wait> waits;
  double bytes = 0;  ///< bytes read and written, in memory or on a link
  double flops = 0;
};

/// All commands of one cycle on this rank, and the state in which they leave the domain.
struct CommandList {
  int steps = 1;
  std::vector<Command> commands;
  /// to_be_reached: memories that must be opened to devices of other ranks before the list runs.
  /// spares_missing: fields that need a spare buffer; the list is complete only if there are none.
  std::vector<MemoryNumber> to_be_reached, spares_missing;
  /// After the list, memory i is what memory `from[i]` was before; `after` is the new state.
  std::vector<MemoryNumber> from;
  BufferState after;
  /// The work that later commands may have to wait for: commands of this list, or earlier ones, as
  /// in Wait.
  std::vector<Wait> left;
  Hazards hazards;
};

/// Returns how many components of an argument a sweep reads or writes; those that it reads and
/// writes count twice.
int components_moved(const Stage& sweep, std::size_t argument);
/// Returns the same without the components that are at hand.
int components_moved(const Sweep& sweep, const Stage& stage, std::size_t argument);

/// The sums over a list.
struct Work {
  double bytes = 0, flops = 0;
  /// Bytes that halos receive from other patches, by copies, messages and sweeps.
  double halo_bytes = 0;
  double cells = 0, owned = 0;  ///< cells that are updated, and how many of them patches own
};
Work work_of(const CommandList& list, const Schedule& schedule, const Slots& slots);

}  // namespace goban
