#include "goban/program/cycle.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "goban/base/error.hpp"
#include "goban/program/program.hpp"

namespace goban {
namespace {

using Cuts = std::array<std::vector<Index>, 3>;

Extents reach(const std::array<int, 3>& offset) {
  Extents r;
  for (int a = 0; a < 3; ++a) {
    r.low[a] = std::max(0, -offset[static_cast<std::size_t>(a)]);
    r.high[a] = std::max(0, offset[static_cast<std::size_t>(a)]);
  }
  return r;
}

/// Wherever it is cut, or somewhere within a pair of its cells.
bool may_cut_pairs(const std::vector<Index>& cuts) {
  return cuts.empty() || std::any_of(cuts.begin(), cuts.end(), [](Index cut) { return cut % 2; });
}

/// How far beyond the cells of its patch a stage reads on another grid, at an offset from what its
/// own cells stand for. Where the finer grid is cut within a pair, that belongs to the upper patch
/// of the coarser grid.
Extents reach_between(const IndexMap& map, const std::array<int, 3>& offset, const Cuts& finer,
                      const std::array<bool, 3>& writes_faces) {
  Extents r = reach(offset);
  for (std::size_t a = 0; a < 3; ++a) {
    const Index cut_pairs = may_cut_pairs(finer[a]) ? 1 : 0;
    const Index o = offset[a];
    if (map.scale[a] == 2) {
      r.low[a] = std::max<Index>(0, cut_pairs - o);
      // The last cell stands for the first of two; the last face for the last.
      r.high[a] = std::max<Index>(0, writes_faces[a] ? o : o - 1);
    } else if (map.halving[a] == 1) {
      r.high[a] = std::max<Index>(0, o + cut_pairs);
    }
  }
  return r;
}

/// Unrolls the steps into instances and versions, resolving swaps.
class Unroller {
 public:
  Unroller(const Slots& slots, Cycle& cycle, std::set<const ParameterRecord*> computed)
      : slots_(slots), cycle_(cycle), computed_(std::move(computed)) {
    const auto n = static_cast<std::size_t>(slots.size());
    cycle_.held.resize(n);
    cycle_.binding.resize(n);
    std::iota(cycle_.binding.begin(), cycle_.binding.end(), 0);
    for (int s = 0; s < slots.size(); ++s)
      cycle_.held[static_cast<std::size_t>(s)] = make(s, -1, -1);
    current_ = cycle_.held;
  }

  void stage(const std::shared_ptr<Stage>& stage, int step) {
    switch (stage->kind) {
      case Stage::Kind::permute: return permute(*stage);
      case Stage::Kind::compute: {
        Instance instance;
        instance.stage = stage;
        instance.step = step;
        cycle_.instances.push_back(std::move(instance));
        return;
      }
      default: return sweep(stage, step);
    }
  }

  void finish() { cycle_.left = current_; }

 private:
  int make(int slot, int producer, int previous) {
    Version v;
    v.slot = slot;
    v.producer = producer;
    v.previous = previous;
    v.need.resize(static_cast<std::size_t>(slots_.field(slot).components));
    cycle_.versions.push_back(std::move(v));
    return static_cast<int>(cycle_.versions.size()) - 1;
  }

  int slot_of(const FieldRecord* field) const {
    return cycle_.binding[static_cast<std::size_t>(slots_.of(field))];
  }

  void permute(const Stage& stage) {
    const int first = slot_of(stage.names.front().get());
    for (std::size_t i = 0; i < stage.names.size(); ++i) {
      const auto name = static_cast<std::size_t>(slots_.of(stage.names[i].get()));
      cycle_.binding[name] = i + 1 < stage.names.size() ? slot_of(stage.names[i + 1].get()) : first;
    }
  }

