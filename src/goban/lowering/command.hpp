#pragma once
// What executors are told in one cycle, as plain data: typed commands in an order that is correct
// if they run one by one, each with what it must wait for, the boxes it touches, its bytes and its
// floating-point operations. No pointers: whoever runs, records, prints or costs a list reads it.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "goban/lowering/bindings.hpp"

namespace goban {

/// Cells of one component that are copied from one patch to another.
struct CellCopy {
  Component what;
  MemoryNumber memory = 0;
  int from = -1, to = -1;                      ///< patches
  Box source, target;                          ///< local cells
  MemoryNumber source_memory = 0;              ///< where they come from: mostly the same
  std::shared_ptr<const CellNumbers> cells{};  ///< see Piece
};

/// Ghosts of one component that a boundary condition makes.
struct GhostFill {
  Component what;
  MemoryNumber memory = 0;
  int patch = -1;
  Box box;
  int axis = 0;
  Side side = Side::low;
};

/// One box of one stage.
struct Sweep {
  int instance = 0;                  ///< the number of the instance in the schedule's cycle
  Box box;                           ///< local cells
  std::vector<MemoryNumber> memory;  ///< per argument; of no use for site and values
  MemoryNumber mask = 0;             ///< memory of the mask, if the stage has one
  /// For a reduction, per argument: how many of the components it reads are at hand, as sweeps
  /// before it in its bundle have read or written them; empty: none is.
  std::vector<int> at_hand;
  /// Copies of what it writes into halos of other patches, made with it.
  std::vector<CellCopy> sends;
  std::vector<CellCopy> row_copies;  ///< ghosts at the ends of the rows it writes, made with them
  std::vector<GhostFill> row_fills;
};

/// Several steps of a patch in one pass through memory, in a window that stays near the cores.
struct BlockedSweeps {
  /// A sweep, a reduction or a sample.
  struct Step {
    Sweep sweep;                     ///< its box: all that what it writes is to hold
    std::vector<Box> parts;          ///< what it updates, reduces or samples
    std::vector<int> reads, writes;  ///< per argument: a version below, or -1
    std::vector<int> keeps;          ///< per argument: what it writes starts from this version
    int mask = -1;                   ///< version
    std::vector<GhostFill> fills;    ///< ghosts of what the step writes, filled after it
    std::vector<int> fill_versions;
  };
  struct Version {
    int slot = 0;
    MemoryNumber memory = 0;  ///< where it lies; on devices when it is held or kept
    bool held = false;        ///< in memory before
    bool kept = false;        ///< must be in memory afterwards
    Extents need;
    Box cells;  ///< local cells that may have values
  };
  std::vector<Step> steps;
  std::vector<Version> versions;
};

/// Parameters, step and time as they are now, and the record that was begun last, are those of one
/// step of blocked sweeps to come.
struct TakeNumbers {
  int pass = 0;  ///< number among the list's blocked sweeps
  int step = 0;
};

struct Fill {
  std::vector<GhostFill> ghosts;
};

struct Copy {
  std::vector<CellCopy> cells;
};

/// The message of one halo, between ranks.
struct HaloMessage {
  MessageEnd end = MessageEnd::sends;
  HaloSide halo;
  int channel = 0;
  int rank = 0;                  ///< the rank of the other end
  std::vector<CellCopy> pieces;  ///< pieces that are stale
};

/// Messages set out. Those that devices hand over together, of a group also those that come, are
/// one command.
struct Post {
  Transport transport = Transport::host;
  std::vector<HaloMessage> messages;
};

/// Messages are taken to where they belong.
struct Arrive {
  Transport transport = Transport::host;
  std::vector<HaloMessage> messages;
};

/// Devices of ranks that store into each other's halos wait for each other.
struct RankBarrier {};

/// Queues of devices wait for each other's work before what follows, all at once.
struct DeviceBarrier {
  struct Waiting {
    int patch = -1;  ///< the patch whose executor waits
    Stream stream = Stream::compute;
    std::vector<Wait> waits;
  };
  std::vector<Waiting> all;
};

/// Partial results become the parameter.
struct Reduce {
  struct Partial {
    int command = 0;
    int step = -1;  ///< the step of blocked sweeps; -1: it is a sweep
  };
  int instance = 0;
  std::vector<Partial> partials;
};

struct ScalarStage {
  int instance = 0;
};

/// A record of values begins.
struct BeginSample {
  int instance = 0;
};

/// Values of a patch are copied into the record.
struct Sample {
  int instance = 0;
  std::vector<MemoryNumber> memory;  ///< per field
};

/// The cells of a field stored in place move, in name.
struct MoveInPlace {
  int instance = 0;
  MemoryNumber from = 0, to = 0;
};

struct Command {
  std::variant<Sweep, BlockedSweeps, TakeNumbers, Fill, Copy, Post, Arrive, RankBarrier,
               DeviceBarrier, Reduce, ScalarStage, BeginSample, Sample, MoveInPlace>
      what;
  int step = 0;                     ///< within the cycle
  int patch = -1;                   ///< the patch whose executor runs it; -1: the host
  Stream stream = Stream::compute;  ///< the queue that runs it
  int bundled = 0;                  ///< how many after it may be computed with it: bundle_sweeps()
  std::vector<Wait> waits;
  double bytes = 0;  ///< read and written, in memory or on a link
  double flops = 0;
};

struct CommandList {
  int steps = 1;
  std::vector<Command> commands;
  /// Memories whose halos devices of other ranks must be let reach first; and those that there must
  /// be a spare buffer for: the list is complete when there are.
  std::vector<MemoryNumber> to_be_reached, spares_missing;
  /// Afterwards memory i is what memory `from[i]` was, with these halos.
  std::vector<MemoryNumber> from;
  BufferState after;
  /// What is left to be waited for: commands, or what was before, by number as in Wait.
  std::vector<Wait> left;
  Hazards hazards;
};

/// Components of an argument of a sweep that are read or written, those that are both twice.
int components_moved(const Stage& sweep, std::size_t argument);
/// The same without those at hand.
int components_moved(const Sweep& sweep, const Stage& stage, std::size_t argument);

/// What a list does in all.
struct Work {
  double bytes = 0, flops = 0;
  /// Bytes that halos receive from patches, by copies, messages and sweeps.
  double halo_bytes = 0;
  double cells = 0, owned = 0;  ///< cells that are updated; those of these that patches own
};
Work work_of(const CommandList& list, const Schedule& schedule, const Slots& slots);

}  // namespace goban
