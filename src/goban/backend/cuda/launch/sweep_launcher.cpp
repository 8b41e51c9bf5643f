#include "goban/backend/cuda/launch/sweep_launcher.hpp"

#include <algorithm>
#include <utility>

#include "goban/backend/compiled/kernel_files.hpp"
#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/recorded_nodes.hpp"
#include "goban/backend/cuda/driver/timer.hpp"
#include "goban/backend/cuda/driver/trial_memory.hpp"
#include "goban/backend/cuda/launch/column_launch.hpp"
#include "goban/backend/cuda/launch/launch_arguments.hpp"
#include "goban/backend/cuda/launch/march_launcher.hpp"
#include "goban/backend/cuda/launch/sends.hpp"
#include "goban/backend/cuda/transfer/copy.hpp"
#include "goban/backend/sweep_call.hpp"
#include "goban/lowering/gpu_launches.hpp"

namespace goban::cuda {
namespace {

/// The bytes of the second-level cache in which what neighbours share can stay.
constexpr Index cache_bytes = Index{32} << 20;

constexpr double least_of_trial = 60e-6;  // seconds

/// Returns the form of the kernel for a choice.
KernelForm form_of(const StageKernels& kernels, const LaunchChoice& choice, bool sends_ends) {
  if (choice.march) return march_form(kernels);
  if (kernels.shape().writes_in_place) return {KernelForm::Kind::in_place};
  return sweep_form(choice, sends_ends);
}

bool sends_ends(const std::vector<SendsOfArgument>& sends) {
  return std::any_of(sends.begin(), sends.end(), [](const SendsOfArgument& one) {
    return one.ends[0].components != 0 || one.ends[1].components != 0;
  });
}

/// Returns the bytes of `planes` planes of all inputs.
Index shared_bytes(const KernelSubject& subject, const SweepCall& sweep, int planes) {
  const auto& parameters = subject.footprint->parameters;
  Index bytes = 0;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const auto& parameter = parameters[p];
    if (parameter.kind != ParameterDescription::Kind::field || parameter.access == Access::out) {
      continue;
    }
    bytes += static_cast<Index>(size_of(parameter.type)) *
             sweep.fields[p].stride[static_cast<std::size_t>(subject.shape.order[2])];
  }
  return bytes * planes;
}

void launch_bytes(const Kernel& kernel, const LaunchGrid& grid, CUstream stream,
                  const std::vector<std::byte>& arguments, const char* what) {
  void* addresses[] = {const_cast<std::byte*>(arguments.data()), nullptr};
  launch_with(kernel, grid, stream, what, addresses);
}

/// Splits a sweep into launches whose grids have no more blocks than allowed.
template <class Launch>
void in_parts(const KernelSubject& subject, const SweepCall& sweep, int planes_of_block,
              const Launch& launch) {
  const int slow = subject.shape.order[2];
  const Index begin = sweep.box.lower[slow], planes = sweep.box.extent(slow);
  const Index most = Index{most_blocks_along} * planes_of_block, parts = (planes + most - 1) / most;
  for (Index part = 0; part < parts; ++part) {
    SweepCall its = sweep;
    its.box.lower[slow] = begin + planes * part / parts;
    its.box.upper[slow] = begin + planes * (part + 1) / parts;
    launch(its);
  }
}

void launch_block(const Kernel& kernel, const KernelSubject& subject, const LaunchChoice& choice,
                  const SweepCall& sweep, const std::vector<SendsOfArgument>& sends,
                  CUstream stream) {
  SweepArgumentBytes a(subject, sweep, sends);
  device::SweepCommon& c = a.common;
  const DeviceShape& shape = subject.shape;
  const int n = shape.width;
  const int multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, kernel.device());
  const auto needed = [](int cells, int of_thread) {
    return static_cast<int>(blocks_of(cells, of_thread));
  };
  const int packs = needed(c.high[0] - c.first, n);
  const bool is_preset = choice.shape.threads[0] == 0;
  auto [x, y, z] = is_preset
                       ? threads_of_block(shape,
                                          {packs, needed(c.high[1] - c.low[1], choice.block.rows),
                                           needed(c.high[2] - c.low[2], choice.block.planes)},
                                          multiprocessors)
                       : choice.shape.threads;
  // Threads beyond the ends of short rows take the next rows instead.
  for (; !is_preset && x > 4 && x / 2 >= packs; x /= 2) y *= 2;
  c.blocks_x = blocks_of(c.high[0] - c.first, n * x);
  const unsigned int blocks_y = blocks_of(c.high[1] - c.low[1], choice.block.rows * y);
  c.slab = blocks_y;
  using Order = LaunchShape::Order;
  const bool is_large =
      shared_bytes(subject, sweep, choice.block.planes + 2 * shape.reach) > cache_bytes;
  if (choice.shape.order == Order::by_size ? is_large : choice.shape.order == Order::slabs) {
    const auto in_flight =
        static_cast<unsigned int>(multiprocessors * kernel.blocks_at_once(x * y * z, 0));
    c.slab = std::min(blocks_y, std::max(1u, in_flight / c.blocks_x));
  }
  c.slab = std::max(c.slab, (blocks_y + most_blocks_along - 1) / most_blocks_along);
  const auto number = [](int i) { return static_cast<unsigned int>(i); };
  const LaunchGrid grid{
      {c.blocks_x * c.slab, blocks_of(c.high[2] - c.low[2], choice.block.planes * z),
       (blocks_y + c.slab - 1) / c.slab},
      {number(x), number(y), number(z)}};
  launch_bytes(kernel, grid, stream, a.bytes(), "starting a sweep");
}

