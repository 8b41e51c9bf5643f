#pragma once
// The analysis: what R unrolled steps of a straight run of stages read and write, how far beyond
// the owned cells each of them must compute, and which halos must be fetched.
//
// Every write makes a new version of what it writes. Extents are propagated backwards from the
// versions that outlive the cycle; a version that is exchanged need only be computed on owned
// cells, any other must be computed as far out as its readers reach. With R = 1 and exchanges
// after every stage this is the classic scheme, with none but the first it is ghost expansion.

#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

/// The fields of a program; a slot is what a name stands for when a cycle begins.
class Slots {
 public:
  int add(const std::shared_ptr<FieldRecord>& field, const std::shared_ptr<GridState>& grid);
  int of(const FieldRecord* field) const;
  int size() const { return static_cast<int>(fields_.size()); }
  const FieldRecord& field(int slot) const { return *fields_[static_cast<std::size_t>(slot)]; }
  const std::shared_ptr<FieldRecord>& record(int slot) const {
    return fields_[static_cast<std::size_t>(slot)];
  }
  const std::shared_ptr<GridState>& grid(int slot) const {
    return grids_[static_cast<std::size_t>(slot)];
  }

 private:
  std::vector<std::shared_ptr<FieldRecord>> fields_;
  std::vector<std::shared_ptr<GridState>> grids_;
  std::map<const FieldRecord*, int> index_;
};

/// One state of one slot between two writes.
struct Version {
  int slot = 0;
  int producer = -1;          ///< instance that writes it; -1: held when the cycle begins
  int previous = -1;          ///< version whose values it keeps where the producer does not write
  std::vector<int> readers;   ///< instances
  std::vector<Extents> need;  ///< per component: how far beyond the owned cells it is read
  bool exchanged = false;     ///< fetched from neighbours rather than computed there
  bool corners = false;       ///< some reader needs edges or corners of the halo
  bool outlives = false;      ///< read after the cycle

  bool any_need() const {
    for (const auto& n : need) {
      if (!n.none()) return true;
    }
    return false;
  }
  Extents widest() const {
    Extents all;
    for (const auto& n : need) all = hull(all, n);
    return all;
  }
};

/// A stage at one of the unrolled steps.
struct Instance {
  std::shared_ptr<const Stage> stage;
  int step = 0;                    ///< within the cycle
  Extents extent;                  ///< how far beyond the owned cells it computes, on any patch
  std::vector<int> slot;           ///< per argument, -1 for site and values
  std::vector<int> reads, writes;  ///< version per argument, -1 if none
  int mask_slot = -1, mask_read = -1;
  bool changes = false;  ///< see changes_with_step()
  int grid = 0;          ///< number of the grid whose cells it updates
  bool spans_grids = false;
  std::vector<IndexMap> maps;  ///< per argument
};

struct Cycle {
  int steps = 1;
  std::vector<Instance> instances;  ///< all stages but those that permute names, in order
  std::vector<Version> versions;
  std::vector<int> held;     ///< per slot: version when the cycle begins
  std::vector<int> left;     ///< per slot: version when it ends
  std::vector<int> binding;  ///< per name: the slot it stands for when the cycle ends
};

struct CycleOptions {
  int steps = 1;            ///< R
  bool recompute = false;   ///< exchange only versions held at the beginning; forced when steps > 1
  std::vector<bool> alive;  ///< per name: its value at the end is needed
  /// The cuts of each grid of the family along each axis: what stages over a region need of halos
  /// depends on how far from the ends of patches it lies. A grid without any: wherever it is cut.
  std::vector<std::array<std::vector<Index>, 3>> cuts{};
  /// What changes from cycle to cycle beside what these stages compute.
  std::set<const ParameterRecord*> computed{};
};

/// What reductions and compute stages change, those of loops, too.
std::set<const ParameterRecord*> computed_parameters(
    const std::vector<std::shared_ptr<Stage>>& stages);
/// The sweep sees the step, the time, random numbers or what the program computes.
bool changes_with_step(const Stage& stage, const std::set<const ParameterRecord*>& computed);

/// `stages`: straight ones; all their fields must be in `slots`.
Cycle analyze(const std::vector<std::shared_ptr<Stage>>& stages, const Slots& slots,
              const CycleOptions& options);

/// Halo width every slot needs to run this cycle, the same for slots that swap with each other.
std::vector<Extents> halo_widths(const Cycle& cycle);

}  // namespace goban
