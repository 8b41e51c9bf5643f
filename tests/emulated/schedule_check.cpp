#include "tests/emulated/schedule_check.hpp"

#include <algorithm>

#include "goban/base/error.hpp"
#include "goban/grid/each_cell.hpp"
#include "goban/grid/list_halos.hpp"
#include "goban/grid/list_neighbors.hpp"
#include "goban/program/samples.hpp"

namespace goban {
namespace {

using Kind = Operation::Kind;

/// Version held by every allocated cell of one component on one patch; -1: nothing.
class Stamps {
 public:
  Stamps(const Box& box) : box_(box), stamps_(static_cast<std::size_t>(box.volume()), -1) {}

  bool contains(Index3 cell) const { return box_.contains(cell); }
  /// Whether all cells of the box hold this version.
  bool hold(const Box& box, int version) {
    if (!box_.contains(box)) return false;
    bool all = true;
    each_row(box, [&](int* row, Index cells) {
      all = all && std::count(row, row + cells, version) == cells;
    });
    return all;
  }
  void set(const Box& box, int version) {
    each_row(box, [&](int* row, Index cells) { std::fill(row, row + cells, version); });
  }
  int& at(Index3 cell) {
    const Index3 i = cell - box_.lower, n = box_.extents();
    return stamps_[static_cast<std::size_t>(i[0] + n[0] * (i[1] + n[1] * i[2]))];
  }

 private:
  /// visit(its first stamp, how many there are)
  template <class Visit>
  void each_row(const Box& box, Visit&& visit) {
    if (box.empty()) return;
    Box first = box;
    first.upper[0] = box.lower[0] + 1;
    each_cell(first, [&](Index3 cell) { visit(&at(cell), box.extent(0)); });
  }

  Box box_;
  std::vector<int> stamps_;
};

class Checker {
 public:
  Checker(const Schedule& schedule, const Slots& slots) : schedule_(schedule), slots_(slots) {
    const auto widths = halo_widths(schedule.cycle);
    for (const auto& patch : schedule.patches) {
      stamps_.emplace_back();
      for (int s = 0; s < slots.size(); ++s) {
        stamps_.back().emplace_back();
        if (slots.field(s).grid != patch.grid) continue;
        const Box owned = patch.owned_local(slots.field(s).location);
        for (int c = 0; c < slots.field(s).components; ++c) {
          stamps_.back().back().emplace_back(extended(owned, widths[static_cast<std::size_t>(s)]));
          const int held = schedule.cycle.held[static_cast<std::size_t>(s)];
          stamps_.back().back().back().set(owned, held);
        }
      }
    }
  }

  void run() {
    for (const auto& op : schedule_.operations) {
      switch (op.kind) {
        case Kind::send: send(op); break;
        case Kind::copy: copy(op); break;
        case Kind::receive: receive(op); break;
        case Kind::fill: fill(op); break;
        case Kind::sweep:
          sweep(op);
          for (const auto& edge : op.edges) {
            if (edge.kind == Kind::copy) copy(edge);
            if (edge.kind == Kind::fill) fill(edge);
          }
          break;
        case Kind::sample: sample(op); break;
        default: break;
      }
    }
    outliving();
  }

 private:
  Stamps& stamps(int patch, Component what) {
    return stamps_[schedule_.patches.position(patch)][static_cast<std::size_t>(what.slot)]
                  [static_cast<std::size_t>(what.component)];
  }
  const Version& version(int v) const {
    return schedule_.cycle.versions[static_cast<std::size_t>(v)];
  }

  /// The cell holds version v, or an older one that v keeps there.
  bool is_valid(int patch, Component what, Index3 cell, int v) {
    return is_valid(stamps(patch, what), patch, cell, v);
  }
  bool is_valid(Stamps& all, int patch, Index3 cell, int v) const {
    if (!all.contains(cell)) return false;
    const int stamp = all.at(cell);
    while (v >= 0 && stamp != v) {
      if (version(v).previous < 0 || updates(patch, version(v), cell)) return false;
      v = version(v).previous;
    }
    return v >= 0;
  }

  /// The stage that made this version writes the cell.
  bool updates(int patch, const Version& v, Index3 cell) const {
    const Stage& stage = *schedule_.cycle.instances[static_cast<std::size_t>(v.producer)].stage;
    if (!stage.region) return true;
    const GridState& grid = *slots_.grid(v.slot);
    Index3 global = cell + schedule_.patches[patch].owned.lower;
    for (int a = 0; a < 3; ++a) {
      if (grid.is_periodic(a))
        global[a] = (global[a] % grid.cells[a] + grid.cells[a]) % grid.cells[a];
    }
    return stage.region->contains(global);
  }

