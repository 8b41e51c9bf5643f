#include "goban/backend/cpu/pass.hpp"

#include <algorithm>
#include <limits>

#include "goban/backend/cpu/tiles.hpp"
#include "goban/backend/cpu/window.hpp"
#include "goban/backend/host/fill.hpp"

namespace goban::cpu {
namespace {

constexpr Index planes_per_round = 2;
constexpr double cache_bytes = 900e3;  ///< second-level cache a tile may fill

struct Reach {
  Index low = 0, high = 0;
};

/// How each step reads each version, how far steps lag and how far their tiles overlap.
class Plan {
 public:
  explicit Plan(const PassTask& task) : task_(task) {
    const auto& order = task.steps.front().sweep.order;
    fast_ = order[0];
    middle_ = order[1];
    slow_ = order[2];
    const auto steps = task.steps.size();
    lag_.assign(steps, 0);
    beyond_.assign(steps, {});
    producer_.assign(task.versions.size(), -1);
    read_inside_.assign(task.versions.size(), false);
    for (std::size_t s = 0; s < steps; ++s) {
      for (int v : task.steps[s].writes) {
        if (v >= 0) producer_[static_cast<std::size_t>(v)] = static_cast<int>(s);
      }
      for (int v : task.steps[s].reads) {
        if (v >= 0) read_inside_[static_cast<std::size_t>(v)] = true;
      }
    }
    for (std::size_t s = 0; s < steps; ++s) {
      for (std::size_t a = 0; a < task.steps[s].reads.size(); ++a) {
        const int v = task.steps[s].reads[a];
        if (v < 0 || producer(v) < 0) continue;
        const Reach r = reach(s, v, slow_);
        const Index behind = lag_[static_cast<std::size_t>(producer(v))] + std::max(r.low, r.high);
        lag_[s] = std::max(lag_[s], behind);
      }
    }
    for (std::size_t i = steps; i-- > 0;) {
      for (std::size_t later = i + 1; later < steps; ++later) {
        for (int v : task.steps[later].reads) {
          if (v < 0 || producer(v) != static_cast<int>(i)) continue;
          const Reach r = reach(later, v, middle_);
          beyond_[i].low = std::max(beyond_[i].low, beyond_[later].low + r.low);
          beyond_[i].high = std::max(beyond_[i].high, beyond_[later].high + r.high);
        }
      }
    }
  }

  int fast() const { return fast_; }
  int middle() const { return middle_; }
  int slow() const { return slow_; }
  int producer(int v) const { return producer_[static_cast<std::size_t>(v)]; }
  bool is_read_inside(int v) const { return read_inside_[static_cast<std::size_t>(v)]; }
  /// Lives in a window: made by the pass and read by it.
  bool has_window(int v) const { return producer(v) >= 0 && is_read_inside(v); }
  Index lag(std::size_t step) const { return lag_[step]; }
  Reach beyond(std::size_t step) const { return beyond_[step]; }

  /// How far step s reads version v along an axis.
  Reach reach(std::size_t s, int v, int axis) const {
    Reach r;
    const auto& step = task_.steps[s];
    for (const Read& read : step.sweep.stage->footprint.reads) {
      if (step.reads[static_cast<std::size_t>(read.parameter)] != v) continue;
      const Index o = read.offset[static_cast<std::size_t>(axis)];
      r.low = std::max(r.low, -o);
      r.high = std::max(r.high, o);
    }
    return r;
  }

  /// Planes of version v alive at a time.
  Index planes(int v) const {
    const auto p = static_cast<std::size_t>(producer(v));
    const auto& need = task_.versions[static_cast<std::size_t>(v)].need;
    Index alive = 2 * std::max(need.low[slow_], need.high[slow_]) + planes_per_round + 1;
    if (!has_slow_fill(v)) alive = 1;
    for (std::size_t s = 0; s < task_.steps.size(); ++s) {
      const auto& reads = task_.steps[s].reads;
      if (std::find(reads.begin(), reads.end(), v) == reads.end()) continue;
      const Index span = lag_[s] - lag_[p] + reach(s, v, slow_).low + planes_per_round;
      alive = std::max(alive, span + (has_slow_fill(v) ? need.high[slow_] + 1 : 0));
    }
    return alive;
  }

