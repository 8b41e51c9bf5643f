#include "goban/backend/cpu/pass.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "goban/backend/cpu/pass_lags.hpp"
#include "goban/backend/cpu/pass_tiles.hpp"
#include "goban/backend/cpu/tiles.hpp"
#include "goban/backend/host/fill.hpp"
#include "goban/backend/sweep_call.hpp"

namespace goban::cpu {
namespace {

/// Computes tiles with one thread.
class TileRunner {
 public:
  TileRunner(const PassTask& task, const PassLags& lags)
      : task_(task), lags_(lags), steps_(task.steps.size()) {
    for (std::size_t s = 0; s < task.steps.size(); ++s) prepare(s);
    find_streams();
  }
  TileRunner(const TileRunner&) = delete;
  TileRunner& operator=(const TileRunner&) = delete;

  void run(const TileWork& work) {
    const Tile& tile = work.tile;
    Index begin = std::numeric_limits<Index>::max(), end = std::numeric_limits<Index>::min();
    ranges_.clear();
    cells_of_round_ = 0;
    for (std::size_t s = 0; s < task_.steps.size(); ++s) {
      ranges_.push_back({range_of(task_, lags_, s, lags_.middle(), tile.rows),
                         range_of(task_, lags_, s, lags_.slow(), tile.planes)});
      begin = std::min(begin, ranges_[s].planes.lower + lags_.lag(s));
      end = std::max(end, ranges_[s].planes.upper + lags_.lag(s));
      cells_of_round_ += std::max<Index>(0, ranges_[s].rows.upper - ranges_[s].rows.lower) *
                         lags_.planes_per_round() * task_.steps[s].sweep.box.extent(lags_.fast());
    }
    const Part section = split_evenly(end - begin, static_cast<int>(work.sections),
                                      static_cast<int>(work.section), lags_.planes_per_round());
    end = begin + section.end;
    for (Index front = begin + section.begin; front < end; front += lags_.planes_per_round()) {
      fetch_next(front);
      for (std::size_t s = 0; s < task_.steps.size(); ++s) round(s, front);
    }
  }

  /// Adds the partial reductions of its tiles to those of the task.
  void add_partials() const {
    for (std::size_t s = 0; s < task_.steps.size(); ++s) {
      if (Reducer* const all = task_.steps[s].sweep.reducer) all->merge(steps_[s].partial);
    }
  }

 private:
  struct Ranges {
    Range rows, planes;
  };

  /// What stays the same for a step in all rounds.
  struct Step {
    const StageKernel* kernel = nullptr;
    std::optional<StageRun> run;
    SweepCall call;
    std::vector<FieldBinding> fields;
    FieldBinding mask;
    std::vector<Box> parts;
    std::vector<FillTask> fills;
    Reducer partial;
  };

  const PassTask::VersionInfo& version(int v) const {
    return task_.versions[static_cast<std::size_t>(v)];
  }

  /// A memory that the tile walks through, and which of its planes comes into use, ahead of the
  /// front.
  struct Stream {
    const PassTask::VersionInfo* info = nullptr;
    Index ahead = std::numeric_limits<Index>::min();
    Reach rows;  ///< rows read beyond those that are updated
  };
  void find_streams() {
    const auto note = [&](std::size_t s, int v, const Reach& planes, const Reach& rows) {
      Stream& stream = streams_[lags_.memory(v)];
      stream.info = &version(v);
      stream.ahead = std::max(stream.ahead, planes.high - lags_.lag(s));
      stream.rows.low = std::max(stream.rows.low, rows.low);
      stream.rows.high = std::max(stream.rows.high, rows.high);
    };
    for (std::size_t s = 0; s < task_.steps.size(); ++s) {
      for (const int v : lags_.used_by(s)) {
        note(s, v, lags_.reach(s, v, lags_.slow()), lags_.reach(s, v, lags_.middle()));
      }
      for (const int v : task_.steps[s].writes) {
        if (v >= 0) note(s, v, {}, {});
      }
    }
  }

  /// Starts to fetch the planes that come into use in the next round, spread over the rows of this
  /// round.
  void fetch_next(Index front) {
    fetcher_.start(cells_of_round_);
    constexpr Index line = 64;
    const int slow = lags_.slow(), middle = lags_.middle(), fast = lags_.fast();
    Part rows_updated{std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()};
    Part planes_updated = rows_updated;
    for (const auto& [rows, planes] : ranges_) {
      rows_updated = {std::min(rows_updated.begin, rows.lower),
                      std::max(rows_updated.end, rows.upper)};
      planes_updated = {std::min(planes_updated.begin, planes.lower),
                        std::max(planes_updated.end, planes.upper)};
    }
    for (const auto& [memory, stream] : streams_) {
      const auto& info = *stream.info;
      const auto size = static_cast<Index>(size_of(info.type));
      const Box& cells = info.allocated;
      const Index lines = (info.owned.extent(fast) * size + line - 1) / line;
      const Index low = std::max(rows_updated.begin - stream.rows.low, cells.lower[middle]);
      const Index rows = std::min(rows_updated.end + stream.rows.high, cells.upper[middle]) - low;
      for (Index n = 0; n < lags_.planes_per_round(); ++n) {
        const Index plane = front + lags_.planes_per_round() + stream.ahead + n;
        if (plane < planes_updated.begin || plane >= planes_updated.end) continue;
        const auto& stride = info.memory.stride;
        for (int c = 0; c < info.components; ++c) {
          const std::byte* row =
              info.memory.read + size * (plane * stride[slow] + low * stride[middle] +
                                         c * info.memory.component_stride + info.owned.lower[fast]);
          fetcher_.add(row, size * stride[middle], rows, lines);
        }
      }
    }
  }

