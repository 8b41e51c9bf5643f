#include "goban/backend/cpu/pass.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "goban/backend/cpu/pass_lags.hpp"
#include "goban/backend/cpu/tiles.hpp"
#include "goban/backend/cpu/window.hpp"
#include "goban/backend/host/fill.hpp"
#include "goban/backend/sweep_call.hpp"

namespace goban::cpu {
namespace {

constexpr Index planes_per_slab = 128;  ///< what neighbouring tiles share stays in the last level

/// Part of an axis; open-ended at the patch's own ends.
struct Range {
  Index lower, upper;
  bool first, last;
};

/// Rows of the middle axis, planes of the slowest.
struct Tile {
  Range rows, planes;
};

/// What all tiles together update.
Box owned_of(const PassTask& task) {
  Box owned;
  for (const auto& info : task.versions) owned = hull(owned, info.owned);
  return owned;
}

/// One thread's windows and the tiles it runs.
class TileRunner {
 public:
  TileRunner(const PassTask& task, const PassLags& lags, std::vector<Window>& windows, Index rows,
             bool streaming)
      : task_(task),
        lags_(lags),
        windows_(windows),
        streaming_(streaming),
        partials_(task.steps.size()) {
    for (std::size_t s = 0; s < task.steps.size(); ++s) {
      partials_[s].kind = task.steps[s].sweep.stage->reduction;
    }
    windows_.resize(task.versions.size());
    for (std::size_t v = 0; v < task.versions.size(); ++v) {
      if (!lags.has_window(static_cast<int>(v))) continue;
      const WindowShape shape = window_shape(task, lags, static_cast<int>(v), rows);
      if (windows_[v].shape() != shape) windows_[v] = Window(shape);
    }
  }

  static WindowShape window_shape(const PassTask& task, const PassLags& lags, int v, Index rows) {
    const auto& info = task.versions[static_cast<std::size_t>(v)];
    const auto p = static_cast<std::size_t>(lags.producer(v));
    const auto& step = task.steps[p];
    const int fast = lags.fast(), middle = lags.middle();
    const Extents& ghosts = lags.ghosts(v);
    WindowShape shape;
    shape.type = info.type;
    shape.components = info.components;
    shape.order = step.sweep.order;
    shape.low = std::min(step.sweep.box.lower[fast], -ghosts.low[fast]);
    shape.high = std::max(step.sweep.box.upper[fast], info.owned.upper[fast] + ghosts.high[fast]);
    // Beyond the tile lie rows for later steps or, at the patch's ends, all that the step computes;
    // then ghosts; and a row into which packs may stick out.
    const Reach b = lags.beyond(p, middle);
    const Box owned = owned_of(task);
    shape.rows = rows + std::max(b.low, owned.lower[middle] - step.sweep.box.lower[middle]) +
                 std::max(b.high, step.sweep.box.upper[middle] - owned.upper[middle]) +
                 ghosts.low[middle] + ghosts.high[middle] + 1;
    shape.planes = round_up(lags.planes(v), 2);
    shape.skew = v % 8 * 512;
    return shape;
  }

  void run(const Tile& tile) {
    const int slow = lags_.slow();
    Index begin = std::numeric_limits<Index>::max(), end = std::numeric_limits<Index>::min();
    ranges_.clear();
    for (std::size_t s = 0; s < task_.steps.size(); ++s) {
      ranges_.push_back({range_of(s, lags_.middle(), tile.rows), range_of(s, slow, tile.planes)});
      begin = std::min(begin, ranges_[s].planes.lower + lags_.lag(s));
      end = std::max(end, ranges_[s].planes.upper + lags_.lag(s));
    }
    Index row_calls = 0;
    for (std::size_t v = 0; v < windows_.size(); ++v) {
      if (!lags_.has_window(static_cast<int>(v))) continue;
      const auto p = static_cast<std::size_t>(lags_.producer(static_cast<int>(v)));
      const Index ghosts = lags_.ghosts(static_cast<int>(v)).low[lags_.middle()];
      windows_[v].set_first_row(ranges_[p].rows.lower - ghosts);
    }
    for (std::size_t s = 0; s < task_.steps.size(); ++s) {
      row_calls += std::max<Index>(0, ranges_[s].rows.upper - ranges_[s].rows.lower);
    }
    for (Index front = begin; front < end; front += planes_per_round) {
      fetch_next(front, row_calls);
      for (std::size_t s = 0; s < task_.steps.size(); ++s) round(s, tile, front);
    }
  }