  [[noreturn]] void refuse(const std::string& who, int patch, Component what, Index3 cell) {
    throw Error(ExitCode::usage, "schedule is wrong: " + who + " reads a stale value",
                "field '" + slots_.field(what.slot).name + "', component " +
                    std::to_string(what.component) + ", patch " + std::to_string(patch) +
                    ", local cell (" + std::to_string(cell[0]) + ", " + std::to_string(cell[1]) +
                    ", " + std::to_string(cell[2]) + ")",
                "this is a bug in goban");
  }

  /// The version a copy or fill makes ghosts of.
  int version_of(const Operation& op, int item) const {
    if (op.exchange < 0) return op.version;
    return schedule_.exchanges[static_cast<std::size_t>(op.exchange)]
        .items[static_cast<std::size_t>(item)]
        .version;
  }

  static Component source_of(const Piece& piece) {
    return {piece.source_slot < 0 ? piece.what.slot : piece.source_slot, piece.what.component};
  }
  int source_version(const Operation& op, const Piece& piece) const {
    if (!op.moves || piece.cells) return version_of(op, piece.item);
    return schedule_.cycle.instances[static_cast<std::size_t>(op.instance)].reads[0];
  }

  /// visit(cell of the source, cell of the target), for all cells of a piece; what another rank has
  /// is counted as it lies in the message.
  template <class Visit>
  static void each_pair(const Piece& piece, Visit&& visit) {
    if (!piece.cells) {
      const Index3 to_source = piece.source.lower - piece.target.lower;
      return each_cell(piece.target, [&](Index3 cell) { visit(cell + to_source, cell); });
    }
    const auto place = [](const std::vector<std::int32_t>& cells, std::size_t i) {
      return Index3{cells.empty() ? static_cast<Index>(i) : cells[i], 0, 0};
    };
    for (std::size_t i = 0; i < piece.cells->size(); ++i) {
      visit(place(piece.cells->source, i), place(piece.cells->target, i));
    }
  }

  /// Checks a copy; if it goes to another rank's patch, only its source is here.
  void copy(const Operation& op) {
    const bool is_here = schedule_.patches.is_local(op.patch);
    for (const auto& piece : op.pieces) {
      const int v = version_of(op, piece.item);
      const Component what = source_of(piece);
      each_pair(piece, [&](Index3 source, Index3 cell) {
        if (!is_valid(op.other_patch, what, source, source_version(op, piece))) {
          refuse("a halo copy", op.other_patch, what, source);
        }
        if (is_here) stamps(op.patch, piece.what).at(cell) = v;
      });
    }
  }

  /// What another rank gets is there, and what it sends is taken to be.
  void send(const Operation& op) {
    for (const auto& piece : op.pieces) {
      const Component what = source_of(piece);
      each_pair(piece, [&](Index3 cell, Index3) {
        if (!is_valid(op.patch, what, cell, source_version(op, piece)))
          refuse("a message", op.patch, what, cell);
      });
    }
  }

  void receive(const Operation& op) {
    for (const auto& piece : op.pieces) {
      const int v = version_of(op, piece.item);
      each_pair(piece, [&](Index3, Index3 cell) { stamps(op.patch, piece.what).at(cell) = v; });
    }
  }

  void fill(const Operation& op) {
    const FieldRecord& field = slots_.field(op.what.slot);
    const int v = version_of(op, op.item);
    const Index cells = schedule_.patches[op.patch].owned.extent(op.axis);
    each_cell(op.box, [&](Index3 cell) {
      Index3 source = cell;
      source[op.axis] = mirrored(cell[op.axis], cells, is_staggered(field.location, op.axis));
      const bool is_wall = source == cell;
      const bool needs_source = field.condition(op.what.component, op.axis, op.side).kind !=
                                    BoundaryCondition::Kind::constant &&
                                !is_wall;
      if (needs_source && !is_valid(op.patch, op.what, source, v)) {
        refuse("a boundary condition", op.patch, op.what, source);
      }
      stamps(op.patch, op.what).at(cell) = v;
    });
  }