  void round(std::size_t s, Index front) {
    const PassTask::Step& step = task_.steps[s];
    const int slow = lags_.slow(), middle = lags_.middle(), fast = lags_.fast();
    Box box = step.sweep.box;
    box.lower[slow] = std::max(ranges_[s].planes.lower, front - lags_.lag(s));
    box.upper[slow] =
        std::min(ranges_[s].planes.upper, front - lags_.lag(s) + lags_.planes_per_round());
    box.lower[middle] = ranges_[s].rows.lower;
    box.upper[middle] = ranges_[s].rows.upper;
    if (box.empty()) return;
    if (step.sweep.stage->samples) return take(step, box);

    SweepCall& call = steps_[s].call;
    Box rows = box;
    for (const Box& part : steps_[s].parts) {
      rows.lower[fast] = part.lower[fast];
      rows.upper[fast] = part.upper[fast];
      call.box = call.tile = intersection(rows, part);
      if (!call.box.empty()) (*steps_[s].run)(call);
    }
    for (std::size_t f = 0; f < steps_[s].fills.size(); ++f) fill(s, f, box);
  }

  void prepare(std::size_t s) {
    const PassTask::Step& step = task_.steps[s];
    Step& mine = steps_[s];
    if (!step.sweep.stage->samples) mine.kernel = &kernel_of(step.sweep.stage);
    mine.call = make_call(step.sweep);
    mine.fields = step.sweep.fields;
    for (std::size_t a = 0; a < mine.fields.size(); ++a) {
      const int v = step.writes[a] >= 0 ? step.writes[a] : step.reads[a];
      if (v < 0) continue;
      const Box clip = mine.fields[a].clip;
      mine.fields[a] = version(v).memory;
      mine.fields[a].clip = clip;
    }
    mine.call.fields = mine.fields.data();
    mine.call.fetcher = &fetcher_;
    if (step.mask >= 0) mine.mask = version(step.mask).memory;
    if (step.mask >= 0) mine.call.mask = &mine.mask;
    mine.partial.kind = step.sweep.stage->reduction;
    if (mine.call.reducer) mine.call.reducer = &mine.partial;
    for (const Box& part : step.parts) mine.parts.push_back(widened(s, part));
    if (mine.kernel) mine.run.emplace(*mine.kernel, mine.call, true);
    // Deeper ghosts than are read would mirror rows that the tile does not compute.
    mine.fills = step.fills;
    for (std::size_t f = 0; f < step.fills.size(); ++f) {
      const int v = step.fill_version[f];
      mine.fills[f].box =
          intersection(mine.fills[f].box, extended(version(v).owned, lags_.ghosts(v)));
    }
  }

  /// Widens a box to whole packs at the ends of rows in the halo, if nobody reads what stood there,
  /// and if packs end in the padding between rows.
  Box widened(std::size_t s, Box part) {
    const PassTask::Step& step = task_.steps[s];
    if (!steps_[s].kernel) return part;
    const int fast = lags_.fast(), width = steps_[s].kernel->shape().width;
    if (!step.sweep.stage->covers_everything() || step.sweep.reducer) return part;
    const Index low = round_down(part.lower[fast], width);
    const Index high = round_up(part.upper[fast], width);
    bool is_low = true, is_high = true;
    for (const int v : step.writes) {
      if (v < 0) continue;
      const auto& info = version(v);
      const Index pitch = info.memory.stride[static_cast<std::size_t>(lags_.middle())];
      is_low = is_low && part.lower[fast] < info.owned.lower[fast] &&
               low >= info.allocated.upper[fast] - pitch;
      is_high = is_high && part.upper[fast] > info.owned.upper[fast] &&
                high <= info.allocated.lower[fast] + pitch;
    }
    if (is_low) part.lower[fast] = low;
    if (is_high) part.upper[fast] = high;
    for (std::size_t a = 0; a < step.writes.size(); ++a) {
      if (step.writes[a] < 0) continue;
      Box& clip = steps_[s].fields[a].clip;
      clip.lower[fast] = std::min(clip.lower[fast], part.lower[fast]);
      clip.upper[fast] = std::max(clip.upper[fast], part.upper[fast]);
    }
    return part;
  }

