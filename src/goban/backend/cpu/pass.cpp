#include "goban/backend/cpu/pass.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <mutex>

#include "goban/backend/cpu/pass_lags.hpp"
#include "goban/backend/cpu/pass_tiles.hpp"
#include "goban/backend/cpu/tiles.hpp"
#include "goban/backend/host/fill.hpp"
#include "goban/backend/sweep_call.hpp"

namespace goban::cpu {
namespace {

/// One thread's way through tiles.
class TileRunner {
 public:
  TileRunner(const PassTask& task, const PassLags& lags)
      : task_(task), lags_(lags), steps_(task.steps.size()) {
    for (std::size_t s = 0; s < task.steps.size(); ++s) prepare(s);
  }
  TileRunner(const TileRunner&) = delete;
  TileRunner& operator=(const TileRunner&) = delete;

  /// `before` and `after` are told the number of every round.
  template <class Before, class After>
  void run(const Tile& tile, Before&& before, After&& after) {
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
    plan_fetching(tile);
    std::uint32_t number = 0;
    for (Index front = begin; front < end; front += lags_.planes_per_round(), ++number) {
      start_fetching(front);
      before(number);
      for (std::size_t s = 0; s < task_.steps.size(); ++s) round(s, front);
      after(number);
    }
  }

  /// What its tiles have reduced.
  void add_partials() const {
    for (std::size_t s = 0; s < task_.steps.size(); ++s) {
      if (Reducer* const all = task_.steps[s].sweep.reducer) all->merge(steps_[s].partial);
    }
  }

 private:
  struct Ranges {
    Range rows, planes;
  };

  /// What is the same in all rounds.
  struct Step {
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

  /// Rows to be fetched in every round, of planes so far ahead of the front.
  struct Fetched {
    const PassTask::VersionInfo* info;
    Index ahead;
    Part rows;
  };

  /// During every step what the next one is the first to need, and a share of the planes that come
  /// into use in the next round. Rows that the tile before makes and this one, which leans towards
  /// it, comes to with later steps are fetched when they are made: before, the other core would
  /// have to claim them back.
  void plan_fetching(const Tile& tile) {
    struct Stream {
      Fetched next{nullptr,
                   std::numeric_limits<Index>::min(),
                   {std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()}};
      Index lowest = 0;  ///< row that is needed so far
    };
    const bool follows =
        tile.rows.lower.kind == TileEdge::Kind::high && tile.rows.upper.kind != TileEdge::Kind::low;
    std::map<const std::byte*, Stream> streams;
    std::vector<std::vector<Fetched>> of_step(steps_.size());
    const auto need = [&](std::size_t s, int v, const Reach& planes, const Reach& rows) {
      Stream& stream = streams[lags_.memory(v)];
      Fetched& next = stream.next;
      const Part part{ranges_[s].rows.lower - rows.low, ranges_[s].rows.upper + rows.high};
      if (next.info == nullptr || s == 0 || !follows) {
        next.rows.begin = stream.lowest = std::min(next.rows.begin, part.begin);
      }
      next.info = &version(v);
      next.rows.end = std::max(next.rows.end, part.end);
      const Index ahead = planes.high - lags_.lag(s);
      next.ahead = std::max(next.ahead, ahead + lags_.planes_per_round());
      if (part.begin < stream.lowest) {
        of_step[s - 1].push_back({next.info, ahead, {part.begin, stream.lowest}});
        stream.lowest = part.begin;
      }
    };
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      for (const int v : lags_.used_by(s)) {
        need(s, v, lags_.reach(s, v, lags_.slow()), lags_.reach(s, v, lags_.middle()));
      }
      for (const int v : task_.steps[s].writes) {
        if (v >= 0) need(s, v, {}, {});
      }
    }
    fetched_.clear();
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      fetched_.insert(fetched_.end(), of_step[s].begin(), of_step[s].end());
      for (const auto& [memory, stream] : streams) {
        const auto& [info, ahead, rows] = stream.next;
        const Part share = split_evenly(rows.end - rows.begin, static_cast<int>(steps_.size()),
                                        static_cast<int>(s));
        fetched_.push_back({info, ahead, {rows.begin + share.begin, rows.begin + share.end}});
      }
    }
  }