  /// What its tiles have reduced.
  void add_partials() const {
    for (std::size_t s = 0; s < task_.steps.size(); ++s) {
      if (Reducer* const all = task_.steps[s].sweep.reducer) all->merge(partials_[s]);
    }
  }

 private:
  struct Ranges {
    Range rows, planes;  ///< first, last: at the ends of the step's box
  };

  /// What a step updates for a tile along one axis.
  Range range_of(std::size_t s, int axis, const Range& tile) const {
    const Box& box = task_.steps[s].sweep.box;
    const Reach b = lags_.beyond(s, axis);
    Range range;
    range.lower = tile.first ? box.lower[axis] : std::max(box.lower[axis], tile.lower - b.low);
    range.upper = tile.last ? box.upper[axis] : std::min(box.upper[axis], tile.upper + b.high);
    range.first = range.lower == box.lower[axis];
    range.last = range.upper == box.upper[axis];
    return range;
  }

  /// Starts fetching the planes of held values that the next round will read first, spread over the
  /// rows of this round.
  void fetch_next(Index front, Index row_calls) {
    fetchers_.clear();
    constexpr Index line = 64;
    for (std::size_t v = 0; v < task_.versions.size(); ++v) {
      const auto& info = task_.versions[v];
      if (!info.held) continue;
      for (std::size_t s = 0; s < task_.steps.size(); ++s) {
        const auto& reads = task_.steps[s].reads;
        if (std::find(reads.begin(), reads.end(), static_cast<int>(v)) == reads.end()) continue;
        const int slow = lags_.slow(), middle = lags_.middle(), fast = lags_.fast();
        const Reach high = lags_.reach(s, static_cast<int>(v), slow);
        const Reach rows = lags_.reach(s, static_cast<int>(v), middle);
        const auto size = static_cast<Index>(size_of(info.type));
        const Box& box = task_.steps[s].sweep.box;
        const Index lines = (box.extent(fast) * size + line - 1) / line;
        for (Index n = 0; n < planes_per_round; ++n) {
          const Index plane = front - lags_.lag(s) + planes_per_round + high.high + n;
          if (plane < ranges_[s].planes.lower || plane >= ranges_[s].planes.upper + high.high) {
            continue;
          }
          const Index first = ranges_[s].rows.lower - rows.low;
          const Index count = ranges_[s].rows.upper + rows.high - first;
          const auto& stride = info.memory.stride;
          const std::byte* row =
              info.memory.read +
              size * (plane * stride[slow] + first * stride[middle] + box.lower[fast]);
          const Index per_call = (count * lines + row_calls - 1) / std::max<Index>(row_calls, 1);
          fetchers_.emplace_back(row, size * stride[middle], count, lines,
                                 per_call * planes_per_round);
        }
        break;  // the first reader brings it in
      }
    }
  }

  FieldBinding where(int v, Index lowest_plane) const {
    return lags_.has_window(v) ? windows_[static_cast<std::size_t>(v)].bind(lowest_plane)
                               : task_.versions[static_cast<std::size_t>(v)].memory;
  }

