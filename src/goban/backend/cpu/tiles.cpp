#include "goban/backend/cpu/tiles.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "goban/backend/cpu/row_ends.hpp"
#include "goban/backend/host/fill.hpp"

namespace goban::cpu {

Index rows_per_tile(const SweepTask& task) {
  if (task.stage->kernels.walks_groups) return task.box.extent(task.order[1]);
  constexpr double cache = 512e3;  // bytes: half of a typical second-level cache
  const auto slow = static_cast<std::size_t>(task.order[2]);
  std::set<std::tuple<int, int, int>> planes;  // argument, component, offset
  double bytes = 0;
  for (const Read& r : task.stage->footprint.reads) {
    if (planes.emplace(r.parameter, r.component, r.offset[slow]).second) {
      const auto& field = task.stage->arguments[static_cast<std::size_t>(r.parameter)].field;
      bytes += static_cast<double>(field->element_size());
    }
  }
  // Without reuse between planes there is nothing to keep.
  std::set<std::pair<int, int>> components;
  for (const auto& [argument, component, offset] : planes) components.emplace(argument, component);
  if (planes.size() == components.size()) return task.box.extent(task.order[1]);
  const double row = bytes * static_cast<double>(task.box.extent(task.order[0]));
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

Box thread_part(const Box& box, const std::array<int, 3>& order, int threads, int thread,
                bool shares_planes) {
  const bool middle_is_long = box.extent(order[1]) >= 16 * threads;
  const int axis = shares_planes && middle_is_long ? order[1]
                   : box.extent(order[2]) >= 2 * threads || box.extent(order[1]) < 2 * threads
                       ? order[2]
                       : order[1];
  const Part part = split_evenly(box.extent(axis), threads, thread);
  Box mine = box;
  mine.lower[axis] = box.lower[axis] + part.begin;
  mine.upper[axis] = box.lower[axis] + part.end;
  return mine;
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
    part.tile = call.box;
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