  /// For the round to come, spread evenly over its cells.
  void start_fetching(Index front) {
    fetcher_.start(cells_of_round_);
    constexpr Index line = 64;
    const int slow = lags_.slow(), middle = lags_.middle(), fast = lags_.fast();
    for (const auto& [info, ahead, rows] : fetched_) {
      const auto size = static_cast<Index>(size_of(info->type));
      const Box& cells = info->allocated;
      const Index lines = (info->owned.extent(fast) * size + line - 1) / line;
      const Index low = std::max(rows.begin, cells.lower[middle]);
      const Index count = std::min(rows.end, cells.upper[middle]) - low;
      for (Index n = 0; n < lags_.planes_per_round(); ++n) {
        const Index plane = front + ahead + n;
        if (plane < cells.lower[slow] || plane >= cells.upper[slow]) continue;
        const auto& stride = info->memory.stride;
        for (int c = 0; c < info->components; ++c) {
          const Index at = plane * stride[slow] + low * stride[middle] +
                           c * info->memory.component_stride + info->owned.lower[fast];
          fetcher_.add(info->memory.read + size * at, size * stride[middle], count, lines);
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
      if (!call.box.empty()) step.sweep.stage->kernels.in_cache(call);
    }
    for (std::size_t f = 0; f < steps_[s].fills.size(); ++f) fill(s, f, box);
  }

  void prepare(std::size_t s) {
    const PassTask::Step& step = task_.steps[s];
    Step& mine = steps_[s];
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
    // Deeper ghosts than are read would mirror rows that the tile does not compute.
    mine.fills = step.fills;
    for (std::size_t f = 0; f < step.fills.size(); ++f) {
      const int v = step.fill_version[f];
      mine.fills[f].box =
          intersection(mine.fills[f].box, extended(version(v).owned, lags_.ghosts(v)));
    }
  }

  /// Whole packs at the ends of rows in the halo, which nobody reads any more where the step leaves
  /// it as it was; if they end in the pad between rows.
  Box widened(std::size_t s, Box part) {
    const PassTask::Step& step = task_.steps[s];
    const int fast = lags_.fast(), width = step.sweep.stage->kernels.pack_width;
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

  /// Sampled values among these.
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

  /// Ghost cells that the planes just computed make possible, as far as the pass reads them.
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

  /// The part of a box of a fill that lies in these planes.
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
  std::vector<Fetched> fetched_;
  std::vector<Ranges> ranges_;
  Index cells_of_round_ = 0;  ///< that all steps update
  LineFetcher fetcher_;
  std::vector<Step> steps_;
};

/// Tiles of a pass, which threads take in their order.
class TileQueue {
 public:
  explicit TileQueue(std::vector<TileWork> work) : work_(std::move(work)), rounds_(work_.size()) {}

  void take_all(TileRunner& runner) {
    for (std::size_t n = next_++; n < work_.size(); n = next_++) {
      const auto& [tile, follows, after] = work_[n];
      try {
        for (const std::size_t other : after) wait_for(other, all_rounds);
        runner.run(
            tile,
            [&](std::uint32_t round) {
              for (const std::size_t other : follows) wait_for(other, round + 1);
            },
            [&](std::uint32_t round) { reached(n, round + 1); });
      } catch (...) {  // nobody shall wait for it
        reached(n, all_rounds);
        throw;
      }
      reached(n, all_rounds);
    }
  }

 private:
  static constexpr auto all_rounds = std::numeric_limits<std::uint32_t>::max();
  struct alignas(128) Rounds {
    std::atomic<std::uint32_t> done = 0;
  };
  void wait_for(std::size_t n, std::uint32_t rounds) const {
    const auto& done = rounds_[n].done;
    for (std::uint32_t now = done; now < rounds; now = done) wait_while(done, now);
  }
  void reached(std::size_t n, std::uint32_t rounds) {
    rounds_[n].done.store(rounds, std::memory_order_release);
    rounds_[n].done.notify_all();
  }

  std::vector<TileWork> work_;
  std::vector<Rounds> rounds_;
  std::atomic<std::size_t> next_ = 0;
};

/// What tiles may take of a core's own cache, bytes.
double cache_for_tiles() {
  const long second_level = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return static_cast<double>(second_level > 0 ? second_level : 1 << 20);
}

/// Ghost cells of what is kept, for what comes after the pass.
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
  TileQueue queue(cut_pass(task, lags, team.size(), cache_for_tiles()));
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