 private:
  bool has_slow_fill(int v) const {
    const auto& step = task_.steps[static_cast<std::size_t>(producer(v))];
    for (std::size_t f = 0; f < step.fills.size(); ++f) {
      if (step.fill_version[f] == v && step.fills[f].axis == slow_) return true;
    }
    return false;
  }

  const PassTask& task_;
  int fast_, middle_, slow_;
  std::vector<Index> lag_;
  std::vector<Reach> beyond_;
  std::vector<int> producer_;
  std::vector<bool> read_inside_;
};

/// Rows of the middle axis: open-ended at the patch's own ends.
struct Tile {
  Index lower, upper;
  bool first, last;
};

/// One thread's windows and the tiles it runs.
class TileRunner {
 public:
  TileRunner(const PassTask& task, const Plan& plan, Index rows, bool scalar, bool streaming)
      : task_(task), plan_(plan), scalar_(scalar), streaming_(streaming) {
    windows_.resize(task.versions.size());
    for (std::size_t v = 0; v < task.versions.size(); ++v) {
      if (plan.has_window(static_cast<int>(v))) {
        windows_[v] = Window(window_shape(task, plan, static_cast<int>(v), rows));
      }
    }
  }

  static WindowShape window_shape(const PassTask& task, const Plan& plan, int v, Index rows) {
    const auto& info = task.versions[static_cast<std::size_t>(v)];
    const auto p = static_cast<std::size_t>(plan.producer(v));
    const auto& step = task.steps[p];
    WindowShape shape;
    shape.type = info.type;
    shape.components = info.components;
    shape.order = step.sweep.order;
    shape.low = std::min(step.sweep.box.lower[plan.fast()], -info.need.low[plan.fast()]);
    shape.high = std::max(step.sweep.box.upper[plan.fast()],
                          info.owned.upper[plan.fast()] + info.need.high[plan.fast()]);
    const Reach b = plan.beyond(p);
    shape.rows =
        rows + b.low + b.high + info.need.low[plan.middle()] + info.need.high[plan.middle()] + 2;
    shape.planes = plan.planes(v);
    return shape;
  }

  void run(const Tile& tile) {
    const int slow = plan_.slow();
    Index begin = std::numeric_limits<Index>::max(), end = std::numeric_limits<Index>::min();
    rows_.clear();
    for (std::size_t s = 0; s < task_.steps.size(); ++s) {
      const Box& box = task_.steps[s].sweep.box;
      begin = std::min(begin, box.lower[slow] + plan_.lag(s));
      end = std::max(end, box.upper[slow] + plan_.lag(s));
      rows_.push_back(rows_of(s, tile));
    }
    for (std::size_t v = 0; v < windows_.size(); ++v) {
      if (!plan_.has_window(static_cast<int>(v))) continue;
      const auto p = static_cast<std::size_t>(plan_.producer(static_cast<int>(v)));
      windows_[v].set_first_row(rows_[p].lower - task_.versions[v].need.low[plan_.middle()]);
    }
    for (Index front = begin; front < end; front += planes_per_round) {
      for (std::size_t s = 0; s < task_.steps.size(); ++s) round(s, tile, front);
    }
  }

 private:
  struct Rows {
    Index lower, upper;
    bool at_low_end, at_high_end;  ///< of the step's box
  };

  Rows rows_of(std::size_t s, const Tile& tile) const {
    const Box& box = task_.steps[s].sweep.box;
    const Reach b = plan_.beyond(s);
    const int m = plan_.middle();
    Rows rows;
    rows.lower = tile.first ? box.lower[m] : std::max(box.lower[m], tile.lower - b.low);
    rows.upper = tile.last ? box.upper[m] : std::min(box.upper[m], tile.upper + b.high);
    rows.at_low_end = rows.lower == box.lower[m];
    rows.at_high_end = rows.upper == box.upper[m];
    return rows;
  }

  FieldBinding where(int v, Index lowest_plane) const {
    return plan_.has_window(v) ? windows_[static_cast<std::size_t>(v)].bind(lowest_plane)
                               : task_.versions[static_cast<std::size_t>(v)].memory;
  }

