#include "goban/program/schedule.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "goban/grid/list_halos.hpp"
#include "goban/program/ghost_operations.hpp"
#include "goban/program/in_place.hpp"
#include "goban/program/moves.hpp"
#include "goban/program/sides.hpp"
#include "goban/program/sweep_edges.hpp"
#include "goban/program/updated_boxes.hpp"

namespace goban {
namespace {

class Builder {
 public:
  Builder(Cycle cycle, const Slots& slots, const Patches& patches, const ScheduleOptions& options)
      : slots_(slots), options_(options), schedule_{std::move(cycle), patches, {}, {}, {}} {
    fetched_.assign(schedule_.cycle.versions.size(), false);
    unfilled_.assign(schedule_.cycle.versions.size(), false);
    ghosts_of_step_.assign(schedule_.cycle.versions.size(), -1);
  }

  Schedule build() {
    plan_early_exchanges();
    for (const Version& v : cycle().versions) {
      for (const Extents& need : v.need) {
        if (!is_list()) require_fit(schedule_.patches, slots_.field(v.slot), need);
      }
    }
    schedule_.made.resize(cycle().instances.size());
    if (!overlapped() && !is_list()) edges_.emplace(schedule_, slots_, options_);
    if (computes_ahead()) {
      for (int v : cycle().held) {
        const bool is_used = version(v).any_need() || !version(v).readers.empty();
        if (is_used && wants_exchange(v) && !is_timed(v)) held_.push_back(v);
      }
      if (!sweeps_while_messages_travel()) exchange(std::exchange(held_, {}), -1);
      schedule_.computes_ahead = true;
    }
    for (int id = 0; id < static_cast<int>(cycle().instances.size()); ++id) instance(id);
    return std::move(schedule_);
  }

 private:
  const Cycle& cycle() const { return schedule_.cycle; }
  const Version& version(int v) const { return cycle().versions[static_cast<std::size_t>(v)]; }
  const Instance& at(int id) const { return cycle().instances[static_cast<std::size_t>(id)]; }
  const std::array<int, 3>& order_of(int id) const {
    for (int slot : at(id).slot) {
      if (slot >= 0) return slots_.field(slot).order;
    }
    return ijk::order;
  }

  /// The halos of a list of active cells: patches read of each other what tables say.
  const ListHalos* lists() const { return schedule_.patches.lists(0).get(); }
  bool is_list() const { return lists() != nullptr; }

  /// What is written in place is read row by row before.
  bool keeps_rows(int id) const { return in_place_pair(*at(id).stage).to >= 0; }

  const FieldRecord& field_of(int v) const { return slots_.field(version(v).slot); }

  /// Rules of the user's own may look deep inside and at the clock, numbers that vary follow it:
  /// such ghosts are made neither early nor row by row, but for the step that reads them.
  bool is_timed(int v) const { return field_of(v).has_timed_ghosts(); }

  /// Ghosts that were made for an earlier step by a condition that may look at the clock.
  bool is_outdated(int v, int step) const {
    const int made_for = ghosts_of_step_[static_cast<std::size_t>(v)];
    return is_timed(v) && made_for >= 0 && made_for < step;
  }

  /// Values from neighbours, ghosts, or wall faces that were given other values than the wall's.
  bool wants_exchange(int v) const {
    if (!version(v).exchanged) return false;
    if (version(v).any_need()) return true;
    return version(v).producer < 0 && sets_wall(field_of(v));
  }

  bool computes_ahead() const {
    for (const auto& v : cycle().versions) {
      if (v.producer >= 0 && v.exchanged && v.any_need()) return false;
    }
    return true;
  }

