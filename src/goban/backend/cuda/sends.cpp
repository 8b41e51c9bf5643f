#include "goban/backend/cuda/sends.hpp"

namespace goban::cuda {
namespace {

bool is_whole_planes(const SweepTask& task, const CopyTask& send) {
  for (std::size_t position = 0; position < 2; ++position) {
    const int axis = task.order[position];
    if (send.source_box.lower[axis] != task.box.lower[axis] ||
        send.source_box.upper[axis] != task.box.upper[axis]) {
      return false;
    }
  }
  return send.source.stride == send.target.stride;
}

SentPlanes planes_of(const CopyTask& send, int component, int slow) {
  SentPlanes planes;
  planes.first = send.source_box.lower[slow];
  planes.last = send.source_box.upper[slow];
  planes.component_stride = send.target.component_stride;
  planes.components = 1u << component;
  Index elements = component * (send.source.component_stride - send.target.component_stride);
  for (int axis = 0; axis < 3; ++axis) {
    elements += (send.target_box.lower[axis] - send.source_box.lower[axis]) *
                send.target.stride[static_cast<std::size_t>(axis)];
  }
  planes.shift =
      send.target.write - send.source.read + elements * static_cast<Index>(size_of(send.type));
  return planes;
}

/// False: both places are taken.
bool add(SendsOfArgument& sends, const SentPlanes& planes) {
  for (SentPlanes& held : sends) {
    SentPlanes others = held;
    others.components = planes.components;
    if (held.components != 0 && others != planes) continue;
    const std::uint32_t components = held.components | planes.components;
    held = planes;
    held.components = components;
    return true;
  }
  return false;
}

bool is_stored(const SweepTask& task, const CopyTask& send, std::vector<SendsOfArgument>& sends) {
  if (!is_whole_planes(task, send)) return false;
  for (std::size_t a = 0; a < task.fields.size(); ++a) {
    const StageArgument& argument = task.stage->arguments[a];
    if (!argument.field || argument.access == Access::in) continue;
    const int components = argument.field->components;
    if (components > most_components_sent) continue;
    const auto bytes =
        static_cast<Index>(argument.field->element_size()) * task.fields[a].component_stride;
    for (int c = 0; c < components; ++c) {
      if (send.source.read != task.fields[a].write + c * bytes) continue;
      return add(sends[a], planes_of(send, c, task.order[2]));
    }
  }
  return false;
}

}  // namespace

Sends divide_sends(const SweepTask& task, bool can_store) {
  Sends sends;
  if (task.sends.empty()) return sends;
  sends.by_kernel.resize(task.fields.size());
  for (const CopyTask& send : task.sends) {
    if (!can_store || !is_stored(task, send, sends.by_kernel)) sends.by_copy.push_back(send);
  }
  if (sends.by_copy.size() == task.sends.size()) sends.by_kernel.clear();
  return sends;
}

}  // namespace goban::cuda
