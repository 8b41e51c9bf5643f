#pragma once
// What a checkpoint holds, whatever stores it.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "goban/grid/box.hpp"

namespace goban {

/// Values by global index. Boxes are copied x fastest, component slowest.
struct CheckpointArray {
  std::string name;
  ElementType type = ElementType::float32;
  Index3 extents{0, 0, 0};
  int components = 1;
  /// Not needed to go on: a run that lacks it, or a checkpoint that does, is accepted.
  bool optional = false;
  /// Along y from one checkpoint to the next: as many come back as there were.
  bool grows = false;
  /// The run only reads it: see CheckpointSubject::accept.
  bool constant = false;
  /// Disjoint boxes that hold all values, one a rank, the same answer on every rank: who has which
  /// of them. Empty: nobody in particular.
  std::function<Box(int rank)> owned_by = {};
  /// Both are collective; ranks that want or bring nothing name an empty box.
  std::function<void(const Box&, void* elements)> copy_out = {};
  std::function<void(const Box&, const void* elements)> copy_in = {};

  Index bytes_per_cell() const { return static_cast<Index>(size_of(type)) * components; }
  Index bytes() const { return product(extents) * bytes_per_cell(); }
};

/// What a program calls (Program::call) where that has state of its own: checkpoints hold it.
struct StatefulCall {
  std::function<void()> function;
  std::function<std::vector<CheckpointArray>()> arrays;
  void operator()() const { function(); }
};

/// Everything that is not an array.
struct CheckpointState {
  Index step = 0;
  double time = 0;
  nlohmann::ordered_json details;  ///< state of the simulation: parameters, schedules, outputs
};

/// What must agree between a checkpoint and the run that continues it, and where its values live.
struct CheckpointSubject {
  std::string program;
  Index3 cells{0, 0, 0};
  std::string active{};  ///< which cells there are of a list: ActiveCells::hash(); empty: of a box
  Real3 spacing{1, 1, 1};
  Real3 origin{0, 0, 0};
  std::uint64_t seed = 0;
  std::vector<CheckpointArray> arrays;
  /// Called before values are read; empty: all are wanted. Returns whether constant arrays are to
  /// be those of the checkpoint, too. Error (usage): the run must not go on from there.
  std::function<bool(const CheckpointState&)> accept = {};
};

}  // namespace goban