  /// Plans two-kernel overlap: halos leave as soon as the producer's outer part is done, also those
  /// that the next cycle will need.
  void plan_early_exchanges() {
    early_.assign(cycle().instances.size(), {});
    if (options_.overlap != Overlap::two_kernel) return;
    auto& versions = schedule_.cycle.versions;
    for (std::size_t name = 0; name < cycle().binding.size(); ++name) {
      const int next_slot = static_cast<int>(name);
      const int now_slot = cycle().binding[name];
      const Version& next = version(cycle().held[static_cast<std::size_t>(next_slot)]);
      const int left = cycle().left[static_cast<std::size_t>(now_slot)];
      Version& last = versions[static_cast<std::size_t>(left)];
      if (last.producer < 0 || !last.outlives || last.any_need()) continue;
      if (is_timed(left)) continue;
      last.need = next.need;
      last.corners = next.corners;
      last.exchanged = true;
    }
    for (std::size_t v = 0; v < versions.size(); ++v) {
      if (versions[v].producer >= 0 && versions[v].exchanged && versions[v].any_need() &&
          !is_timed(static_cast<int>(v))) {
        early_[static_cast<std::size_t>(versions[v].producer)].push_back(static_cast<int>(v));
      }
    }
  }

  void instance(int id) {
    const Instance& it = at(id);
    if (it.stage->kind == Stage::Kind::compute) {
      Operation op;
      op.kind = Operation::Kind::compute;
      op.instance = id;
      schedule_.operations.push_back(op);
      return;
    }
    if (it.stage->kind == Stage::Kind::sample) return sample(id);
    if (it.stage->moves()) return move(id);
    std::vector<int> stale = std::exchange(held_, {}), awaited;
    std::erase_if(stale, [&](int v) { return fetched_[static_cast<std::size_t>(v)]; });
    auto consider = [&](int v) {
      if (v < 0) return;
      if (unfilled_[static_cast<std::size_t>(v)] || is_outdated(v, it.step)) {
        fill_after_write(v, id);
      }
      if (!wants_exchange(v)) return;
      awaited.push_back(v);
      if (!fetched_[static_cast<std::size_t>(v)]) stale.push_back(v);
    };
    for (int v : it.reads) consider(v);
    consider(it.mask_read);
    for (int v : it.writes) {
      if (v >= 0) consider(version(v).previous);
    }
    if (!stale.empty() && !overlapped()) add_what_is_read_next(id, stale);
    std::sort(stale.begin(), stale.end());
    stale.erase(std::unique(stale.begin(), stale.end()), stale.end());
    const auto& early = early_[static_cast<std::size_t>(id)];
    const bool is_ahead = is_swept_before(stale, id);
    Sweeps first, later;
    for (const auto& patch : schedule_.patches.of_grid(it.grid)) {
      const Sides sides = is_ahead && has_corners(stale) ? all_sides : sides_of_others(patch);
      for (const Box& box : updated_boxes(at(id), slots_, patch)) {
        const Box inner = overlapped() ? inner_of(id, box, awaited, patch, sides) : Box{};
        if (early.empty()) {
          add_sweeps(first, patch, box, inner);
          continue;
        }
        // Sent cells first; what does not depend on halos in flight goes before what does.
        const Sides read =
            sides_that_are_read(patch, is_constant_beyond(cycle(), slots_, id, early));
        const Box kept = inside_of(id, read, layers_sent(cycle(), early), box, patch);
        for (const Box& b : difference(box, kept)) {
          add_sweeps(first, patch, b, inner, Stream::halo);
        }
        if (!kept.empty()) {
          add_sweeps(later, patch, kept, inner_of(id, kept, awaited, patch, sides));
        }
      }
    }
    const auto begin = [&] {
      begin_sweeps(id);
      sweep(id, first.inner);
    };
    if (is_ahead) {
      exchange(stale, id, begin);
    } else {
      exchange(stale, id);
      begin();
    }
    sweep(id, first.outer);
    exchange(early, id, [&] { sweep(id, later.inner); });
    sweep(id, later.outer);
    if (it.stage->kind == Stage::Kind::reduce) {
      Operation op;
      op.kind = Operation::Kind::combine;
      op.instance = id;
      schedule_.operations.push_back(op);
      return;
    }
    fill_what_is_written(id);
  }

