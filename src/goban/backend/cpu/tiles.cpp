#include "goban/backend/cpu/tiles.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "goban/backend/cpu/row_ends.hpp"
#include "goban/backend/host/fill.hpp"

namespace goban::cpu {

Index rows_per_tile(const SweepTask& task, const KernelShape& shape) {
  // Bytes: half of a typical second-level cache; groups of planes are to find in it what the group
  // before has read or fetched.
  const double cache = shape.walks_groups ? 1e6 : 512e3;
  const auto slow = static_cast<std::size_t>(task.order[2]);
  std::set<std::tuple<int, int, int>> planes;  // argument, component, offset
  std::set<std::pair<int, int>> components;
  double bytes = 0;
  for (const Read& r : task.stage->footprint.reads) {
    if (planes.emplace(r.parameter, r.component, r.offset[slow]).second) {
      const auto& field = task.stage->arguments[static_cast<std::size_t>(r.parameter)].field;
      bytes += static_cast<double>(field->element_size());
      components.emplace(r.parameter, r.component);
    }
  }
  // Without reuse between planes there is nothing to keep.
  if (planes.size() == components.size()) return task.box.extent(task.order[1]);
  const double row = bytes * static_cast<double>(task.box.extent(task.order[0]));
  return std::max<Index>(4, static_cast<Index>(cache / std::max(row, 1.0)));
}

bool writes_anew(const SweepTask& task) {
  const auto& arguments = task.stage->arguments;
  return std::any_of(arguments.begin(), arguments.end(), [](const StageArgument& argument) {
    return argument.field && argument.access == Access::out;
  });
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

Box thread_part(const Box& box, const std::array<int, 3>& order, int threads, int thread,
                bool shares_planes, bool cuts_rows) {
  constexpr Index line = 64;  // bytes, of the smallest elements
  const bool middle_is_long = box.extent(order[1]) >= 16 * threads;
  const bool is_row = cuts_rows && box.extent(order[1]) == 1 && box.extent(order[2]) == 1;
  const int axis = is_row                            ? order[0]
                   : shares_planes && middle_is_long ? order[1]
                   : box.extent(order[2]) >= 2 * threads || box.extent(order[1]) < 2 * threads
                       ? order[2]
                       : order[1];
  const Part part = split_evenly(box.extent(axis), threads, thread, is_row ? line : 1);
  Box mine = box;
  mine.lower[axis] = box.lower[axis] + part.begin;
  mine.upper[axis] = box.lower[axis] + part.end;
  return mine;
}

SharedTiles::SharedTiles(const SweepTask& task, const KernelShape& shape, int threads,
                         Index rows_of_tile)
    : order_(task.order),
      grain_(shape.planes_together()),
      parts_(static_cast<std::size_t>(threads)) {
  constexpr Index wanted = 12;         // pieces of a part
  constexpr Index fewest_planes = 16;  // of a section: its first planes are not fetched ahead
  constexpr Index fewest_rows = 48;    // of tiles that the cache does not make smaller
  constexpr Index fewest_cells = 1 << 15;
  for (int thread = 0; thread < threads; ++thread) {
    Part& part = parts_[static_cast<std::size_t>(thread)];
    const bool has_edges = !task.edge_copies.empty() || !task.edge_fills.empty();
    part.box = thread_part(task.box, order_, threads, thread, shape.walks_groups, !has_edges);
    if (part.box.empty()) continue;
    const Index rows = part.box.extent(order_[1]), planes = part.box.extent(order_[2]);
    const Index pieces = std::clamp<Index>(part.box.volume() / fewest_cells, 1, wanted);
    const Index fitting = (rows + rows_of_tile - 1) / rows_of_tile;
    part.sections = std::clamp<Index>((pieces + fitting - 1) / fitting, 1,
                                      std::max<Index>(1, planes / fewest_planes));
    part.tiles = std::max(fitting, std::min(pieces / part.sections, rows / fewest_rows));
  }
}

bool SharedTiles::take(int thread, SweepCall& call) {
  const std::size_t count = parts_.size();
  for (std::size_t n = 0; n < count; ++n) {
    Part& part = parts_[(static_cast<std::size_t>(thread) + n) % count];
    const Index pieces = part.tiles * part.sections;
    if (part.taken.load(std::memory_order_relaxed) >= pieces) continue;
    const Index taken = part.taken.fetch_add(1, std::memory_order_relaxed);
    if (taken >= pieces) continue;
    const auto cut = [&](Box box, int axis, Index of, Index number, Index grain) {
      const auto piece =
          split_evenly(box.extent(axis), static_cast<int>(of), static_cast<int>(number), grain);
      box.upper[axis] = box.lower[axis] + piece.end;
      box.lower[axis] += piece.begin;
      return box;
    };
    call.tile = cut(part.box, order_[1], part.tiles, taken / part.sections, 1);
    call.box = cut(call.tile, order_[2], part.sections, taken % part.sections, grain_);
    return true;
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

/// Returns the part of a task's box that belongs to the rows of `box`.
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

void run_tiles(StageRun& run, const KernelShape& shape, const SweepCall& call,
               const SweepTask& task, Index rows) {
  const int middle = task.order[1], slow = task.order[2];
  const bool has_edges = !task.edge_copies.empty() || !task.edge_fills.empty();
  const Index planes = has_edges ? shape.planes_together() : call.box.extent(slow);
  std::optional<RowEnds> ends;
  if (has_edges && call.streaming) {
    ends.emplace(task, planes, shape.walks_groups ? call.box.extent(middle) : 16);
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
        run(part);
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