  void sweep(const Operation& op) {
    const Instance& it = schedule_.cycle.instances[static_cast<std::size_t>(op.instance)];
    const PatchGeometry& patch = schedule_.patches[op.patch];
    const std::string who = "stage '" + it.stage->name + "' of step " + std::to_string(it.step);
    for (const Read& r : it.stage->footprint.reads) {
      const auto a = static_cast<std::size_t>(r.parameter);
      if (it.reads[a] < 0) continue;
      const Component what{it.slot[a], r.component};
      const int grid = slots_.field(it.slot[a]).grid;
      const int read = schedule_.patches.counterpart(op.patch, grid);
      const Index3 lower = schedule_.patches[read].owned.lower;
      Stamps& all = stamps(read, what);
      const Index3 offset{r.offset[0], r.offset[1], r.offset[2]};
      if (grid == it.grid && all.hold(shifted(op.box, offset), it.reads[a])) continue;
      each_cell(op.box, [&](Index3 cell) {
        if (grid != it.grid) cell = it.maps[a](cell + patch.owned.lower) - lower;
        cell = cell + offset;
        if (!is_valid(all, read, cell, it.reads[a])) refuse(who, read, what, cell);
      });
    }
    for (const ListRead& r : it.stage->list_reads) read_list(who, it, r, patch, op.box);
    for (std::size_t a = 0; a < it.writes.size(); ++a) {
      if (it.writes[a] < 0) continue;
      const FieldRecord& field = slots_.field(it.slot[a]);
      const Box clip = extended(patch.owned_local(field.location), patch.interior(it.extent));
      for (int c = 0; c < field.components; ++c) {
        stamps(op.patch, {it.slot[a], c}).set(intersection(op.box, clip), it.writes[a]);
      }
    }
  }

  /// What tables lead to.
  void read_list(const std::string& who, const Instance& it, const ListRead& read,
                 const PatchGeometry& patch, const Box& box) {
    const auto a = static_cast<std::size_t>(read.parameter);
    const Component what{it.slot[a], read.component};
    const GridState& grid = *slots_.grid(what.slot);
    const ListHalos& lists = *schedule_.patches.lists(patch.grid);
    each_cell(box, [&](Index3 cell) {
      const Index number = cell[0] + patch.owned.lower[0];
      ListNeighbors neighbors(grid, grid.list->tile_of(number));
      const Index there = neighbors.at((*grid.list)[number], read.offset).number;
      const Index3 local{there < 0 ? cell[0] : lists.local(patch.patch, there), 0, 0};
      if (!is_valid(patch.patch, what, local, it.reads[a])) refuse(who, patch.patch, what, local);
    });
  }

  void sample(const Operation& op) {
    const Instance& it = schedule_.cycle.instances[static_cast<std::size_t>(op.instance)];
    const Samples& samples = *it.stage->samples;
    for (const Samples::Part& part : samples.parts()) {
      const FieldRecord& field = samples.field_of(part);
      for (const auto& patch : schedule_.patches.of_grid(it.grid)) {
        const Box local = intersection(shifted(part.box, Index3{} - patch.owned.lower),
                                       patch.owned_local(field.location));
        for (int c = 0; c < field.components; ++c) {
          const Component what{it.slot[part.field], c};
          each_cell(local, [&](Index3 cell) {
            if (!is_valid(patch.patch, what, cell, it.reads[part.field])) {
              refuse("a sample", patch.patch, what, cell);
            }
          });
        }
      }
    }
  }

  /// What the next cycle or the user reads is complete.
  void outliving() {
    for (int s = 0; s < slots_.size(); ++s) {
      const int v = schedule_.cycle.left[static_cast<std::size_t>(s)];
      if (!version(v).outlives) continue;
      for (const auto& patch : schedule_.patches.of_grid(slots_.field(s).grid)) {
        for (int c = 0; c < slots_.field(s).components; ++c) {
          const Box owned = patch.owned_local(slots_.field(s).location);
          if (stamps(patch.patch, {s, c}).hold(owned, v)) continue;
          each_cell(owned, [&](Index3 cell) {
            if (!is_valid(patch.patch, {s, c}, cell, v)) {
              refuse("the next step", patch.patch, {s, c}, cell);
            }
          });
        }
      }
    }
  }

  const Schedule& schedule_;
  const Slots& slots_;
  std::vector<std::vector<std::vector<Stamps>>> stamps_;  ///< patch, slot, component
};

}  // namespace

void emulated::check_schedule(const Schedule& schedule, const Slots& slots) {
  Checker(schedule, slots).run();
}

}  // namespace goban