  /// Adds the halos that the following sweeps of the step need of what has been computed before
  /// instance `id`: one exchange serves them all, and sweeps that stand side by side are bundled.
  void add_what_is_read_next(int id, std::vector<int>& stale) const {
    const auto add = [&](int v) {
      if (v < 0 || version(v).producer >= id || !wants_exchange(v) || is_timed(v)) return;
      if (!fetched_[static_cast<std::size_t>(v)]) stale.push_back(v);
    };
    for (int next = id + 1; next < static_cast<int>(cycle().instances.size()); ++next) {
      const Instance& it = at(next);
      if (!it.stage->is_sweep() || it.step != at(id).step) return;
      for (const int v : it.reads) add(v);
      add(it.mask_read);
      for (const int v : it.writes) add(v < 0 ? v : version(v).previous);
    }
  }

  void fill_what_is_written(int id) {
    for (int v : at(id).writes) {
      if (v < 0 || (version(v).exchanged && version(v).any_need())) continue;
      if (is_timed(v) && version(v).any_need()) {
        unfilled_[static_cast<std::size_t>(v)] = true;
      } else {
        fill_after_write(v, id);
      }
    }
  }

  /// Nobody's halo is read, but a wall's faces belong to the values.
  void set_walls_of_what_is_read(int id) {
    std::vector<int> unset;
    for (int v : at(id).reads) {
      if (v < 0) continue;
      if (unfilled_[static_cast<std::size_t>(v)] || is_outdated(v, at(id).step)) {
        fill_after_write(v, id);
      }
      const bool is_unset = wants_exchange(v) && !fetched_[static_cast<std::size_t>(v)];
      if (is_unset && sets_wall(field_of(v))) unset.push_back(v);
    }
    exchange(unset, id);
  }

  void sample(int id) {
    set_walls_of_what_is_read(id);
    Operation op;
    op.kind = Operation::Kind::sample;
    op.instance = id;
    schedule_.operations.push_back(op);
  }

  void move(int id) {
    set_walls_of_what_is_read(id);
    begin_sweeps(id);
    add_moves(schedule_, slots_, id);
    fill_what_is_written(id);
  }

  bool overlapped() const { return options_.overlap != Overlap::none; }

  /// Whether some of an exchange comes in messages.
  bool has_messages() const {
    for (int grid = 0; grid < schedule_.patches.grids(); ++grid) {
      if (product(schedule_.patches.decomposition(grid).ranks) > 1) return true;
    }
    return false;
  }

  bool sweeps_while_messages_travel() const { return overlapped() && has_messages(); }

  bool has_corners(const std::vector<int>& versions) const {
    return std::any_of(versions.begin(), versions.end(), [&](int v) {
      return version(v).corners || sets_wall(slots_.field(version(v).slot));
    });
  }

  /// The inner sweeps stand in the list before the messages of the exchange for them arrive. Not
  /// where what they write is what is exchanged, or lies where that lay.
  bool is_swept_before(const std::vector<int>& stale, int id) const {
    if (!sweeps_while_messages_travel() || stale.empty() || keeps_rows(id)) return false;
    return std::none_of(stale.begin(), stale.end(), [&](int v) {
      return std::any_of(at(id).writes.begin(), at(id).writes.end(),
                         [&](int w) { return w >= 0 && version(w).slot == version(v).slot; });
    });
  }

  /// Cells that read neither the halos on these sides, which are in flight, nor wall faces there,
  /// which the exchange sets; those on high sides lie beyond the last cell.
  Box inner_of(int id, const Box& box, const std::vector<int>& awaited, const PatchGeometry& patch,
               const Sides& sides) const {
    if (at(id).spans_grids) return {};
    if (is_list()) {
      const bool reads_ghosts = at(id).stage->list_ghosts > 0 && !awaited.empty();
      return reads_ghosts ? intersection(box, lists()->inner(patch.patch)) : box;
    }
    Extents by = reach_of(at(id), awaited);
    for (int axis = 0; axis < 3; ++axis) {
      const bool has_wall = std::any_of(awaited.begin(), awaited.end(), [&](int v) {
        return sets_wall(field_of(v), axis, Side::low);
      });
      if (has_wall) ++by.low[axis];  // it is face 0, beside the halo
    }
    return inside_of(id, sides, by, box, patch);
  }