  /// Copies sampled values among these cells.
  void take(const PassTask::Step& step, const Box& box) const {
    for (const auto& [v, component, take] : step.takes) {
      CopyTask copy = take;
      copy.source_box = intersection(take.source_box, box);
      if (copy.source_box.empty()) continue;
      copy.target_box = shifted(copy.source_box, take.target_box.lower - take.source_box.lower);
      copy.source = version(v).memory;
      copy.source.read +=
          static_cast<Index>(size_of(copy.type)) * component * copy.source.component_stride;
      host::run_copy(copy);
    }
  }

  /// Fills those ghost cells that can be filled now that these planes are computed, as far as the
  /// pass reads them.
  void fill(std::size_t s, std::size_t f, const Box& done) {
    FillTask& fill = steps_[s].fills[f];
    const int slow = lags_.slow(), middle = lags_.middle();
    Box box = fill.box;
    // Along the middle axis: walls that this tile touches, rows that it has computed.
    if (fill.axis == middle) {
      if (fill.side == Side::low ? !ranges_[s].rows.first : !ranges_[s].rows.last) return;
    } else {
      if (!ranges_[s].rows.first)
        box.lower[middle] = std::max(box.lower[middle], done.lower[middle]);
      if (!ranges_[s].rows.last)
        box.upper[middle] = std::min(box.upper[middle], done.upper[middle]);
    }
    if (fill.axis == slow) return fill_planes(fill, box, ghost_planes(s, fill, done));
    fill_planes(fill, box, {done.lower[slow], done.upper[slow]});
    // Axes are filled in order x, y, z: a later one includes the ghosts that earlier ones have
    // made.
    const PassTask::Step& step = task_.steps[s];
    for (std::size_t g = 0; g < f; ++g) {
      if (step.fills[g].axis != slow || step.fill_version[g] != step.fill_version[f] ||
          step.fill_component[g] != step.fill_component[f]) {
        continue;
      }
      fill_planes(fill, box, ghost_planes(s, steps_[s].fills[g], done));
    }
  }

  /// Returns the ghost planes, and the wall plane of faces, whose mirror images are among the new
  /// planes; on the high side all of them once the last plane is there.
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

  /// Fills the part of a box that lies in these planes.
  void fill_planes(FillTask& fill, Box box, const Part& planes) {
    const int slow = lags_.slow();
    box.lower[slow] = std::max(box.lower[slow], planes.begin);
    box.upper[slow] = std::min(box.upper[slow], planes.end);
    if (box.empty()) return;
    std::swap(fill.box, box);
    host::run_fill(fill);
    std::swap(fill.box, box);
  }

  const PassTask& task_;
  const PassLags& lags_;
  std::map<const std::byte*, Stream> streams_;
  std::vector<Ranges> ranges_;
  Index cells_of_round_ = 0;  ///< cells that all steps update in a round
  LineFetcher fetcher_;
  std::vector<Step> steps_;
};

/// Hands out work in its order to threads, which wait for the work that it comes after. Slow
/// threads take less.
class WorkQueue {
 public:
  explicit WorkQueue(std::vector<TileWork> work) : work_(std::move(work)), done_(work_.size()) {}

  void take_all(TileRunner& runner) {
    for (std::size_t n = next_++; n < work_.size(); n = next_++) {
      for (const std::size_t before : work_[n].after) wait_while(done_[before], 0);
      try {
        runner.run(work_[n]);
      } catch (...) {  // nobody shall wait for it
        finish(n);
        throw;
      }
      finish(n);
    }
  }

 private:
  void finish(std::size_t n) {
    // Not a release: it could become visible after notify_all() has looked for sleepers and found
    // none, while one falls asleep that has not seen it.
    done_[n].store(1, std::memory_order_seq_cst);
    done_[n].notify_all();
  }

  std::vector<TileWork> work_;
  std::vector<std::atomic<std::uint32_t>> done_;
  std::atomic<std::size_t> next_ = 0;
};

/// Returns the bytes of a core's own cache that tiles may use.
double cache_for_tiles() {
  const long second_level = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return static_cast<double>(second_level > 0 ? second_level : 1 << 20);
}

/// Fills the ghost cells of versions that are kept, for work after the pass.
void fill_kept(const PassTask& task, ThreadTeam& team) {
  for (const auto& step : task.steps) {
    for (std::size_t f = 0; f < step.fills.size(); ++f) {
      if (!task.versions[static_cast<std::size_t>(step.fill_version[f])].kept) continue;
      team.run([&](int thread) {
        FillTask fill = step.fills[f];
        fill.box = fill_part(fill, team.size(), thread);
        if (!fill.box.empty()) host::run_fill(fill);
      });
    }
  }
}

}  // namespace

void run_pass(const PassTask& task, ThreadTeam& team) {
  const PassLags lags(task);
  WorkQueue queue(cut_pass(task, lags, team.size(), cache_for_tiles()));
  std::mutex reducing;
  team.run([&](int) {
    TileRunner runner(task, lags);
    queue.take_all(runner);
    const std::lock_guard lock(reducing);
    runner.add_partials();
  });
  fill_kept(task, team);
}

}  // namespace goban::cpu