  void round(std::size_t s, const Tile& tile, Index front) {
    const PassTask::Step& step = task_.steps[s];
    const int slow = plan_.slow(), middle = plan_.middle();
    Box box = step.sweep.box;
    box.lower[slow] = std::max(box.lower[slow], front - plan_.lag(s));
    box.upper[slow] = std::min(box.upper[slow], front - plan_.lag(s) + planes_per_round);
    box.lower[middle] = rows_[s].lower;
    box.upper[middle] = rows_[s].upper;
    if (box.empty()) return;

    SweepCall call = make_call(step.sweep);
    fields_ = step.sweep.fields;
    bool all_kept = true;
    for (std::size_t a = 0; a < fields_.size(); ++a) {
      const int from = step.reads[a], to = step.writes[a];
      const Box clip = fields_[a].clip;
      if (to >= 0) {
        fields_[a] = where(to, box.lower[slow]);
        fields_[a].clip = clip;
        if (plan_.has_window(to)) {
          all_kept = false;
        } else {
          // Rows that a neighbouring tile stores too are left to it.
          if (!tile.first) fields_[a].clip.lower[middle] = std::max(clip.lower[middle], tile.lower);
          if (!tile.last) fields_[a].clip.upper[middle] = std::min(clip.upper[middle], tile.upper);
        }
        if (from >= 0) copy(from, to, box, intersection(box, fields_[a].clip));
      } else if (from >= 0) {
        fields_[a] = where(from, box.lower[slow] - plan_.reach(s, from, slow).low);
        fields_[a].from_memory = !plan_.has_window(from);
      }
    }
    call.fields = fields_.data();
    call.box = call.tile = box;
    call.tile.upper[slow] = step.sweep.box.upper[slow];
    call.streaming = streaming_ && all_kept;
    const bool from_memory = std::any_of(fields_.begin(), fields_.end(),
                                         [](const FieldBinding& f) { return f.from_memory; });
    const SweepKernels& kernels = step.sweep.stage->kernels;
    (scalar_ ? kernels.scalar : from_memory ? kernels.pack : kernels.in_cache)(call);
    for (std::size_t f = 0; f < step.fills.size(); ++f) fill(s, f, box);
    for (int v : step.writes) {
      if (v >= 0 && plan_.has_window(v) && task_.versions[static_cast<std::size_t>(v)].kept) {
        keep(v, tile, box);
      }
    }
  }

  /// Rectangular copy of all components between two versions.
  void copy_box(const FieldBinding& from, const FieldBinding& to, int v, const Box& box) {
    const auto& info = task_.versions[static_cast<std::size_t>(v)];
    CopyTask task;
    task.type = info.type;
    task.order = task_.steps.front().sweep.order;
    task.source_box = task.target_box = box;
    for (int c = 0; c < info.components; ++c) {
      const auto size = static_cast<Index>(size_of(info.type));
      task.source = from;
      task.target = to;
      task.source.read += size * c * from.component_stride;
      task.target.write += size * c * to.component_stride;
      host::run_copy(task);
    }
  }

  /// What an inout starts from.
  void copy(int from, int to, const Box& planes, const Box& box) {
    if (box.empty()) return;
    copy_box(where(from, planes.lower[plan_.slow()]), where(to, planes.lower[plan_.slow()]), to,
             box);
  }

  void keep(int v, const Tile& tile, Box box) {
    const int middle = plan_.middle();
    if (!tile.first) box.lower[middle] = std::max(box.lower[middle], tile.lower);
    if (!tile.last) box.upper[middle] = std::min(box.upper[middle], tile.upper);
    const auto& info = task_.versions[static_cast<std::size_t>(v)];
    box = intersection(box, extended(info.owned, info.need));
    if (!box.empty()) copy_box(where(v, box.lower[plan_.slow()]), info.memory, v, box);
  }