  /// The part of `box` that lies these layers away from these sides. Columns are swept whole: where
  /// that cuts their ends off there is none.
  Box inside_of(int id, const Sides& sides, const Extents& by, const Box& box,
                const PatchGeometry& patch) const {
    const Box inside = away_from(sides, by, box, patch, order_of(id), keeps_rows(id));
    const auto& columns = at(id).stage->columns;
    const int axis = columns ? index_of(columns->axis) : 0;
    if (columns && inside.extent(axis) < box.extent(axis)) return {};
    return inside;
  }

  struct Sweep {
    const PatchGeometry& patch;
    Box box;
    Stream stream;
  };
  struct Sweeps {
    std::vector<Sweep> inner, outer;
  };

  /// What waits for halos goes to their queue and runs beside the rest.
  void add_sweeps(Sweeps& sweeps, const PatchGeometry& patch, const Box& box, const Box& inner,
                  Stream inner_stream = Stream::compute) const {
    const Box core = intersection(box, inner);
    const Stream outer = overlapped() ? Stream::halo : Stream::compute;
    if (!core.empty()) sweeps.inner.push_back({patch, core, inner_stream});
    for (const Box& b : difference(box, core)) sweeps.outer.push_back({patch, b, outer});
  }

  void sweep(int id, const std::vector<Sweep>& sweeps) {
    for (const Sweep& it : sweeps) sweep(id, it.patch, it.box, it.stream);
  }

  void begin_sweeps(int id) {
    Operation op;
    op.kind = Operation::Kind::begin_sweeps;
    op.instance = id;
    schedule_.operations.push_back(op);
    if (edges_) schedule_.made[static_cast<std::size_t>(id)] = edges_->made(id);
  }

  void sweep(int id, const PatchGeometry& patch, const Box& box, Stream stream) {
    Operation op;
    op.kind = Operation::Kind::sweep;
    op.stream = stream;
    op.patch = patch.patch;
    op.instance = id;
    op.box = box;
    if (edges_) op.edges = edges_->of(id, patch);
    schedule_.operations.push_back(std::move(op));
  }

  /// `meanwhile` adds what is done while messages are on their way.
  void exchange(
      const std::vector<int>& versions, int reader,
      const std::function<void()>& meanwhile = [] {}) {
    if (versions.empty()) return meanwhile();
    Exchange e;
    for (int v : versions) {
      fetched_[static_cast<std::size_t>(v)] = true;
      ghosts_of_step_[static_cast<std::size_t>(v)] = reader < 0 ? 0 : at(reader).step;
      const Version& it = version(v);
      // Wall faces are set in the halos of earlier axes too.
      e.corners = e.corners || it.corners || sets_wall(slots_.field(it.slot));
      for (std::size_t c = 0; c < it.need.size(); ++c) {
        e.items.push_back({v, {it.slot, static_cast<int>(c)}, it.need[c]});
      }
    }
    if (e.corners) fetched_corners_.insert(versions.begin(), versions.end());
    const int id = static_cast<int>(schedule_.exchanges.size());
    schedule_.exchanges.push_back(std::move(e));
    const std::size_t first = schedule_.operations.size();
    marker(Operation::Kind::begin_exchange, id);
    // Corners come by way of several patches, one axis after the other.
    const bool in_turn = schedule_.exchanges[static_cast<std::size_t>(id)].corners;
    start(id, 0);
    if (in_turn) {
      meanwhile();
      finish(id, 0);
    }
    for (int axis = 1; axis < 3; ++axis) {
      start(id, axis);
      if (in_turn) finish(id, axis);
    }
    if (!in_turn) {
      meanwhile();
      for (int axis = 0; axis < 3; ++axis) finish(id, axis);
    }
    marker(Operation::Kind::end_exchange, id);
    for (std::size_t i = first; i < schedule_.operations.size(); ++i) {
      schedule_.operations[i].instance = reader;
    }
  }

  using Kind = Operation::Kind;

