#include "goban/backend/cpu/tiles.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "goban/backend/cpu/row_ends.hpp"
#include "goban/backend/host/fill.hpp"

namespace goban::cpu {

double second_level_cache() {
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return static_cast<double>(bytes > 0 ? bytes : 1 << 20);
}

Index rows_per_tile(const Stage& stage, const Index3& cells, const std::array<int, 3>& order) {
  // Groups of planes are to find in the cache what the group before has read or fetched.
  const double cache = second_level_cache() / (stage.kernels.walks_groups ? 1 : 2);
  const auto slow = static_cast<std::size_t>(order[2]);
  std::set<std::tuple<int, int, int>> planes;  // argument, component, offset
  std::set<std::pair<int, int>> components;
  double bytes = 0;
  for (const Read& r : stage.footprint.reads) {
    if (planes.emplace(r.parameter, r.component, r.offset[slow]).second) {
      const auto& field = stage.arguments[static_cast<std::size_t>(r.parameter)].field;
      bytes += static_cast<double>(field->element_size());
      components.emplace(r.parameter, r.component);
    }
  }
  // Without reuse between planes there is nothing to keep.
  if (planes.size() == components.size()) return cells[order[1]];
  const double row = bytes * static_cast<double>(cells[order[0]]);
  return std::max<Index>(4, static_cast<Index>(cache / std::max(row, 1.0)));
}

double bytes_touched(const SweepTask& task) {
  double bytes = 0;
  for (const auto& argument : task.stage->arguments) {
    if (argument.field) {
      bytes += static_cast<double>(argument.field->element_size()) * argument.field->components;
    }
  }
  return bytes * static_cast<double>(task.box.volume());
}

Box thread_part(const Box& box, const std::array<int, 3>& order, int threads, int thread) {
  const bool slow_is_short =
      box.extent(order[2]) < 2 * threads && box.extent(order[1]) >= 2 * threads;
  const int axis = slow_is_short ? order[1] : order[2];
  const Part part = split_evenly(box.extent(axis), threads, thread);
  Box mine = box;
  mine.lower[axis] = box.lower[axis] + part.begin;
  mine.upper[axis] = box.lower[axis] + part.end;
  return mine;
}

SharedTiles::SharedTiles(const SweepTask& task, const std::vector<int>& nodes, Index rows_of_tile)
    : order_(task.order), grain_(task.stage->kernels.planes), share_of_(nodes.size(), 0) {
  constexpr Index wanted = 12;        // sections for each thread
  constexpr Index fewest_planes = 8;  // of a section: its first planes are read again
  constexpr Index fewest_rows = 48;   // of tiles that the cache does not make smaller
  constexpr Index fewest_cells = 1 << 15;
  for (std::size_t thread = 1; thread < nodes.size(); ++thread) {
    share_of_[thread] = share_of_[thread - 1] + (nodes[thread] != nodes[thread - 1] ? 1 : 0);
  }
  shares_ = std::vector<Share>(share_of_.back() + 1);
  const auto threads = static_cast<int>(nodes.size());
  for (int thread = 0; thread < threads; ++thread) {
    Share& share = shares_[share_of_[static_cast<std::size_t>(thread)]];
    share.box = hull(share.box, thread_part(task.box, order_, threads, thread));
    ++share.threads;
  }
  for (Share& share : shares_) {
    if (share.box.empty()) continue;
    const Index rows = share.box.extent(order_[1]), planes = share.box.extent(order_[2]);
    const Index pieces =
        std::clamp<Index>(share.box.volume() / fewest_cells, share.threads, wanted * share.threads);
    const Index sections = std::max<Index>(1, planes / fewest_planes);
    const Index fitting = (rows + rows_of_tile - 1) / rows_of_tile;
    share.tiles = std::max(fitting, std::min((pieces + sections - 1) / sections,
                                             std::max<Index>(1, rows / fewest_rows)));
    share.grains = (planes + grain_ - 1) / grain_;
    const Index each = (share.tiles * share.grains + share.threads - 1) / share.threads;
    const Index cells = std::max<Index>(1, share.box.volume() / (share.tiles * share.grains));
    share.fewest = std::min(
        each, std::max({(fewest_planes + grain_ - 1) / grain_, fewest_cells / cells, Index{1}}));
  }
}

bool SharedTiles::take(int thread, SweepCall& call) {
  const std::size_t count = shares_.size();
  for (std::size_t n = 0; n < count; ++n) {
    Share& share = shares_[(share_of_[static_cast<std::size_t>(thread)] + n) % count];
    const Index all = share.tiles * share.grains;
    for (Index begin = share.taken.load(std::memory_order_relaxed); begin < all;) {
      const Index of_tile = share.grains - begin % share.grains;
      Index section = std::max(share.fewest, (all - begin) / (2 * share.threads));
      if (of_tile < section + share.fewest) section = of_tile;
      if (!share.taken.compare_exchange_weak(begin, begin + section, std::memory_order_relaxed)) {
        continue;
      }
      const int middle = order_[1], slow = order_[2];
      const Part rows = split_evenly(share.box.extent(middle), static_cast<int>(share.tiles),
                                     static_cast<int>(begin / share.grains));
      const Index first = begin % share.grains;
      call.tile = share.box;
      call.tile.lower[middle] = share.box.lower[middle] + rows.begin;
      call.tile.upper[middle] = share.box.lower[middle] + rows.end;
      call.box = call.tile;
      call.box.lower[slow] += first * grain_;
      call.box.upper[slow] =
          std::min(share.box.lower[slow] + (first + section) * grain_, share.box.upper[slow]);
      return true;
    }
  }
  return false;
}

Box fill_part(const FillTask& task, int threads, int thread) {
  const Box& box = task.box;
  const int middle = task.order[1], slow = task.order[2];
  const bool slow_is_short = box.extent(slow) < 2 * threads && box.extent(middle) >= 2 * threads;
  const int axis = task.axis == slow || (slow_is_short && task.axis != middle) ? middle : slow;
  const Part part = split_evenly(box.extent(axis), threads, thread);
  Box mine = box;
  mine.lower[axis] = box.lower[axis] + part.begin;
  mine.upper[axis] = box.lower[axis] + part.end;
  return mine;
}

namespace {

/// The part of a rectangular task that belongs to the rows of `box`.
Box rows_of(Box piece, const Box& box) {
  for (int a = 1; a < 3; ++a) {
    piece.lower[a] = std::max(piece.lower[a], box.lower[a]);
    piece.upper[a] = std::min(piece.upper[a], box.upper[a]);
  }
  return piece;
}

void make_edges(const SweepTask& task, const Box& box) {
  for (CopyTask copy : task.edge_copies) {
    const Index3 to_source = copy.source_box.lower - copy.target_box.lower;
    copy.target_box = rows_of(copy.target_box, box);
    copy.source_box = shifted(copy.target_box, to_source);
    if (!copy.target_box.empty()) host::run_copy(copy);
  }
  for (FillTask fill : task.edge_fills) {
    fill.box = rows_of(fill.box, box);
    if (!fill.box.empty()) host::run_fill(fill);
  }
}

}  // namespace

void run_tiles(SweepFunction kernel, const SweepCall& call, const SweepTask& task, Index rows) {
  const int middle = task.order[1], slow = task.order[2];
  const bool has_edges = !task.edge_copies.empty() || !task.edge_fills.empty();
  const Index planes = has_edges ? task.stage->kernels.planes : call.box.extent(slow);
  std::optional<RowEnds> ends;
  if (has_edges && call.streaming) {
    ends.emplace(task, planes, task.stage->kernels.walks_groups ? call.box.extent(middle) : 16);
    if (!ends->is_possible()) ends.reset();
  }
  const Index at_once = ends ? ends->rows_at_once() : rows;
  SweepCall part = call;
  for (Index m = call.box.lower[middle]; m < call.box.upper[middle]; m += rows) {
    part.tile.lower[middle] = m;
    part.tile.upper[middle] = std::min(m + rows, call.box.upper[middle]);
    for (Index s = call.box.lower[slow]; s < call.box.upper[slow]; s += planes) {
      part.box = part.tile;
      part.box.lower[slow] = s;
      part.box.upper[slow] = std::min(s + planes, call.box.upper[slow]);
      for (Index row = m; row < part.tile.upper[middle]; row += at_once) {
        part.box.lower[middle] = row;
        part.box.upper[middle] = std::min(row + at_once, part.tile.upper[middle]);
        if (ends) part.ends = ends->bind(part.box);
        kernel(part);
        if (ends) {
          ends->flush(part.box.upper[middle] == part.tile.upper[middle]);
        } else if (has_edges) {
          make_edges(task, part.box);
        }
      }
    }
  }
}

}  // namespace goban::cpu
