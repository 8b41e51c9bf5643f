#include "goban/backend/cuda/launch/sends.hpp"

#include <algorithm>

namespace goban::cuda {
namespace {

/// Returns whether a send copies everything that lies at some positions along an axis.
bool is_whole_across(int along, const SweepTask& task, const CopyTask& send) {
  for (int axis = 0; axis < 3; ++axis) {
    if (axis != along && (send.source_box.lower[axis] != task.box.lower[axis] ||
                          send.source_box.upper[axis] != task.box.upper[axis])) {
      return false;
    }
  }
  return send.source.stride == send.target.stride;
}

/// Returns whether a send copies the ends of all rows of the box, each to the same row.
bool is_ends_of_rows(const SweepTask& task, const CopyTask& send) {
  for (std::size_t position = 1; position < 3; ++position) {
    const int axis = task.order[position];
    if (send.source_box.lower[axis] != task.box.lower[axis] ||
        send.source_box.upper[axis] != task.box.upper[axis] ||
        send.target_box.lower[axis] != send.source_box.lower[axis]) {
      return false;
    }
  }
  return send.source.read == send.target.write;
}

SentCells cells_of(const CopyTask& send, int component, int along) {
  SentCells cells;
  cells.first = send.source_box.lower[along];
  cells.last = send.source_box.upper[along];
  cells.component_stride = send.target.component_stride;
  cells.components = 1u << component;
  Index elements = component * (send.source.component_stride - send.target.component_stride);
  for (int axis = 0; axis < 3; ++axis) {
    elements += (send.target_box.lower[axis] - send.source_box.lower[axis]) *
                send.target.stride[static_cast<std::size_t>(axis)];
  }
  cells.shift =
      send.target.write - send.source.read + elements * static_cast<Index>(size_of(send.type));
  return cells;
}

/// Adds cells that are sent; returns false if both entries are taken.
bool add(std::array<SentCells, 2>& sends, const SentCells& cells) {
  for (SentCells& held : sends) {
    SentCells others = held;
    others.components = cells.components;
    if (held.components != 0 && others != cells) continue;
    const std::uint32_t components = held.components | cells.components;
    held = cells;
    held.components = components;
    return true;
  }
  return false;
}

/// Returns whether the kernel stores such sends of an output, see kernels/outputs.cuh. It sends
/// ends of rows of fields stored in place row by row; if it writes other fields, too, it does not
/// have the ends of fields with few components at hand.
bool can_be_stored(const StageArgument& output, bool is_ends, bool rows_in_place) {
  const int components = output.field->components;
  const bool are_few = components <= most_components_sent;
  if (output.field->in_place) {
    return is_ends && output.access == Access::out && !are_few &&
           components <= most_components_with_ends;
  }
  if (!is_ends) return are_few;
  return components <= most_components_with_ends && !(are_few && rows_in_place);
}

bool is_stored(const SweepTask& task, const CopyTask& send, CanStore can_store,
               std::vector<SendsOfArgument>& sends) {
  const bool is_ends = is_ends_of_rows(task, send);
  const bool is_planes = !is_ends && is_whole_across(task.order[2], task, send);
  const bool is_rows = !is_ends && !is_planes && is_whole_across(task.order[1], task, send);
  if (!is_planes && !(can_store == CanStore::all && (is_ends || is_rows))) return false;
  const auto& arguments = task.stage->arguments;
  const bool rows_in_place = std::any_of(arguments.begin(), arguments.end(), [](const auto& a) {
    return a.field && a.field->in_place && a.access == Access::out;
  });
  for (std::size_t a = 0; a < task.fields.size(); ++a) {
    const StageArgument& argument = arguments[a];
    if (!argument.field || argument.access == Access::in) continue;
    if (!can_be_stored(argument, is_ends, rows_in_place)) continue;
    const auto bytes = static_cast<Index>(argument.field->element_size());
    for (int c = 0; c < argument.field->components; ++c) {
      if (send.source.read != task.fields[a].write + bytes * task.fields[a].component_offset(c)) {
        continue;
      }
      if (is_ends) return add(sends[a].ends, cells_of(send, c, task.order[0]));
      if (is_rows) return add(sends[a].rows, cells_of(send, c, task.order[1]));
      return add(sends[a].planes, cells_of(send, c, task.order[2]));
    }
  }
  return false;
}

}  // namespace

Sends divide_sends(const SweepTask& task, CanStore can_store) {
  Sends sends;
  if (task.sends.empty()) return sends;
  sends.by_kernel.resize(task.fields.size());
  for (const CopyTask& send : task.sends) {
    if (can_store == CanStore::nothing || !is_stored(task, send, can_store, sends.by_kernel)) {
      sends.by_copy.push_back(send);
    }
  }
  if (sends.by_copy.size() == task.sends.size()) sends.by_kernel.clear();
  return sends;
}

}  // namespace goban::cuda