  /// Offsets from the cells that read what an exchange brings; all, of what stays as it is.
  ListHalos::Offsets list_offsets(Exchange::Item& item) const {
    std::set<std::array<int, 3>> offsets;
    const auto held =
        static_cast<std::size_t>(cycle().binding[static_cast<std::size_t>(item.what.slot)]);
    const bool stays =
        version(item.version).producer < 0 && version(cycle().left[held]).producer < 0;
    item.is_partial[0] = !stays;
    if (stays) return lists()->all();
    for (const int id : version(item.version).readers) {
      for (const ListRead& read : at(id).stage->list_reads) {
        const bool is_it = at(id).reads[static_cast<std::size_t>(read.parameter)] == item.version &&
                           read.component == item.what.component;
        if (is_it) offsets.insert(read.offset);
      }
    }
    return {offsets.begin(), offsets.end()};
  }

  /// Cells of a list that one patch reads of another.
  void list_message(Kind kind, int id, int to, int from) {
    Exchange& e = schedule_.exchanges[static_cast<std::size_t>(id)];
    Operation op;
    op.kind = kind;
    op.stream = stream_of_halo(false);
    op.patch = kind == Kind::send ? from : to;
    op.other_patch = kind == Kind::send ? to : from;
    op.exchange = id;
    op.side = Side::high;
    op.moves = true;
    for (std::size_t i = 0; i < e.items.size(); ++i) {
      auto& item = e.items[i];
      if (item.need.none()) continue;
      const auto offsets = list_offsets(item);
      auto& cells = list_cells_[{from, to, offsets}];
      if (!cells) cells = lists()->cells(from, to, offsets);
      const auto count = static_cast<Index>(cells->size());
      if (count == 0) continue;
      const Box box{{0, 0, 0}, {count, 1, 1}};
      op.pieces.push_back({item.what, static_cast<int>(i), box, box, -1, cells});
    }
    if (!op.pieces.empty()) schedule_.operations.push_back(std::move(op));
  }

  /// visit(own patch, one that it reads cells of).
  template <class Visit>
  void each_beside(bool is_local, Visit&& visit) const {
    for (const auto& patch : schedule_.patches) {
      for (const int other : lists()->beside(patch.patch)) {
        if (schedule_.patches.is_local(other) == is_local) visit(patch.patch, other);
      }
    }
  }

  /// All of an exchange along one axis but what other ranks send.
  void start(int id, int axis) {
    if (is_list()) {
      if (axis > 0) return;
      each_beside(false, [&](int own, int other) { list_message(Kind::send, id, other, own); });
      each_beside(true, [&](int own, int other) { list_message(Kind::copy, id, own, other); });
      return;
    }
    each_neighbor(axis, [&](const PatchGeometry& patch, int neighbor, Side side) {
      if (neighbor < 0 || schedule_.patches.is_local(neighbor)) return;
      const Side theirs = side == Side::low ? Side::high : Side::low;
      message(Kind::send, id, schedule_.patches.geometry(neighbor), patch, axis, theirs);
    });
    each_neighbor(axis, [&](const PatchGeometry& patch, int neighbor, Side side) {
      if (neighbor < 0) return fill(id, patch, axis, side);
      if (!schedule_.patches.is_local(neighbor)) return;
      message(Kind::copy, id, patch, schedule_.patches[neighbor], axis, side);
    });
  }

  void finish(int id, int axis) {
    if (is_list()) {
      if (axis > 0) return;
      each_beside(false, [&](int own, int other) { list_message(Kind::receive, id, own, other); });
      return;
    }
    each_neighbor(axis, [&](const PatchGeometry& patch, int neighbor, Side side) {
      if (neighbor < 0 || schedule_.patches.is_local(neighbor)) return;
      message(Kind::receive, id, patch, schedule_.patches.geometry(neighbor), axis, side);
    });
  }

  void marker(Operation::Kind kind, int exchange) {
    Operation op;
    op.kind = kind;
    op.exchange = exchange;
    schedule_.operations.push_back(op);
  }