  /// Ghost cells that the planes just computed make possible.
  void fill(std::size_t s, std::size_t f, const Box& done) {
    const PassTask::Step& step = task_.steps[s];
    FillTask fill = step.fills[f];
    const int v = step.fill_version[f];
    const int slow = plan_.slow(), middle = plan_.middle();
    Index lowest = done.lower[slow];
    // Along the middle axis: walls that this tile touches, rows that it has computed.
    if (fill.axis == middle) {
      if (fill.side == Side::low ? !rows_[s].at_low_end : !rows_[s].at_high_end) return;
    } else {
      if (!rows_[s].at_low_end) {
        fill.box.lower[middle] = std::max(fill.box.lower[middle], done.lower[middle]);
      }
      if (!rows_[s].at_high_end) {
        fill.box.upper[middle] = std::min(fill.box.upper[middle], done.upper[middle]);
      }
    }
    if (fill.axis != slow) {
      fill.box.lower[slow] = std::max(fill.box.lower[slow], done.lower[slow]);
      fill.box.upper[slow] = std::min(fill.box.upper[slow], done.upper[slow]);
    } else if (fill.side == Side::low) {
      // Ghost planes whose mirror image is among the new planes.
      Index lower = fill.box.upper[slow], upper = fill.box.lower[slow];
      for (Index g = fill.box.lower[slow]; g < fill.box.upper[slow]; ++g) {
        const Index source = g >= 0 ? g : mirrored(g, fill.cells, fill.staggered);
        if (source < done.lower[slow] || source >= done.upper[slow]) continue;
        lower = std::min(lower, g);
        upper = std::max(upper, g + 1);
      }
      fill.box.lower[slow] = lower;
      fill.box.upper[slow] = upper;
      lowest = lower;
    } else {
      if (done.upper[slow] != step.sweep.box.upper[slow]) return;
      lowest = 2 * fill.box.lower[slow] - fill.box.upper[slow] - 1;
    }
    if (fill.box.empty()) return;
    fill.field = where(v, lowest);
    const auto offset = static_cast<Index>(size_of(fill.type)) * step.fill_component[f] *
                        fill.field.component_stride;
    fill.field.read += offset;
    fill.field.write += offset;
    host::run_fill(fill);
  }

  const PassTask& task_;
  const Plan& plan_;
  bool scalar_, streaming_;
  std::vector<Window> windows_;
  std::vector<Rows> rows_;
  std::vector<FieldBinding> fields_;
};

/// Rows of a tile whose windows, and the planes of held values it reads, fit the cache.
Index tile_rows(const PassTask& task, const Plan& plan, Index rows, int threads) {
  double bytes = 0;
  for (std::size_t v = 0; v < task.versions.size(); ++v) {
    const auto& info = task.versions[v];
    if (plan.has_window(static_cast<int>(v))) {
      bytes += static_cast<double>(
          Window::bytes_per_row(TileRunner::window_shape(task, plan, static_cast<int>(v), 0)));
    } else {
      Reach r;
      for (std::size_t s = 0; s < task.steps.size(); ++s) {
        const Reach one = plan.reach(s, static_cast<int>(v), plan.slow());
        r.low = std::max(r.low, one.low);
        r.high = std::max(r.high, one.high);
      }
      bytes += static_cast<double>(info.owned.extent(plan.fast()) * info.components) *
               static_cast<double>(size_of(info.type)) *
               static_cast<double>(r.low + r.high + planes_per_round);
    }
  }
  const Index fitting = std::max<Index>(12, static_cast<Index>(cache_bytes / std::max(bytes, 1.0)));
  // As many tiles for every thread, all nearly equal.
  const Index tiles = round_up(std::max<Index>(1, (rows + fitting - 1) / fitting), threads);
  return std::max<Index>(1, (rows + tiles - 1) / tiles);
}

}  // namespace

void run_pass(const PassTask& task, ThreadTeam& team, bool scalar, bool streaming_stores) {
  const Plan plan(task);
  Index low = std::numeric_limits<Index>::max(), high = 0;
  for (const auto& info : task.versions) {
    low = std::min(low, info.owned.lower[plan.middle()]);
    high = std::max(high, info.owned.upper[plan.middle()]);
  }
  const Index rows = tile_rows(task, plan, high - low, team.size());
  const Index tiles = (high - low + rows - 1) / rows;
  team.run([&](int thread) {
    const Part mine = split_evenly(tiles, team.size(), thread);
    if (mine.begin >= mine.end) return;
    TileRunner runner(task, plan, rows, scalar, streaming_stores);
    for (Index t = mine.begin; t < mine.end; ++t) {
      runner.run({low + t * rows, std::min(low + (t + 1) * rows, high), t == 0, t == tiles - 1});
    }
  });
}

}  // namespace goban::cpu
