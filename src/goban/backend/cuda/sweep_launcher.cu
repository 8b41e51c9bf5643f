#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

#include "goban/backend/cuda/copy.cuh"
#include "goban/backend/cuda/march_task.hpp"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/sends.hpp"
#include "goban/backend/cuda/sweep_launcher.hpp"
#include "goban/backend/cuda/trial_memory.cuh"
#include "goban/backend/cuda/turn.cuh"

namespace goban::cuda {
namespace {

/// A sweep of fewer cells is over before its shape matters.
constexpr Index least_cells = Index{1} << 18;

void run(const LaunchChoice& choice, const SweepTask& task, const SweepCall& sweep, void* stream,
         const std::vector<SendsOfArgument>& sends = {}) {
  const DeviceKernels& kernels = task.stage->kernels.device;
  if (choice.march) {
    march_sweep(task, sweep, stream);
  } else {
    DeviceCall call;
    call.sweep = &sweep;
    if (!sends.empty()) call.sends = sends.data();
    call.shape = choice.shape;
    call.stream = stream;
    kernel_of(kernels, choice.block)(call);
  }
  check(cudaGetLastError(), "starting a sweep");
}

/// What a queue got last, one node, if it is recorded.
cudaGraphNode_t latest_node(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
#if CUDART_VERSION >= 13000
  check(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &edges, &count),
        "recording");
#else
  check(cudaStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, &nodes, &edges, &count),
        "recording");
#endif
  if (status != cudaStreamCaptureStatusActive) return nullptr;
  require(count == 1, "a sweep was not recorded as one launch");
  return nodes[0];
}

/// Times launches in a queue.
class LaunchTimer {
 public:
  explicit LaunchTimer(cudaStream_t stream) : stream_(stream) {
    check(cudaEventCreate(&start_), "timing a sweep");
    check(cudaEventCreate(&end_), "timing a sweep");
  }
  ~LaunchTimer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(end_);
  }
  LaunchTimer(const LaunchTimer&) = delete;
  LaunchTimer& operator=(const LaunchTimer&) = delete;

  /// Milliseconds.
  template <class Launch>
  float time(Launch&& launch) {
    check(cudaEventRecord(start_, stream_), "timing a sweep");
    launch();
    check(cudaEventRecord(end_, stream_), "timing a sweep");
    check(cudaEventSynchronize(end_), "timing a sweep");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, end_), "timing a sweep");
    return milliseconds;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr, end_ = nullptr;
};

/// Where memory moves with every sweep there is one way to launch it.
bool has_choices(const Stage& stage) {
  return std::none_of(stage.arguments.begin(), stage.arguments.end(), [](const auto& argument) {
    return argument.field && argument.field->in_place;
  });
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

std::string readable_name(const std::type_info& type) {
  int status = 0;
  char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  const std::string text = status == 0 ? name : type.name();
  std::free(name);
  return text;
}

}  // namespace

LaunchPolicy::LaunchPolicy(const std::string& text)
    : tries_(text == "tuned" || text == "anew"),
      forced_(launch_choice(text)),
      memory_(tries_ ? launch_cache_file() : std::filesystem::path()) {
  if (text == "anew") memory_.forget();
}

LaunchChoice LaunchPolicy::without_trying(const std::vector<LaunchChoice>& choices) const {
  const bool is_known = forced_ && std::any_of(choices.begin(), choices.end(), [&](const auto& c) {
                          return c.march == forced_->march && c.block == forced_->block;
                        });
  return is_known ? *forced_ : choices.front();
}