  /// visit(patch, number of its neighbour, side), in every rank's own patches.
  template <class Visit>
  void each_neighbor(int axis, Visit&& visit) const {
    for (const auto& patch : schedule_.patches) {
      for (Side side : both_sides) {
        visit(patch, patch.neighbor[static_cast<std::size_t>(axis)][index_of(side)], side);
      }
    }
  }

  /// With one kernel inner cells read ghosts that a patch makes of its own cells: these wait behind
  /// no halo in flight.
  Stream stream_of_halo(bool is_own) const {
    const bool is_late = options_.overlap == Overlap::one_kernel && is_own;
    return overlapped() && !is_late ? Stream::halo : Stream::compute;
  }

  /// What holds, along the other axes, all cells of a halo on one side that are read. None:
  /// all of it may be, or others have a part in it. Ranks must agree on what is valid, and layers
  /// of later axes hold what lies in this one.
  std::optional<Box> box_that_reads(const Exchange::Item& item, const PatchGeometry& patch,
                                    int axis, Side side) const {
    const FieldRecord& field = slots_.field(item.what.slot);
    if (has_messages()) return {};
    for (int later = axis + 1; later < 3; ++later) {
      const bool is_needed = item.need.low[later] + item.need.high[later] > 0;
      const bool is_joined = schedule_.patches.joined(field.grid)[static_cast<std::size_t>(later)];
      if (is_needed && (is_joined || !field.is_constant_beyond(later))) return {};
    }
    const auto held =
        static_cast<std::size_t>(cycle().binding[static_cast<std::size_t>(item.what.slot)]);
    const bool is_renewed =
        version(item.version).producer >= 0 || version(cycle().left[held]).producer >= 0;
    if (!is_renewed) return {};  // all of it stays valid for good
    const auto& all = cycle().versions;
    const bool is_kept = std::any_of(all.begin(), all.end(), [&](const Version& other) {
      return other.previous == item.version && !other.exchanged;
    });
    if (is_kept) return {};
    std::optional<Box> box;
    for (const int id : version(item.version).readers) {
      const Instance& reader = at(id);
      if (reader.grid != patch.grid || reader.spans_grids || !reader.extent.none()) return {};
      Extents by;
      for (const Read& r : reader.stage->footprint.reads) {
        const bool is_it = reader.reads[static_cast<std::size_t>(r.parameter)] == item.version &&
                           r.component == item.what.component;
        if (!is_it || (side == Side::low ? -1 : 1) * r.offset[axis] <= 0) continue;
        for (int a = 0; a < 3; ++a) {
          by.low[a] = std::max<Index>(by.low[a], -r.offset[a]);
          by.high[a] = std::max<Index>(by.high[a], r.offset[a]);
        }
      }
      if (by.on(axis, side) == 0) continue;
      for (const Box& updated : updated_boxes(reader, slots_, patch)) {
        const Box one = extended(updated, by);
        box = box ? hull(*box, one) : one;
      }
    }
    return box;
  }

  /// Halo layers of `to` on one side, from its neighbour there. With corners, the box already
  /// includes the halos that earlier axes have filled.
  void message(Operation::Kind kind, int id, const PatchGeometry& to, const PatchGeometry& from,
               int axis, Side side) {
    Exchange& e = schedule_.exchanges[static_cast<std::size_t>(id)];
    const bool is_send = kind == Operation::Kind::send;
    Operation op;
    op.kind = kind;
    op.stream = stream_of_halo(from.patch == to.patch);
    op.patch = is_send ? from.patch : to.patch;
    op.other_patch = is_send ? to.patch : from.patch;
    op.exchange = id;
    op.axis = axis;
    op.side = side;
    for (std::size_t i = 0; i < e.items.size(); ++i) {
      auto& item = e.items[i];
      const Index width = item.need.on(axis, side);
      if (width == 0 || slots_.field(item.what.slot).grid != to.grid) continue;
      Box target = to.owned_local(slots_.field(item.what.slot).location);
      if (e.corners) {
        for (int b = 0; b < axis; ++b) {
          target.lower[b] -= item.need.low[b];
          target.upper[b] += item.need.high[b];
        }
      }
      const auto read = kind == Kind::copy ? box_that_reads(item, to, axis, side) : std::nullopt;
      for (int b = 0; read && b < 3; ++b) {
        if (b == axis) continue;
        const Index lower = std::max(target.lower[b], read->lower[b]);
        const Index upper = std::min(target.upper[b], read->upper[b]);
        const bool is_less = lower > target.lower[b] || upper < target.upper[b];
        if (is_less) item.is_partial[static_cast<std::size_t>(axis)] = true;
        target.lower[b] = lower;
        target.upper[b] = upper;
      }
      if (target.empty()) continue;
      op.pieces.push_back(
          halo_piece(item.what, static_cast<int>(i), to, from, axis, side, width, target));
    }
    if (!op.pieces.empty()) schedule_.operations.push_back(std::move(op));
  }

