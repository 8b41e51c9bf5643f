#include "goban/backend/cuda/march_task.hpp"

namespace goban::cuda {
namespace {

constexpr Index far = Index{1} << 30;
constexpr Box everything{{-far, -far, -far}, {far, far, far}};

}  // namespace

void march_sweep(const SweepTask& task, const SweepCall& sweep, void* stream) {
  const Footprint& footprint = task.stage->footprint;
  MarchCall call;
  call.stream = stream;
  call.box = task.box;
  for (std::size_t a = 0; a < task.fields.size(); ++a) {
    const auto& argument = task.stage->arguments[a];
    if (argument.field && argument.access == Access::out) {
      call.box = intersection(task.box, task.fields[a].clip);
    }
  }
  if (call.box.empty()) return;
  Extents reach;
  for (const Axis axis : all_axes) {
    const auto i = static_cast<std::size_t>(index_of(axis));
    reach.low[i] = footprint.reach(axis, Side::low);
    reach.high[i] = footprint.reach(axis, Side::high);
  }
  call.readable[0] = extended(call.box, reach);
  call.changing = everything;
  SweepCall level = sweep;
  std::vector<FieldBinding> fields = task.fields;
  for (auto& field : fields) field.clip = call.readable[0];
  level.fields = fields.data();
  call.levels = &level;
  task.stage->kernels.device.march[1](call);
}

void run_march(const PassTask& task, void* stream) {
  const std::size_t steps = task.steps.size();
  const Stage& stage = *task.steps.front().sweep.stage;
  const auto& first = task.steps.front();
  const auto& last = task.steps.back();
  MarchCall call;
  call.stream = stream;
  std::vector<FieldBinding> fields(stage.arguments.size());
  for (std::size_t a = 0; a < fields.size(); ++a) {
    const int written = last.writes[a];
    const int version = written >= 0 ? written : first.reads[a];
    if (version < 0) continue;
    const auto& info = task.versions[static_cast<std::size_t>(version)];
    fields[a] = info.memory;
    fields[a].clip = info.allocated;
    if (written >= 0) call.box = info.owned;
    const MarchPairs& pairs = stage.kernels.device.pairs;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (pairs[k].in == static_cast<int>(a)) call.readable[k] = info.allocated;
    }
  }
  call.changing = everything;
  for (const auto& step : task.steps) {
    for (const auto& fill : step.fills) {
      const auto axis = static_cast<std::size_t>(fill.axis);
      if (fill.side == Side::low) {
        call.changing.lower[axis] = 0;
      } else {
        call.changing.upper[axis] = fill.cells;
      }
    }
  }
  std::vector<SweepCall> levels(steps);
  for (std::size_t t = 0; t < steps; ++t) {
    const SweepTask& sweep = task.steps[t].sweep;
    levels[t].functor = stage.functor.get();
    levels[t].fields = fields.data();
    levels[t].values = sweep.values.data();
    levels[t].site = sweep.site;
  }
  call.levels = levels.data();
  stage.kernels.device.march[steps](call);
}

}  // namespace goban::cuda
