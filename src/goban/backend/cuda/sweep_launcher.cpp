#include "goban/backend/cuda/sweep_launcher.hpp"

#include <algorithm>

#include "goban/backend/cuda/column_launch.hpp"
#include "goban/backend/cuda/copy.hpp"
#include "goban/backend/cuda/kernel_files.hpp"
#include "goban/backend/cuda/kernel_launch.hpp"
#include "goban/backend/cuda/launch_arguments.hpp"
#include "goban/backend/cuda/march_launcher.hpp"
#include "goban/backend/cuda/recorded_nodes.hpp"
#include "goban/backend/cuda/sends.hpp"
#include "goban/backend/cuda/timer.hpp"
#include "goban/backend/cuda/trial_memory.hpp"

namespace goban::cuda {
namespace {

/// A sweep of fewer cells is over before its shape matters.
constexpr Index least_cells = Index{1} << 18;

/// Reductions of fewer cells have more threads instead of several planes at once in each.
constexpr Index least_cells_of_blocks = Index{1} << 21;
constexpr int most_planes_reduced = 2;

/// More than this of what neighbours share does not stay in the second-level cache.
constexpr Index cache_bytes = Index{32} << 20;

/// Which arguments of a sweep have values that lie in the device's memory; empty: none.
std::vector<bool> numbers_of(const SweepTask& task) {
  std::vector<bool> are_numbers;
  for (const double* number : task.numbers) are_numbers.push_back(number != nullptr);
  const bool has_any = std::find(are_numbers.begin(), are_numbers.end(), true) != are_numbers.end();
  return has_any ? are_numbers : std::vector<bool>{};
}

/// Bytes of so many planes of all inputs.
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
  if (task.stage->columns) {
    launch_columns(kernels, device_, sweep, stream);
  } else if (choice.march) {
    march_sweep(kernels, device_, task, sweep, stream);
  } else if (kernels.shape().writes_in_place) {
    launch_in_place(kernels.in_place(device_), kernels.subject(), sweep, sends, stream);
  } else {
    const bool sends_ends = std::any_of(sends.begin(), sends.end(), [](const SendsOfArgument& one) {
      return one.ends[0].components != 0 || one.ends[1].components != 0;
    });
    launch_block(kernels.sweep(device_, choice, sends_ends), kernels.with_packs(choice.pack),
                 choice, sweep, sends, stream);
  }
}

void SweepLauncher::launch(const SweepTask& task, const SweepCall& sweep, CUstream stream) {
  const auto cells = [&](int i) {
    return task.box.extent(static_cast<int>(task.order[static_cast<std::size_t>(i)]));
  };
  StageKernels& kernels = store_.of(task.stage);
  const Key key{&kernels, {cells(0), cells(1), cells(2)}, task.stage->mask != nullptr};
  auto at = chosen_.find(key);
  if (at == chosen_.end()) {
    at = chosen_.emplace(key, choose(key, kernels, task, sweep, stream)).first;
  }
  const LaunchChoice& choice = at->second.choice;
  const Sends sends = divide_sends(task, !choice.march);
  const auto are_numbers = numbers_of(task);
  StageKernels& its = are_numbers.empty() ? kernels : store_.of(task.stage, are_numbers);
  run(its, choice, task, sweep, stream, sends.by_kernel);
  // Recorded copies stay as they are unless memory moves.
  const bool are_same = changes_recorded_nodes() && kernels.shape().most_in_place == 0;
  if (!are_same) copy_pieces(sends.by_copy, stream);
}

void SweepLauncher::reduce(const SweepTask& task, const SweepCall& sweep,
                           const ReductionMemory& memory, CUstream stream) {
  StageKernels& kernels = store_.of(task.stage, numbers_of(task));
  const int width = kernels.shape().width;
  SweepArgumentBytes a(kernels.subject(), sweep, {});
  device::SweepCommon& c = a.common;
  const int planes = c.high[2] - c.low[2];
  const Index cells = Index{1} * (c.high[0] - c.low[0]) * (c.high[1] - c.low[1]) * planes;
  const bool has_blocks = cells >= least_cells_of_blocks && !kernels.shape().has_many_values();
  const int at_once = has_blocks ? std::min(planes, most_planes_reduced) : 1;
  const Kernel& kernel = kernels.reduction(device_, at_once);
  c.reduction = {static_cast<device::uint64*>(memory.state),
                 static_cast<device::uint64*>(memory.result), task.result,
                 static_cast<int>(sweep.reducer->kind), 0};
  unsigned int x = 32, y = 8;
  const int packs = (c.high[0] - c.first + width - 1) / width;
  for (; x > 4 && static_cast<int>(x / 2) >= packs; x /= 2) y *= 2;
  const unsigned int blocks_x = blocks_of(c.high[0] - c.first, static_cast<int>(x) * width),
                     blocks_y = blocks_of(c.high[1] - c.low[1], static_cast<int>(y));
  // Long walks, but as many blocks as a multiprocessor holds.
  constexpr int longest = 32, many = 8;
  const double places = many * attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device_);
  const double share = planes * (1.0 * blocks_x * blocks_y) / places;
  c.planes = std::clamp(static_cast<int>(share) / at_once, 1, longest / at_once) * at_once;
  const LaunchGrid grid{{blocks_x, blocks_y, blocks_of(planes, c.planes)}, {x, y}};
  launch_bytes(kernel, grid, stream, a.bytes(), "starting a reduction");
}