  void fill(int id, const PatchGeometry& patch, int axis, Side side) {
    const Exchange& e = schedule_.exchanges[static_cast<std::size_t>(id)];
    for (std::size_t i = 0; i < e.items.size(); ++i) {
      if (slots_.field(e.items[i].what.slot).grid != patch.grid) continue;
      fill(patch, e.items[i].what, e.items[i].need, axis, side, {e.corners, false}, id,
           static_cast<int>(i));
    }
  }

  void fill(const PatchGeometry& patch, Component what, const Extents& need, int axis, Side side,
            FillSpan span, int exchange, int item) {
    if (is_list()) return;  // tables say where there is no cell
    for (Operation& op :
         boundary_fills(patch, slots_.field(what.slot), what, need, axis, side, span)) {
      op.stream = exchange >= 0 ? stream_of_halo(true) : Stream::compute;
      op.exchange = exchange;
      op.item = item;
      schedule_.operations.push_back(std::move(op));
    }
  }

  /// `reader` or the producer: whose step it belongs to.
  void fill_after_write(int v, int reader) {
    const Version& it = version(v);
    unfilled_[static_cast<std::size_t>(v)] = false;
    ghosts_of_step_[static_cast<std::size_t>(v)] = at(reader).step;
    // What was fetched without edges and corners has nothing there to be mirrored.
    const bool corners = !fetched_[static_cast<std::size_t>(v)] || fetched_corners_.count(v) > 0;
    const std::size_t first = schedule_.operations.size();
    for (int axis = 0; axis < 3; ++axis) {
      for (const auto& patch : schedule_.patches.of_grid(slots_.field(it.slot).grid)) {
        for (Side side : both_sides) {
          if (patch.is_interior(axis, side)) continue;
          for (std::size_t c = 0; c < it.need.size(); ++c) {
            fill(patch, {it.slot, static_cast<int>(c)}, it.need[c], axis, side, {corners, corners},
                 -1, -1);
          }
        }
      }
    }
    for (std::size_t i = first; i < schedule_.operations.size(); ++i) {
      schedule_.operations[i].version = v;
      schedule_.operations[i].instance = reader;
    }
  }

  const Slots& slots_;
  ScheduleOptions options_;
  Schedule schedule_;
  std::vector<int> held_;                ///< versions that the first sweep fetches, for all
  std::vector<bool> fetched_;            ///< per version: its exchange has been issued
  std::set<int> fetched_corners_;        ///< versions fetched with edges and corners
  std::vector<int> ghosts_of_step_;      ///< per version: -1 before they are made
  std::vector<bool> unfilled_;           ///< per version: its ghosts wait for the first reader
  std::vector<std::vector<int>> early_;  ///< per instance: versions sent as soon as computed
  std::optional<SweepEdges> edges_;      ///< where nothing overlaps
  std::map<std::tuple<int, int, ListHalos::Offsets>, std::shared_ptr<const CellNumbers>>
      list_cells_;
};

}  // namespace

Schedule make_schedule(Cycle cycle, const Slots& slots, const Patches& patches,
                       const ScheduleOptions& options) {
  return Builder(std::move(cycle), slots, patches, options).build();
}

}  // namespace goban