  void round(std::size_t s, const Tile& tile, Index front) {
    const PassTask::Step& step = task_.steps[s];
    const int slow = lags_.slow(), middle = lags_.middle();
    Box box = step.sweep.box;
    box.lower[slow] = std::max(ranges_[s].planes.lower, front - lags_.lag(s));
    box.upper[slow] = std::min(ranges_[s].planes.upper, front - lags_.lag(s) + planes_per_round);
    box.lower[middle] = ranges_[s].rows.lower;
    box.upper[middle] = ranges_[s].rows.upper;
    if (box.empty()) return;
    if (step.sweep.stage->samples) return take(step, box);

    SweepCall call = make_call(step.sweep);
    fields_ = step.sweep.fields;
    const bool is_whole = step.sweep.stage->covers_everything();
    bool all_kept = true, none_kept = true;
    for (std::size_t a = 0; a < fields_.size(); ++a) {
      const int from = step.reads[a], to = step.writes[a];
      const Box clip = fields_[a].clip;
      if (to >= 0) {
        fields_[a] = where(to, box.lower[slow]);
        fields_[a].clip = clip;
        const int before = step.keeps[a];
        Box kept =
            is_whole || before < 0 ? clip : task_.versions[static_cast<std::size_t>(before)].cells;
        if (lags_.has_window(to)) {
          all_kept = false;
        } else {
          none_kept = false;
          fields_[a].clip = own_part(clip, tile);
          kept = own_part(kept, tile);
        }
        if (before >= 0) copy(before, to, box, intersection(box, kept));
      } else if (from >= 0) {
        fields_[a] = where(from, box.lower[slow] - lags_.reach(s, from, slow).low);
      }
    }
    const SweepKernels& kernels = step.sweep.stage->kernels;
    if (step.mask >= 0) mask_ = where(step.mask, box.lower[slow]);
    if (step.mask >= 0) call.mask = &mask_;
    if (call.reducer) call.reducer = &partials_[s];
    call.streaming = streaming_ && all_kept;
    call.fetcher = fetchers_.empty() ? nullptr : &fetchers_.back();
    for (const Box& part : step.parts) {
      call.box = call.tile = intersection(box, part);
      if (call.box.empty()) continue;
      if (none_kept && is_whole && !call.reducer) widen(call, step, kernels.pack_width);
      call.fields = fields_.data();
      kernels.in_cache(call);
    }
    if (fetchers_.size() > 1 && fetchers_.back().done()) fetchers_.pop_back();
    for (std::size_t f = 0; f < step.fills.size(); ++f) fill(s, f, box);
    for (int v : step.writes) {
      if (v >= 0 && lags_.has_window(v) && task_.versions[static_cast<std::size_t>(v)].kept) {
        keep(v, tile, box);
      }
    }
  }

