#include "goban/backend/cpu/tiles.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace goban::cpu {

SweepCall make_call(const SweepTask& task) {
  SweepCall call;
  call.functor = task.stage->functor.get();
  call.fields = task.fields.data();
  call.values = task.values.data();
  call.mask = task.stage->mask ? &task.mask : nullptr;
  call.site = task.site;
  call.box = task.box;
  call.reducer = task.reducer;
  return call;
}

Index rows_per_tile(const SweepTask& task) {
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

Box thread_part(const Box& box, const std::array<int, 3>& order, int threads, int thread) {
  const int axis = box.extent(order[2]) >= 2 * threads || box.extent(order[1]) < 2 * threads
                       ? order[2]
                       : order[1];
  const Part part = split_evenly(box.extent(axis), threads, thread);
  Box mine = box;
  mine.lower[axis] = box.lower[axis] + part.begin;
  mine.upper[axis] = box.lower[axis] + part.end;
  return mine;
}

void run_tiles(SweepFunction kernel, const SweepCall& call, const std::array<int, 3>& order,
               Index rows) {
  const int middle = order[1];
  SweepCall tile = call;
  for (Index m = call.box.lower[middle]; m < call.box.upper[middle]; m += rows) {
    tile.box.lower[middle] = m;
    tile.box.upper[middle] = std::min(m + rows, call.box.upper[middle]);
    kernel(tile);
  }
}

}  // namespace goban::cpu
