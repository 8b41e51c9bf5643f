#pragma once
// Ghosts that sweeps make beside the cells they update: no exchange need make them later.

#include <vector>

#include "goban/program/schedule.hpp"

namespace goban {

class SweepEdges {
 public:
  /// The schedule must have its cycle and its patches.
  SweepEdges(const Schedule& schedule, const Slots& slots, const ScheduleOptions& options);

  /// The fills and copies of what an instance writes when it updates all of a patch.
  std::vector<Operation> of(int instance, const PatchGeometry& patch) const;
  /// The same on all patches together: known to every rank, whichever patches it has.
  std::vector<MadeHalo> made(int instance) const;

 private:
  const Cycle& cycle() const { return schedule_.cycle; }
  const Version& version(int v) const { return cycle().versions[static_cast<std::size_t>(v)]; }
  const FieldRecord& field_of(int v) const { return slots_.field(version(v).slot); }
  const std::vector<Extents>& wanted(int v) const { return wanted_[static_cast<std::size_t>(v)]; }

  std::vector<Operation> rows(const Instance& instance, const PatchGeometry& patch) const;
  std::vector<Operation> sends(const Instance& instance, const PatchGeometry& patch) const;
  bool makes_edges(const Stage& stage) const;
  bool makes_rows(int v) const;
  bool is_sent(int v) const;
  bool is_sent_along(int v, int axis) const;
  const Patches& patches() const { return schedule_.patches; }
  /// A side of a patch, and the halo of its neighbour there.
  struct Face {
    int axis;
    Side side;
  };
  std::vector<std::vector<Face>> directions(int v) const;
  Operation copy(int v, int component, const PatchGeometry& from, const PatchGeometry& to,
                 const std::vector<Face>& halo, const Extents& need) const;

  const Schedule& schedule_;
  const Slots& slots_;
  ScheduleOptions::Edges kind_;
  std::array<bool, 3> reaches_ranks_;
  /// Per version and component: what readers, in this cycle or the next, will want.
  std::vector<std::vector<Extents>> wanted_;
  std::vector<bool> has_corners_;  ///< per version: some reader wants corners
};

}  // namespace goban