void launch_in_place(const Kernel& kernel, const KernelSubject& subject, const SweepCall& sweep,
                     const std::vector<SendsOfArgument>& sends, CUstream stream) {
  const SweepArgumentBytes a(subject, sweep, sends);
  const device::SweepCommon& c = a.common;
  const unsigned int most = subject.shape.has_many_values() ? 128 : 256;
  const LaunchGrid grid{
      {static_cast<unsigned int>(c.high[1] - c.low[1]),
       static_cast<unsigned int>(c.high[2] - c.low[2])},
      {std::min(32 * blocks_of(c.high[0] - c.first, 32 * subject.shape.width), most)}};
  launch_bytes(kernel, grid, stream, a.bytes(), "starting a sweep");
}

Index bytes_of_cell(const Stage& stage) {
  Index bytes = 0;
  for (const auto& argument : stage.arguments) {
    if (argument.field) {
      bytes += static_cast<Index>(argument.field->element_size()) * argument.field->components;
    }
  }
  return bytes;
}

}  // namespace

LaunchPolicy::LaunchPolicy(const std::string& text)
    : tries_(text == "tuned" || text == "anew"),
      forced_(launch_choice(text)),
      memory_(tries_ && !is_rehearsal() ? launch_cache_file() : std::filesystem::path()) {
  if (text == "anew") memory_.forget();
}

LaunchChoice LaunchPolicy::without_trying(const std::vector<LaunchChoice>& choices) const {
  const bool is_known = forced_ && std::any_of(choices.begin(), choices.end(), [&](const auto& c) {
                          return c.is_same_kernel(*forced_);
                        });
  return is_known ? *forced_ : choices.front();
}

void SweepLauncher::run(StageKernels& kernels, const LaunchChoice& choice, const SweepTask& task,
                        const SweepCall& sweep, CUstream stream,
                        const std::vector<SendsOfArgument>& sends) {
  if (task.stage->columns) return launch_columns(kernels, device_, sweep, stream);
  if (choice.march) return march_sweep(kernels, device_, task, sweep, stream);
  const Kernel& kernel = kernels.kernel(device_, form_of(kernels, choice, sends_ends(sends)));
  if (kernels.shape().writes_in_place) {
    in_parts(kernels.subject(), sweep, 1, [&](const SweepCall& part) {
      launch_in_place(kernel, kernels.subject(), part, sends, stream);
    });
  } else {
    const KernelSubject& subject = kernels.with_packs(choice.pack);
    in_parts(subject, sweep, choice.block.planes, [&](const SweepCall& part) {
      launch_block(kernel, subject, choice, part, sends, stream);
    });
  }
}

void SweepLauncher::launch(const SweepTask& task, const SweepCall& sweep, CUstream stream) {
  StageKernels& kernels = store_.of(task.stage);
  const Key key = key_of(kernels, task);
  auto at = chosen_.find(key);
  if (at == chosen_.end()) {
    at = chosen_.emplace(key, choose(key, kernels, task, sweep, stream)).first;
  }
  const LaunchChoice& choice = at->second.choice;
  const Sends sends = divide_sends(task, choice.march ? CanStore::nothing : CanStore::all);
  run(kernels, choice, task, sweep, stream, sends.by_kernel);
  // Recorded copies stay as they are unless memory moves.
  if (kernels.shape().most_in_place > 0) return copy_pieces(sends.by_copy, stream);
  if (changes_recorded_nodes()) return;
  const LeavesNodes unnoted;
  copy_pieces(sends.by_copy, stream);
}