  void sweep(const std::shared_ptr<Stage>& stage, int step) {
    const int id = static_cast<int>(cycle_.instances.size());
    Instance instance;
    instance.stage = stage;
    instance.step = step;
    const auto n = stage->arguments.size();
    instance.slot.assign(n, -1);
    instance.reads.assign(n, -1);
    instance.writes.assign(n, -1);
    auto read = [&](int slot) {
      const int version = current_[static_cast<std::size_t>(slot)];
      cycle_.versions[static_cast<std::size_t>(version)].readers.push_back(id);
      return version;
    };
    for (std::size_t a = 0; a < n; ++a) {
      const auto& argument = stage->arguments[a];
      if (argument.kind != StageArgument::Kind::field) continue;
      instance.slot[a] = slot_of(argument.field.get());
      if (argument.access != Access::out) instance.reads[a] = read(instance.slot[a]);
    }
    if (stage->mask) {
      instance.mask_slot = slot_of(stage->mask.get());
      instance.mask_read = read(instance.mask_slot);
    }
    for (std::size_t a = 0; a < n; ++a) {
      if (instance.slot[a] < 0 || stage->arguments[a].access == Access::in) continue;
      const int slot = instance.slot[a];
      const int old = current_[static_cast<std::size_t>(slot)];
      const bool keeps = !stage->covers_everything() || stage->arguments[a].access == Access::inout;
      instance.writes[a] = make(slot, id, keeps ? old : -1);
      current_[static_cast<std::size_t>(slot)] = instance.writes[a];
    }
    if (const auto grid = grid_of(*stage)) {
      instance.grid = grid->number;
      for (std::size_t a = 0; a < n; ++a) {
        instance.maps.push_back(instance.slot[a] < 0 || stage->moves() ? IndexMap{}
                                                                       : map_of(*stage, a));
      }
      instance.spans_grids = stage->is_sweep() && reads_other_grids(*stage);
    }
    check_aliases(*stage, instance);
    instance.changes = changes_with_step(*stage, computed_);
    cycle_.instances.push_back(std::move(instance));
  }

  /// A sweep must not read, at any offset, what it writes: cells are updated in no defined order.
  static void check_aliases(const Stage& stage, const Instance& instance) {
    for (std::size_t a = 0; a < instance.slot.size(); ++a) {
      if (instance.writes[a] < 0) continue;
      for (std::size_t b = 0; b < instance.slot.size(); ++b) {
        require(
            a == b || instance.slot[a] != instance.slot[b],
            "stage '" + stage.name + "' uses field '" + stage.arguments[a].field->name + "' twice",
            "it is both written and passed again", "use inout once, or a second field and swap");
      }
      require(instance.mask_slot != instance.slot[a],
              "stage '" + stage.name + "' writes its own mask", "", "use another field");
    }
  }