  /// Whole packs at the ends of rows, for which windows have room: what they hold beyond the box is
  /// overwritten by ghosts or never read.
  void widen(SweepCall& call, const PassTask::Step& step, int width) {
    const int fast = lags_.fast();
    call.box.lower[fast] = round_down(call.box.lower[fast], width);
    call.box.upper[fast] = round_up(call.box.upper[fast], width);
    for (std::size_t a = 0; a < fields_.size(); ++a) {
      if (step.writes[a] < 0) continue;
      fields_[a].clip.lower[fast] = call.box.lower[fast];
      fields_[a].clip.upper[fast] = call.box.upper[fast];
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

  /// Sampled values among these.
  void take(const PassTask::Step& step, const Box& box) {
    for (const auto& [v, component, take] : step.takes) {
      CopyTask copy = take;
      copy.source_box = intersection(take.source_box, box);
      if (copy.source_box.empty()) continue;
      copy.target_box = shifted(copy.source_box, take.target_box.lower - take.source_box.lower);
      copy.source = where(v, box.lower[lags_.slow()]);
      copy.source.read +=
          static_cast<Index>(size_of(copy.type)) * component * copy.source.component_stride;
      host::run_copy(copy);
    }
  }

  /// What is written starts from values of another version.
  void copy(int from, int to, const Box& planes, const Box& box) {
    if (box.empty()) return;
    copy_box(where(from, planes.lower[lags_.slow()]), where(to, planes.lower[lags_.slow()]), to,
             box);
  }

  /// The cells of a box that no neighbouring tile stores too.
  Box own_part(Box box, const Tile& tile) const {
    for (const auto& [axis, range] :
         {std::pair(lags_.middle(), tile.rows), std::pair(lags_.slow(), tile.planes)}) {
      if (!range.first) box.lower[axis] = std::max(box.lower[axis], range.lower);
      if (!range.last) box.upper[axis] = std::min(box.upper[axis], range.upper);
    }
    return box;
  }

  void keep(int v, const Tile& tile, Box box) {
    box = own_part(box, tile);
    const auto& info = task_.versions[static_cast<std::size_t>(v)];
    box = intersection(box, extended(info.owned, info.need));
    if (!box.empty()) copy_box(where(v, box.lower[lags_.slow()]), info.memory, v, box);
  }

  /// Ghost cells of windows that the planes just computed make possible. Those in memory are for
  /// later passes and made when all tiles are done.
  void fill(std::size_t s, std::size_t f, const Box& done) {
    const PassTask::Step& step = task_.steps[s];
    const int v = step.fill_version[f];
    if (!lags_.has_window(v)) return;
    FillTask fill = part_that_is_read(step.fills[f], v);
    const int slow = lags_.slow(), middle = lags_.middle();
    // Along the middle axis: walls that this tile touches, rows that it has computed.
    if (fill.axis == middle) {
      if (fill.side == Side::low ? !ranges_[s].rows.first : !ranges_[s].rows.last) return;
    } else {
      if (!ranges_[s].rows.first) {
        fill.box.lower[middle] = std::max(fill.box.lower[middle], done.lower[middle]);
      }
      if (!ranges_[s].rows.last) {
        fill.box.upper[middle] = std::min(fill.box.upper[middle], done.upper[middle]);
      }
    }
    const int component = step.fill_component[f];
    if (fill.axis == slow) {
      const Index beyond_mirror = 2 * fill.box.lower[slow] - fill.box.upper[slow] - 1;
      const Part ghosts = ghost_planes(s, fill, done);
      const Index lowest = fill.side == Side::low ? ghosts.begin : beyond_mirror;
      return fill_planes(fill, v, component, ghosts, lowest);
    }
    fill_planes(fill, v, component, {done.lower[slow], done.upper[slow]}, done.lower[slow]);
    // Axes are filled in order x, y, z: a later one includes the ghosts that earlier ones have
    // made.
    for (std::size_t g = 0; g < f; ++g) {
      const FillTask earlier = part_that_is_read(step.fills[g], v);
      if (earlier.axis != slow || step.fill_version[g] != v ||
          step.fill_component[g] != component) {
        continue;
      }
      const Part ghosts = ghost_planes(s, earlier, done);
      fill_planes(fill, v, component, ghosts, ghosts.begin);
    }
  }

  /// Deeper ghosts would mirror rows that the tile does not compute.
  FillTask part_that_is_read(FillTask fill, int v) const {
    const Box& owned = task_.versions[static_cast<std::size_t>(v)].owned;
    fill.box = intersection(fill.box, extended(owned, lags_.ghosts(v)));
    return fill;
  }

  /// Ghost planes, and the wall plane of faces, whose mirror images are among the new planes; on
  /// the high side all of them once the last plane is there.
  Part ghost_planes(std::size_t s, const FillTask& fill, const Box& done) const {
    const int slow = lags_.slow();
    const Part all{fill.box.lower[slow], fill.box.upper[slow]};
    if (fill.side == Side::high) {
      return done.upper[slow] == task_.steps[s].sweep.box.upper[slow] ? all : Part{0, 0};
    }
    Part made{all.end, all.begin};
    for (Index g = all.begin; g < all.end; ++g) {
      const Index source = mirrored(g, fill.cells, fill.staggered);
      if (source < done.lower[slow] || source >= done.upper[slow]) continue;
      made.begin = std::min(made.begin, g);
      made.end = std::max(made.end, g + 1);
    }
    return made;
  }

  /// The part of a fill that lies in these planes; it touches none below `lowest`.
  void fill_planes(FillTask fill, int v, int component, const Part& planes, Index lowest) const {
    const int slow = lags_.slow();
    fill.box.lower[slow] = std::max(fill.box.lower[slow], planes.begin);
    fill.box.upper[slow] = std::min(fill.box.upper[slow], planes.end);
    if (fill.box.empty()) return;
    fill.field = where(v, lowest);
    const auto offset =
        static_cast<Index>(size_of(fill.type)) * component * fill.field.component_stride;
    fill.field.read += offset;
    fill.field.write += offset;
    host::run_fill(fill);
  }

  const PassTask& task_;
  const PassLags& lags_;
  std::vector<Window>& windows_;
  bool streaming_;
  std::vector<Ranges> ranges_;
  std::vector<RowFetcher> fetchers_;
  std::vector<FieldBinding> fields_;
  FieldBinding mask_;
  std::vector<Reducer> partials_;  ///< per step
};

/// Bytes of cache that a tile of this many rows takes: its windows, and the planes of held values
/// that it reads now and next.
double tile_bytes(const PassTask& task, const PassLags& lags, Index rows) {
  double bytes = 0;
  for (std::size_t v = 0; v < task.versions.size(); ++v) {
    const auto& info = task.versions[v];
    if (lags.has_window(static_cast<int>(v))) {
      const WindowShape shape = TileRunner::window_shape(task, lags, static_cast<int>(v), rows);
      bytes += static_cast<double>(Window::bytes_per_row(shape) * shape.rows);
      continue;
    }
    if (!info.held) continue;
    Index planes = 0, beyond = 0;
    for (std::size_t s = 0; s < task.steps.size(); ++s) {
      const Reach slow = lags.reach(s, static_cast<int>(v), lags.slow());
      const Reach middle = lags.reach(s, static_cast<int>(v), lags.middle());
      planes = std::max(planes, slow.low + slow.high + 2 * planes_per_round);
      beyond = std::max(beyond, lags.beyond(s, lags.middle()).low + middle.low);
    }
    bytes += static_cast<double>(info.owned.extent(lags.fast()) * info.components * planes *
                                 (rows + 2 * beyond)) *
             static_cast<double>(size_of(info.type));
  }
  return bytes;
}

/// What a tile may take: not all that tile_bytes counts is in use at once.
double cache_for_tiles() {
  const long second_level = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return 1.15 * static_cast<double>(second_level > 0 ? second_level : 1 << 20);
}

/// Rows of a tile that fits the cache; as many tiles for every thread, all nearly equal.
Index tile_rows(const PassTask& task, const PassLags& lags, Index rows, int threads) {
  constexpr Index least = 12;
  const double cache = cache_for_tiles();
  Index fitting = rows;
  while (fitting > least && tile_bytes(task, lags, fitting) > cache) --fitting;
  const Index tiles = round_up(std::max<Index>(1, (rows + fitting - 1) / fitting), threads);
  return std::max<Index>(1, (rows + tiles - 1) / tiles);
}

/// Part `i` of [low, high) in steps of `size`.
Range part_of(Index low, Index high, Index size, Index i) {
  Range range;
  range.lower = low + i * size;
  range.upper = std::min(range.lower + size, high);
  range.first = i == 0;
  range.last = range.upper == high;
  return range;
}

/// Ghost cells in memory, for what comes after the pass.
void fill_kept(const PassTask& task) {
  for (const auto& step : task.steps) {
    for (std::size_t f = 0; f < step.fills.size(); ++f) {
      const auto& info = task.versions[static_cast<std::size_t>(step.fill_version[f])];
      if (!info.kept) continue;
      FillTask fill = step.fills[f];
      fill.field = info.memory;
      const auto offset = static_cast<Index>(size_of(fill.type)) * step.fill_component[f] *
                          fill.field.component_stride;
      fill.field.read += offset;
      fill.field.write += offset;
      host::run_fill(fill);
    }
  }
}

}  // namespace

void run_pass(const PassTask& task, ThreadTeam& team, PassWindows& windows, bool streaming_stores) {
  const PassLags lags(task);
  const Box owned = owned_of(task);
  const int middle = lags.middle(), slow = lags.slow();
  const Index rows = tile_rows(task, lags, owned.extent(middle), team.size());
  const Index tiles = (owned.extent(middle) + rows - 1) / rows;
  const Index slabs = std::max<Index>(1, owned.extent(slow) / planes_per_slab);
  const Index planes = (owned.extent(slow) + slabs - 1) / slabs;
  windows.resize(static_cast<std::size_t>(team.size()));
  std::mutex reducing;
  team.run([&](int thread) {
    const Part mine = split_evenly(tiles, team.size(), thread);
    if (mine.begin >= mine.end) return;
    TileRunner runner(task, lags, windows[static_cast<std::size_t>(thread)], rows,
                      streaming_stores);
    for (Index slab = 0; slab * planes < owned.extent(slow); ++slab) {
      const Range part = part_of(owned.lower[slow], owned.upper[slow], planes, slab);
      for (Index t = mine.begin; t < mine.end; ++t) {
        runner.run({part_of(owned.lower[middle], owned.upper[middle], rows, t), part});
      }
    }
    const std::lock_guard lock(reducing);
    runner.add_partials();
  });
  fill_kept(task);
}

}  // namespace goban::cpu
