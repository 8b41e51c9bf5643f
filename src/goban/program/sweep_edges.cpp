#include "goban/program/sweep_edges.hpp"

#include <algorithm>

#include "goban/program/ghost_operations.hpp"

namespace goban {

using Edges = ScheduleOptions::Edges;

SweepEdges::SweepEdges(const Schedule& schedule, const Slots& slots, Edges kind)
    : schedule_(schedule),
      slots_(slots),
      kind_(kind),
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

std::vector<Operation> SweepEdges::of(int instance, const PatchGeometry& patch,
                                      const Box& box) const {
  const Instance& it = cycle().instances[static_cast<std::size_t>(instance)];
  if (kind_ == Edges::none || !it.stage->covers_everything()) return {};
  if (kind_ == Edges::rows) return rows(it, patch);
  auto all = sends(it, patch);
  const bool is_swept = std::all_of(all.begin(), all.end(), [&](const Operation& send) {
    return box.contains(send.pieces.front().source);
  });
  return is_swept ? all : std::vector<Operation>{};
}

/// Ghosts at the ends of rows that the patch makes of its own rows.
std::vector<Operation> SweepEdges::rows(const Instance& instance,
                                        const PatchGeometry& patch) const {
  std::vector<Operation> edges;
  const auto& [low, high] = patch.neighbor[0];
  auto is_own = [&](int neighbor) { return neighbor < 0 || neighbor == patch.patch; };
  if (!is_own(low) || !is_own(high)) return edges;
  for (int v : instance.writes) {
    if (v < 0 || wanted(v).empty()) continue;
    const FieldRecord& field = field_of(v);
    if (field.order[0] != 0 || field.boundary.has_custom()) continue;
    // Constants are made once, unless they share the last line of a row with its cells.
    const auto row = patch.owned.extent(0) * static_cast<Index>(field.element_size());
    if (low < 0 && row % 64 == 0 && field.constants_beyond(0)) continue;
    for (int c = 0; c < field.components; ++c) {
      const Extents& need = wanted(v)[static_cast<std::size_t>(c)];
      for (Side side : both_sides) {
        if (patch.is_interior(0, side)) {
          const Index width = need.on(0, side);
          if (width == 0 || width > patch.owned.extent(0)) continue;
          edges.push_back(copy(v, c, patch, patch, 0, side, width));
        } else {
          for (Operation& op :
               boundary_fills(patch, field, {version(v).slot, c}, need, 0, side, {})) {
            op.version = v;
            edges.push_back(std::move(op));
          }
        }
      }
    }
  }
  return edges;
}

/// Halos can be sent along every axis at once: nothing in one waits for those of another.
bool SweepEdges::is_sent(int v) const {
  const FieldRecord& field = field_of(v);
  if (field.boundary.has_custom() || sets_wall(field) || field.in_place) return false;
  if (!has_corners_[static_cast<std::size_t>(v)]) return true;
  const auto joined = schedule_.joined();
  for (int a = 0; a < 3; ++a) {
    if (!joined[static_cast<std::size_t>(a)] && !field.constants_beyond(a)) return false;
  }
  return std::count(joined.begin(), joined.end(), true) == 1;
}

/// The ends of its own rows at least: the axis that comes first waits for no other.
bool SweepEdges::is_sent_along(int v, int axis) const {
  const FieldRecord& field = field_of(v);
  return axis == 0 && field.order[0] == 0 && !field.boundary.has_custom() && !sets_wall(field);
}

/// What all patches that read it have in their halos.
std::vector<Operation> SweepEdges::sends(const Instance& instance,
                                         const PatchGeometry& patch) const {
  std::vector<Operation> sends;
  if (!instance.extent.none()) return sends;
  for (int v : instance.writes) {
    if (v < 0 || wanted(v).empty()) continue;
    const bool all_sides = is_sent(v);
    for (int c = 0; c < field_of(v).components; ++c) {
      for (int axis = 0; axis < 3; ++axis) {
        for (Side side : both_sides) {
          if (!patch.is_interior(axis, side)) continue;
          const int neighbor = patch.neighbor[static_cast<std::size_t>(axis)][index_of(side)];
          if (!all_sides && !(is_sent_along(v, axis) && neighbor == patch.patch)) continue;
          const Side theirs = side == Side::low ? Side::high : Side::low;
          const Index width = wanted(v)[static_cast<std::size_t>(c)].on(axis, theirs);
          if (width == 0 || width > patch.owned.extent(axis)) continue;
          sends.push_back(copy(v, c, patch, schedule_.patches[static_cast<std::size_t>(neighbor)],
                               axis, theirs, width));
        }
      }
    }
  }
  return sends;
}

/// Into the halo on one side of `to`.
Operation SweepEdges::copy(int v, int component, const PatchGeometry& from, const PatchGeometry& to,
                           int axis, Side side, Index width) const {
  Operation op;
  op.kind = Operation::Kind::copy;
  op.patch = to.patch;
  op.source_patch = from.patch;
  op.version = v;
  op.axis = axis;
  op.side = side;
  op.pieces.push_back(halo_piece({version(v).slot, component}, 0, to, from, axis, side, width,
                                 to.owned_local(field_of(v).location)));
  return op;
}

}  // namespace goban