  const Slots& slots_;
  Cycle& cycle_;
  std::set<const ParameterRecord*> computed_;
  std::vector<int> current_;
};

/// How far beyond the owned cells a stage computes at most, on any patch, of what it would compute
/// without its region; negative where it ends before the cells do.
struct Span {
  Extents beyond;
  bool is_empty = false;  ///< nowhere at all
};

/// Limits a span along one axis, with these cuts. `wall_faces`: there is one more to compute behind
/// the last cell, whose reads are counted elsewhere.
void limit(Span& span, int axis, const Box* region, const std::vector<Index>& cuts,
           bool is_periodic, Index wall_faces) {
  const Extents whole = span.beyond;
  const Index cells = cuts.back(), last = std::ssize(cuts) - 2;
  bool is_met = false;
  Index low = 0, high = 0;
  for (Index n = 0; n <= last; ++n) {
    const Index begin = cuts[static_cast<std::size_t>(n)];
    const Index end = cuts[static_cast<std::size_t>(n) + 1];
    const Index first = begin - (is_periodic || n > 0 ? whole.low[axis] : 0);
    const Index past = end + (is_periodic || n < last ? whole.high[axis] : 0);
    for (const Index image : {-cells, Index{0}, cells}) {
      if (image != 0 && !is_periodic) continue;
      const Index most = past + (n == last ? wall_faces : 0);
      const Index lower = region ? std::max(first, region->lower[axis] + image) : first;
      const Index upper = region ? std::min(most, region->upper[axis] + image) : most;
      if (lower >= upper) continue;
      const Index above = std::min(upper, past) - end;
      low = is_met ? std::max(low, begin - lower) : begin - lower;
      high = is_met ? std::max(high, above) : above;
      is_met = true;
    }
  }
  span.beyond.low[axis] = low;
  span.beyond.high[axis] = high;
  span.is_empty = span.is_empty || !is_met;
}

/// Backwards over the instances: a stage computes as far out as any unexchanged result is read.
void propagate(Cycle& cycle, const Slots& slots, const std::vector<Cuts>& all_cuts) {
  const auto cuts_of = [&](int grid) {
    const auto g = static_cast<std::size_t>(grid);
    return g < all_cuts.size() ? all_cuts[g] : Cuts{};
  };
  for (int id = static_cast<int>(cycle.instances.size()) - 1; id >= 0; --id) {
    Instance& instance = cycle.instances[static_cast<std::size_t>(id)];
    const Stage& stage = *instance.stage;
    if (!stage.is_sweep()) continue;
    std::array<bool, 3> staggered{};
    if (stage.kind == Stage::Kind::reduce) {
      // Over the values of its first field.
      const auto first = std::find_if(instance.slot.begin(), instance.slot.end(),
                                      [](int slot) { return slot >= 0; });
      for (int axis = 0; axis < 3; ++axis) {
        staggered[axis] = is_staggered(slots.field(*first).location, axis);
      }
    }
    for (std::size_t a = 0; a < instance.writes.size(); ++a) {
      if (instance.writes[a] < 0) continue;
      const Version& v = cycle.versions[static_cast<std::size_t>(instance.writes[a])];
      if (!v.exchanged) instance.extent = hull(instance.extent, v.widest());
      for (int axis = 0; axis < 3; ++axis) {
        if (is_staggered(slots.field(v.slot).location, axis)) staggered[axis] = true;
      }
    }
    // Where its region ends, other stages' values are kept around it: corners, too.
    const bool widened = !instance.extent.none();
    Span span{instance.extent};
    const auto of_stage = grid_of(stage);
    const GridState& grid = *of_stage;
    const Cuts cuts = cuts_of(grid.number);
    for (int axis = 0; axis < 3; ++axis) {
      const auto& along = cuts[static_cast<std::size_t>(axis)];
      if (along.empty()) continue;
      const bool has_wall_faces = staggered[axis] && !grid.is_periodic(axis);
      limit(span, axis, stage.region ? &*stage.region : nullptr, along, grid.is_periodic(axis),
            has_wall_faces ? 1 : 0);
    }
    instance.extent = span.is_empty ? Extents{} : hull(span.beyond, {});
    auto require_of = [&](int version, int component, const Extents& offset,
                          const std::optional<Extents>& between = {}) {
      if (span.is_empty) return;
      Version& v = cycle.versions[static_cast<std::size_t>(version)];
      Extents by = hull(between ? *between : span.beyond + offset, {});
      int axes = 0;
      for (int axis = 0; axis < 3; ++axis) {
        // A sweep over faces has one more face than cells at the last wall, where it ends however
        // far it goes on into neighbours.
        const bool has_more = staggered[axis] &&
                              !is_staggered(slots.field(v.slot).location, axis) &&
                              !grid.is_periodic(axis) &&
                              (!stage.region || stage.region->upper[axis] > grid.cells[axis]);
        if (has_more) by.high[axis] = std::max(by.high[axis], offset.high[axis] + 1);
        const Extents& reached = between ? *between : offset;
        if (has_more || reached.low[axis] + reached.high[axis] > 0) ++axes;
      }
      auto& need = v.need[static_cast<std::size_t>(component)];
      need = hull(need, by);
      v.corners = v.corners || axes > 1 || widened;
    };
    for (const Read& r : stage.footprint.reads) {
      const auto a = static_cast<std::size_t>(r.parameter);
      const int version = instance.reads[a];
      if (version < 0) continue;
      if (instance.maps[a].is_identity()) {
        require_of(version, r.component, reach(r.offset));
        continue;
      }
      const GridState& read = *stage.arguments[a].grid;
      const int finer = instance.maps[a].scale == Index3{1, 1, 1} ? grid.number : read.number;
      require_of(version, r.component, reach(r.offset),
                 reach_between(instance.maps[a], r.offset, cuts_of(finer), staggered));
    }
    for (const ListRead& r : stage.list_reads) {
      const int version = instance.reads[static_cast<std::size_t>(r.parameter)];
      require_of(version, r.component, {{}, {stage.list_ghosts, 0, 0}});
    }
    if (instance.mask_read >= 0) require_of(instance.mask_read, 0, {});
    for (std::size_t a = 0; a < instance.writes.size(); ++a) {
      if (instance.writes[a] < 0) continue;
      const Version v = cycle.versions[static_cast<std::size_t>(instance.writes[a])];
      if (v.previous < 0) continue;
      Version& old = cycle.versions[static_cast<std::size_t>(v.previous)];
      for (std::size_t c = 0; c < old.need.size(); ++c) {
        if (!v.exchanged) old.need[c] = hull(old.need[c], v.need[c]);
      }
      old.corners = old.corners || widened;
    }
  }
}

}  // namespace

int Slots::add(const std::shared_ptr<FieldRecord>& field, const std::shared_ptr<GridState>& grid) {
  const auto [at, is_new] = index_.try_emplace(field.get(), size());
  if (is_new) {
    fields_.push_back(field);
    grids_.push_back(grid);
  }
  return at->second;
}

int Slots::of(const FieldRecord* field) const { return index_.at(field); }

std::set<const ParameterRecord*> computed_parameters(
    const std::vector<std::shared_ptr<Stage>>& stages) {
  std::set<const ParameterRecord*> computed;
  for (const auto& stage : stages) {
    for (const auto& parameter : stage->parameters) computed.insert(parameter.get());
    if (stage->target) computed.insert(stage->target.get());
    for (const auto& part : {stage->body, stage->check}) {
      if (part) computed.merge(computed_parameters(part->stages()));
    }
  }
  return computed;
}

bool changes_with_step(const Stage& stage, const std::set<const ParameterRecord*>& computed) {
  return stage.footprint.sees_step ||
         std::any_of(stage.arguments.begin(), stage.arguments.end(), [&](const auto& argument) {
           return computed.count(argument.parameter.get()) > 0;
         });
}

Cycle analyze(const std::vector<std::shared_ptr<Stage>>& stages, const Slots& slots,
              const CycleOptions& options) {
  Cycle cycle;
  cycle.steps = options.steps;
  auto computed = computed_parameters(stages);
  computed.insert(options.computed.begin(), options.computed.end());
  Unroller unroller(slots, cycle, std::move(computed));
  for (int step = 0; step < options.steps; ++step) {
    for (const auto& stage : stages) unroller.stage(stage, step);
  }
  unroller.finish();
  const bool recompute = options.recompute || options.steps > 1;
  for (auto& v : cycle.versions) v.exchanged = v.producer < 0 || !recompute;
  for (std::size_t name = 0; name < cycle.binding.size(); ++name) {
    if (options.alive[name]) {
      const int slot = cycle.binding[name];
      cycle.versions[static_cast<std::size_t>(cycle.left[static_cast<std::size_t>(slot)])]
          .outlives = true;
    }
  }
  propagate(cycle, slots, options.cuts);
  return cycle;
}

std::vector<Extents> halo_widths(const Cycle& cycle) {
  std::vector<Extents> width(cycle.binding.size());
  for (const auto& v : cycle.versions) {
    auto& w = width[static_cast<std::size_t>(v.slot)];
    w = hull(w, v.widest());
    // A sweep stores all of its outputs as far out as any of them is read.
    if (v.producer >= 0) {
      w = hull(w, cycle.instances[static_cast<std::size_t>(v.producer)].extent);
    }
  }
  // Slots a cycle of names passes through must be alike: spread the widest along each permutation.
  for (std::size_t round = 0; round < width.size(); ++round) {
    for (std::size_t name = 0; name < width.size(); ++name) {
      const auto other = static_cast<std::size_t>(cycle.binding[name]);
      width[name] = width[other] = hull(width[name], width[other]);
    }
  }
  return width;
}

}  // namespace goban