void SweepLauncher::pass(const PassTask& task, CUstream stream) {
  const SweepTask& first = task.steps.front().sweep;
  StageKernels& kernels = store_.of(first.stage);
  march_pass(kernels, device_, task, stream);
}

SweepLauncher::Chosen SweepLauncher::choose(const Key& key, StageKernels& kernels,
                                            const SweepTask& task, const SweepCall& sweep,
                                            CUstream stream) {
  const auto choices = launch_choices(kernels.shape(), key.has_mask, key.cells);
  const auto is_offered = [&](const std::optional<LaunchChoice>& choice) {
    return choice && std::find(choices.begin(), choices.end(), *choice) != choices.end();
  };
  const bool is_small = key.cells[0] * key.cells[1] * key.cells[2] < least_cells;
  // Where memory moves with every sweep there is one way to launch it, for columns, and between
  // grids.
  const bool has_one_way = kernels.shape().most_in_place > 0 || kernels.subject().columns ||
                           kernels.shape().reads_other_grids;
  if (!policy_->tries() || is_small || has_one_way) {
    return {policy_->without_trying(choices)};
  }
  const auto& [x, y, z] = key.cells;
  const std::string name = task.stage->name + " " +
                           hash_text(kernels.subject().graph->signature()).substr(0, 12) + " on " +
                           std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z) +
                           " cells of " + std::to_string(bytes_of_cell(*task.stage)) + " bytes" +
                           (key.has_mask ? " masked" : "");
  const auto known = policy_->memory().find(name_, name);
  if (is_offered(known)) return {*known, true};
  const auto alike = found_for_alike(key);
  if (is_offered(alike)) return {*alike};
  const auto found = fastest(choices, kernels, task, sweep, stream);
  if (!found) return {choices.front()};
  policy_->memory().remember(name_, name, *found);
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
  kernels.prepare(capability(device_), choices);
  const auto run_once = [&](const LaunchChoice& choice) {
    run(kernels, choice, task, sweep, stream, {});
  };
  QueueTimer timer(stream, "timing a sweep");
  std::vector<Trial> trials;
  LaunchChoice warm = choices.front();
  run_once(warm);
  for (const auto& choice : choices) {
    if (!choice.is_same_kernel(warm)) {  // loaded and launched once
      run_once(choice);
      warm = choice;
    }
    trials.push_back({choice, timer.time([&] { run_once(choice); })});
  }
  // Of the best few again, so that one lucky launch does not decide.
  std::sort(trials.begin(), trials.end());
  trials.resize(std::min<std::size_t>(trials.size(), 5));
  for (Trial& trial : trials) trial.seconds = 0;
  for (int repetition = 0; repetition < 4; ++repetition) {
    for (Trial& trial : trials) {
      trial.seconds += timer.time([&] { run_once(trial.choice); });
    }
  }
  return std::min_element(trials.begin(), trials.end())->choice;
}

}  // namespace goban::cuda
