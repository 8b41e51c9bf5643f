#include "goban/program/sweep_edges.hpp"

#include <algorithm>

#include "goban/program/ghost_operations.hpp"

namespace goban {

using Edges = ScheduleOptions::Edges;

SweepEdges::SweepEdges(const Schedule& schedule, const Slots& slots, const ScheduleOptions& options)
    : schedule_(schedule),
      slots_(slots),
      kind_(options.edges),
      reaches_ranks_(options.reaches_ranks),
      wanted_(schedule.cycle.versions.size()),
      has_corners_(schedule.cycle.versions.size()) {
  for (std::size_t v = 0; v < wanted_.size(); ++v) {
    const Version& it = version(static_cast<int>(v));
    if (it.producer < 0 || !it.exchanged) continue;
    wanted_[v] = it.need;
    has_corners_[v] = it.corners;
  }
  for (std::size_t name = 0; name < cycle().binding.size(); ++name) {
    const Version& next = version(cycle().held[name]);
    const auto left =
        static_cast<std::size_t>(cycle().left[static_cast<std::size_t>(cycle().binding[name])]);
    const Version& last = version(static_cast<int>(left));
    if (last.producer < 0 || !last.outlives || last.need.size() != next.need.size()) continue;
    wanted_[left].resize(next.need.size());
    for (std::size_t c = 0; c < next.need.size(); ++c) {
      wanted_[left][c] = hull(wanted_[left][c], next.need[c]);
    }
    has_corners_[left] = has_corners_[left] || next.corners;
  }
}

/// Parts of the grid leave some out, columns write their cells level by level.
bool SweepEdges::makes_edges(const Stage& stage) const {
  return kind_ != Edges::none && stage.is_sweep() && stage.covers_everything() && !stage.columns;
}

std::vector<Operation> SweepEdges::of(int instance, const PatchGeometry& patch) const {
  const Instance& it = cycle().instances[static_cast<std::size_t>(instance)];
  if (!makes_edges(*it.stage)) return {};
  return kind_ == Edges::rows ? rows(it, patch) : sends(it, patch);
}

std::vector<MadeHalo> SweepEdges::made(int instance) const {
  const Instance& it = cycle().instances[static_cast<std::size_t>(instance)];
  std::vector<MadeHalo> all;
  if (!makes_edges(*it.stage)) return all;
  const bool are_rows = kind_ == Edges::rows;
  if (!are_rows && !it.extent.none()) return all;
  for (int v : it.writes) {
    if (v < 0 || wanted(v).empty() || (are_rows && !makes_rows(v))) continue;
    const bool has_corners = !are_rows && is_sent(v) && has_corners_[static_cast<std::size_t>(v)];
    for (int axis = 0; axis < (are_rows ? 1 : 3); ++axis) {
      if (!are_rows && !is_sent_along(v, axis)) continue;
      for (int c = 0; c < field_of(v).components; ++c) {
        for (Side side : both_sides) {
          const Index width = wanted(v)[static_cast<std::size_t>(c)].on(axis, side);
          if (width == 0) continue;
          all.push_back({{version(v).slot, c}, axis, side, width, !are_rows, has_corners});
        }
      }
    }
  }
  return all;
}

/// Ghosts at the ends of rows that every patch makes of its own rows.
bool SweepEdges::makes_rows(int v) const {
  const FieldRecord& field = field_of(v);
  const Decomposition& decomposition = patches().decomposition(field.grid);
  if (decomposition.process_grid()[0] > 1) return false;
  if (field.order[0] != 0 || field.has_timed_ghosts()) return false;
  // Constants are made once, unless they share the last line of a row with its cells.
  const Index cells = decomposition.extent(0, Index{0});
  const auto row = cells * static_cast<Index>(field.element_size());
  return patches().is_periodic(field.grid, 0) || row % 64 != 0 || !field.is_constant_beyond(0);
}

std::vector<Operation> SweepEdges::rows(const Instance& instance,
                                        const PatchGeometry& patch) const {
  std::vector<Operation> edges;
  for (int v : instance.writes) {
    if (v < 0 || wanted(v).empty() || !makes_rows(v)) continue;
    const FieldRecord& field = field_of(v);
    for (int c = 0; c < field.components; ++c) {
      const Extents& need = wanted(v)[static_cast<std::size_t>(c)];
      for (Side side : both_sides) {
        if (patch.is_interior(0, side)) {
          const Index width = need.on(0, side);
          if (width > 0) edges.push_back(copy(v, c, patch, patch, {{0, side}}, need));
          continue;
        }
        for (Operation& op :
             boundary_fills(patch, field, {version(v).slot, c}, need, 0, side, {})) {
          op.version = v;
          edges.push_back(std::move(op));
        }
      }
    }
  }
  return edges;
}

/// Halos can be sent in every direction at once: nothing in one waits for those of another. Corners
/// come from patches that share no side; those of other ranks have no way to each other.
bool SweepEdges::is_sent(int v) const {
  const FieldRecord& field = field_of(v);
  if (field.has_timed_ghosts() || sets_wall(field) || field.in_place) return false;
  if (!has_corners_[static_cast<std::size_t>(v)]) return true;
  const auto joined = patches().joined(field.grid);
  const Decomposition& decomposition = patches().decomposition(field.grid);
  const Index3 pieces = decomposition.process_grid();
  int cut = 0;
  for (int a = 0; a < 3; ++a) {
    if (!joined[static_cast<std::size_t>(a)] && !field.is_constant_beyond(a)) return false;
    if (pieces[a] > 1) ++cut;
  }
  return cut <= 1 || product(decomposition.ranks) == 1;
}

/// Whether ghosts are sent into memory that is reached. The ends of a patch's own rows may be all:
/// the axis that comes first waits for no other.
bool SweepEdges::is_sent_along(int v, int axis) const {
  const FieldRecord& field = field_of(v);
  const Decomposition& decomposition = patches().decomposition(field.grid);
  const auto a = static_cast<std::size_t>(axis);
  const bool is_joined = patches().joined(field.grid)[a];
  if (!is_joined || (decomposition.ranks[axis] > 1 && !reaches_ranks_[a])) return false;
  if (is_sent(v)) return true;
  const bool is_own = decomposition.process_grid()[0] == 1;
  return axis == 0 && is_own && field.order[0] == 0 && !field.has_timed_ghosts() &&
         !sets_wall(field);
}

/// Sides of a patch whose neighbours are sent to, and where it has corners the ways between sides.
std::vector<std::vector<SweepEdges::Face>> SweepEdges::directions(int v) const {
  const bool has_corners = is_sent(v) && has_corners_[static_cast<std::size_t>(v)];
  std::vector<std::vector<Face>> all{{}};
  for (int axis = 0; axis < 3; ++axis) {
    if (!is_sent_along(v, axis)) continue;
    for (std::size_t i = 0, before = all.size(); i < before; ++i) {
      if (!has_corners && !all[i].empty()) continue;
      for (Side side : both_sides) {
        all.push_back(all[i]);
        all.back().push_back({axis, side});
      }
    }
  }
  all.erase(all.begin());
  return all;
}

/// What all patches that read it have in their halos.
std::vector<Operation> SweepEdges::sends(const Instance& instance,
                                         const PatchGeometry& patch) const {
  std::vector<Operation> sends;
  if (!instance.extent.none()) return sends;
  for (int v : instance.writes) {
    if (v < 0 || wanted(v).empty()) continue;
    for (const auto& direction : directions(v)) {
      PatchGeometry to = patch;
      std::vector<Face> halo;
      for (const auto& [axis, side] : direction) {
        const int next = to.neighbor[static_cast<std::size_t>(axis)][index_of(side)];
        if (next < 0) break;
        to = patches().geometry(next);
        halo.push_back({axis, side == Side::low ? Side::high : Side::low});
      }
      if (halo.size() < direction.size()) continue;
      for (int c = 0; c < field_of(v).components; ++c) {
        const Extents& need = wanted(v)[static_cast<std::size_t>(c)];
        const bool is_read = std::all_of(halo.begin(), halo.end(), [&](const Face& face) {
          return need.on(face.axis, face.side) > 0;
        });
        if (is_read) sends.push_back(copy(v, c, patch, to, halo, need));
      }
    }
  }
  return sends;
}

/// Copies into the halo of `to` that lies on these sides of it.
Operation SweepEdges::copy(int v, int component, const PatchGeometry& from, const PatchGeometry& to,
                           const std::vector<Face>& halo, const Extents& need) const {
  const Component what{version(v).slot, component};
  Operation op;
  op.kind = Operation::Kind::copy;
  op.patch = to.patch;
  op.other_patch = from.patch;
  op.version = v;
  op.axis = halo.front().axis;
  op.side = halo.front().side;
  Box target = to.owned_local(field_of(v).location);
  Index3 to_source{};
  for (const auto& [axis, side] : halo) {
    const Piece one = halo_piece(what, 0, to, from, axis, side, need.on(axis, side), target);
    target = one.target;
    to_source = to_source + (one.source.lower - one.target.lower);
  }
  op.pieces.push_back({what, 0, shifted(target, to_source), target});
  return op;
}

}  // namespace goban