/// Divides a bundle and calls `alone`, `together` or `reduced` for the sweeps that are launched
/// alone, together, or with the reductions after them.
template <class Alone, class Together, class Reduced>
void SweepLauncher::divide(const std::vector<const SweepTask*>& bundle, const Alone& alone,
                           const Together& together, const Reduced& reduced) {
  std::vector<BundlePart> parts;
  const auto flush = [&] {
    std::vector<BundlePart> all = std::exchange(parts, {});
    if (all.empty()) return;
    if (all.back().task->reducer) return reduced(all);
    std::vector<BundlePart> some;
    const auto launch = [&] {
      std::vector<BundlePart> these = std::exchange(some, {});
      if (these.size() > 1) return together(std::move(these));
      if (these.size() == 1) alone(these.front());
    };
    for (BundlePart& part : all) {
      if (!BundleLauncher::suits(part)) {
        launch();
        alone(part);
        continue;
      }
      if (!some.empty() && !BundleLauncher::joins(some, part)) launch();
      some.push_back(std::move(part));
    }
    launch();
  };
  for (const SweepTask* task : bundle) {
    BundlePart part{task, make_call(*task), &store_.of(task->stage),
                    task->reducer ? Sends{} : divide_sends(*task, CanStore::all)};
    if (!task->reducer) {
      parts.push_back(std::move(part));
      continue;
    }
    // With as many of the sweeps before it as go over the same cells.
    std::vector<BundlePart> with;
    while (!parts.empty()) {
      std::vector<BundlePart> more{parts.back()};
      more.insert(more.end(), with.begin(), with.end());
      if (!ReductionLauncher::joins(more, part)) break;
      with = std::move(more);
      parts.pop_back();
    }
    flush();
    parts = std::move(with);
    parts.push_back(std::move(part));
  }
  flush();
}

void SweepLauncher::launch(const std::vector<const SweepTask*>& bundle,
                           const std::vector<ReductionMemory>& memories, CUstream stream) {
  const ReductionMemory* next = memories.data();
  divide(
      bundle, [&](const BundlePart& part) { launch(*part.task, part.call, stream); },
      [&](std::vector<BundlePart> parts) { bundles_.launch(std::move(parts), stream); },
      [&](const std::vector<BundlePart>& parts) {
        reductions_.launch(parts, next, stream);
        for (const BundlePart& part : parts) next += part.task->reducer ? 1 : 0;
      });
}

void SweepLauncher::add_sources(const std::vector<const SweepTask*>& bundle,
                                std::vector<KernelSource>& sources) {
  divide(
      bundle, [&](const BundlePart& part) { add_sources(*part.task, sources); },
      [&](std::vector<BundlePart> parts) { bundles_.add_sources(std::move(parts), sources); },
      [&](const std::vector<BundlePart>& parts) { reductions_.add_sources(parts, sources); });
}

void SweepLauncher::pass(const PassTask& task, CUstream stream) {
  const SweepTask& first = task.steps.front().sweep;
  StageKernels& kernels = store_.of(first.stage);
  copy_pieces(march_pass(kernels, device_, task, stream), stream);
}

void SweepLauncher::add_sources(const SweepTask& task, std::vector<KernelSource>& sources) {
  StageKernels& kernels = store_.of(task.stage);
  if (const auto& columns = task.stage->columns) {
    const Index levels = task.box.extent(index_of(columns->axis));
    return kernels.add_source(column_form(kernels.subject(), levels, device_), sources);
  }
  const Key key = key_of(kernels, task);
  const auto choices =
      launch_choices(kernels.shape(), !key.has_mask && has_copy_engine(device_), key.cells);
  const auto at = chosen_.find(key);
  const auto known = at != chosen_.end() ? at->second : known_choice(key, task, choices);
  const auto add = [&](const LaunchChoice& choice) {
    const Sends sends = divide_sends(task, choice.march ? CanStore::nothing : CanStore::all);
    kernels.add_source(form_of(kernels, choice, sends_ends(sends.by_kernel)), sources);
    add_copy_sources(sends.by_copy, sources);
  };
  if (known) return add(known->choice);
  for (const auto& choice : choices) {  // to be tried, without sends
    kernels.add_source(form_of(kernels, choice, false), sources);
    if (!task.sends.empty()) add(choice);
  }
}

void SweepLauncher::add_sources(const PassTask& task, std::vector<KernelSource>& sources) {
  StageKernels& kernels = store_.of(task.steps.front().sweep.stage);
  add_pass_sources(kernels, task, sources);
}

SweepLauncher::Key SweepLauncher::key_of(const StageKernels& kernels, const SweepTask& task) {
  const auto cells = [&](std::size_t i) { return task.box.extent(task.order[i]); };
  return {&kernels, {cells(0), cells(1), cells(2)}, task.stage->mask != nullptr};
}

