#pragma once
// Makes a kernel's arguments from a task.

#include <algorithm>

#include "goban/backend/api.hpp"

namespace goban {

/// Returns the call of a task. It points into the task, which must outlive it.
inline SweepCall make_call(const SweepTask& task) {
  SweepCall call;
  call.fields = task.fields.data();
  call.values = task.values.data();
  call.numbers = task.numbers.empty() ? nullptr : task.numbers.data();
  call.mask = task.stage->mask ? &task.mask : nullptr;
  call.site = task.site;
  call.box = call.tile = task.box;
  call.reducer = task.reducer;
  if (task.stage->columns) call.column_axis = index_of(task.stage->columns->axis);
  return call;
}

/// Returns whether the task reads another grid than it writes.
inline bool reads_other_grids(const SweepTask& task) {
  return std::any_of(task.fields.begin(), task.fields.end(),
                     [](const FieldBinding& field) { return !field.map.is_identity(); });
}

}  // namespace goban