RecordedLaunch SweepLauncher::launch(const SweepTask& task, const SweepCall& sweep, void* stream) {
  const Stage& stage = *task.stage;
  const auto cells = [&](int i) {
    return task.box.extent(static_cast<int>(task.order[static_cast<std::size_t>(i)]));
  };
  const Key key{reinterpret_cast<const void*>(stage.kernels.device.sweeps[0].launch),
                {cells(0), cells(1), cells(2)},
                stage.mask != nullptr,
                stage.constant_footprint};
  auto at = chosen_.find(key);
  if (at == chosen_.end()) {
    at = chosen_.emplace(key, choose(key, task, sweep, stream)).first;
  }
  const LaunchChoice& choice = at->second.choice;
  const Sends sends = divide_sends(task, !choice.march);
  run(choice, task, sweep, stream, sends.by_kernel);
  RecordedLaunch launch{choice, nullptr};
  if (task.recorded_as >= 0) launch.node = latest_node(static_cast<cudaStream_t>(stream));
  copy_pieces(sends.by_copy, static_cast<cudaStream_t>(stream));
  return launch;
}

void SweepLauncher::change(const RecordedLaunch& launch, void* graph, const SweepTask& task,
                           const SweepCall& sweep) {
  const Sends sends = divide_sends(task, !launch.choice.march);
  const LaunchNode node{static_cast<cudaGraphExec_t>(graph),
                        static_cast<cudaGraphNode_t>(launch.node)};
  launch_to_change = &node;
  try {
    run(launch.choice, task, sweep, nullptr, sends.by_kernel);
  } catch (...) {
    launch_to_change = nullptr;
    throw;
  }
  launch_to_change = nullptr;
}

SweepLauncher::Chosen SweepLauncher::choose(const Key& key, const SweepTask& task,
                                            const SweepCall& sweep, void* stream) {
  const auto choices = launch_choices(*task.stage, key.cells);
  const auto is_offered = [&](const std::optional<LaunchChoice>& choice) {
    return choice && std::find(choices.begin(), choices.end(), *choice) != choices.end();
  };
  const bool is_small = key.cells[0] * key.cells[1] * key.cells[2] < least_cells;
  if (!policy_->tries() || is_small || !has_choices(*task.stage)) {
    return {policy_->without_trying(choices)};
  }
  const auto& [x, y, z] = key.cells;
  const std::string name = readable_name(*task.stage->kernels.device.functor) + " on " +
                           std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z) +
                           " cells of " + std::to_string(bytes_of_cell(*task.stage)) + " bytes" +
                           (key.has_mask ? " masked" : "") +
                           (key.reads_as_typed ? "" : " reading farther");
  const auto known = policy_->memory().find(device_, name);
  if (is_offered(known)) return {*known, true};
  const auto alike = found_for_alike(key);
  if (is_offered(alike)) return {*alike};
  const auto found = fastest(choices, task, sweep, stream);
  if (!found) return {choices.front()};
  policy_->memory().remember(device_, name, *found);
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
                                                   const SweepTask& task, const SweepCall& call,
                                                   void* stream) const {
  const auto queue = static_cast<cudaStream_t>(stream);
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(queue, &capture), "timing a sweep");
  if (capture != cudaStreamCaptureStatusNone) return {};
  struct Trial {
    LaunchChoice choice;
    float milliseconds;
    bool operator<(const Trial& other) const { return milliseconds < other.milliseconds; }
  };
  const auto memory = TrialMemory::of(task);
  if (!memory) return {};
  SweepCall sweep = call;
  sweep.fields = memory->fields();
  LaunchTimer timer(queue);
  std::vector<Trial> trials;
  run(choices.front(), task, sweep, stream);
  for (const auto& choice : choices) {
    trials.push_back({choice, timer.time([&] { run(choice, task, sweep, stream); })});
  }
  // Of the best few again, so that one lucky launch does not decide.
  std::sort(trials.begin(), trials.end());
  trials.resize(std::min<std::size_t>(trials.size(), 5));
  for (Trial& trial : trials) trial.milliseconds = 0;
  for (int repetition = 0; repetition < 4; ++repetition) {
    for (Trial& trial : trials) {
      trial.milliseconds += timer.time([&] { run(trial.choice, task, sweep, stream); });
    }
  }
  return std::min_element(trials.begin(), trials.end())->choice;
}

}  // namespace goban::cuda