std::string SweepLauncher::text_of(const Key& key, const SweepTask& task) {
  const auto& [x, y, z] = key.cells;
  return task.stage->name + " " +
         hash_text(key.kernels->subject().graph->signature()).substr(0, 12) + " on " +
         std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z) + " cells of " +
         std::to_string(bytes_of_cell(*task.stage)) + " bytes" + (key.has_mask ? " masked" : "");
}

std::optional<SweepLauncher::Chosen> SweepLauncher::known_choice(
    const Key& key, const SweepTask& task, const std::vector<LaunchChoice>& choices) const {
  const StageKernels& kernels = *key.kernels;
  const auto is_offered = [&](const std::optional<LaunchChoice>& choice) {
    return choice && std::find(choices.begin(), choices.end(), *choice) != choices.end();
  };
  const bool is_small = key.cells[0] * key.cells[1] * key.cells[2] < gpu::least_cells_of_shapes;
  // Where memory moves with every sweep there is one way to launch it, for columns, and between
  // grids.
  const bool has_one_way = kernels.shape().most_in_place > 0 || kernels.subject().columns ||
                           kernels.shape().reads_other_grids;
  if (!policy_->tries() || is_small || has_one_way) {
    return Chosen{policy_->without_trying(choices)};
  }
  const auto remembered = policy_->memory().find(name_, text_of(key, task));
  if (is_offered(remembered)) return Chosen{*remembered, true};
  const auto alike = found_for_alike(key);
  if (is_offered(alike)) return Chosen{*alike};
  return {};
}

SweepLauncher::Chosen SweepLauncher::choose(const Key& key, StageKernels& kernels,
                                            const SweepTask& task, const SweepCall& sweep,
                                            CUstream stream) {
  const auto choices =
      launch_choices(kernels.shape(), !key.has_mask && has_copy_engine(device_), key.cells);
  if (const auto known = known_choice(key, task, choices)) return *known;
  const auto found = fastest(choices, kernels, task, sweep, stream);
  if (!found) return {choices.front()};
  policy_->memory().remember(name_, text_of(key, task), *found);
  return {*found, true};
}

std::optional<LaunchChoice> SweepLauncher::found_for_alike(const Key& key) const {
  const auto is_near = [](Index a, Index b) { return 8 * std::abs(a - b) <= std::max(a, b); };
  for (const auto& [other, chosen] : chosen_) {
    Key moved = other;
    moved.cells = key.cells;
    const bool is_alike = moved == key && is_near(other.cells[0], key.cells[0]) &&
                          is_near(other.cells[1], key.cells[1]) &&
                          is_near(other.cells[2], key.cells[2]);
    if (is_alike && chosen.was_tried) return chosen.choice;
  }
  return {};
}

std::optional<LaunchChoice> SweepLauncher::fastest(const std::vector<LaunchChoice>& choices,
                                                   StageKernels& kernels, const SweepTask& task,
                                                   const SweepCall& call, CUstream stream) {
  if (is_capturing(stream)) return {};
  struct Trial {
    LaunchChoice choice;
    double seconds;
    bool operator<(const Trial& other) const { return seconds < other.seconds; }
  };
  const auto memory = TrialMemory::of(task);
  if (!memory) return {};
  SweepCall sweep = call;
  sweep.fields = memory->fields();
  std::vector<KernelSource> sources;
  for (const auto& choice : choices) {
    kernels.add_source(form_of(kernels, choice, false), sources);
  }
  prepare_on(device_, sources);
  const auto run_once = [&](const LaunchChoice& choice) {
    run(kernels, choice, task, sweep, stream, {});
  };
  QueueTimer timer(stream, "timing a sweep");
  // Short ones several times, so that what the queue takes to begin does not decide.
  run_once(choices.front());
  const double once = timer.time([&] { run_once(choices.front()); });
  const int launches = once > 0 ? static_cast<int>(std::clamp(least_of_trial / once, 1.0, 8.0)) : 1;
  const auto seconds_of = [&](const LaunchChoice& choice) {
    return timer.time([&] {
      for (int n = 0; n < launches; ++n) run_once(choice);
    });
  };
  std::vector<Trial> trials;
  LaunchChoice warm = choices.front();
  for (const auto& choice : choices) {
    if (!choice.is_same_kernel(warm)) {  // loaded and launched once
      run_once(choice);
      warm = choice;
    }
    trials.push_back({choice, seconds_of(choice)});
  }
  // The best few again: whatever else happens makes a trial slower.
  std::sort(trials.begin(), trials.end());
  trials.resize(std::min<std::size_t>(trials.size(), 5));
  for (int repetition = 0; repetition < 5; ++repetition) {
    for (Trial& trial : trials) trial.seconds = std::min(trial.seconds, seconds_of(trial.choice));
  }
  return std::min_element(trials.begin(), trials.end())->choice;
}

}  // namespace goban::cuda
