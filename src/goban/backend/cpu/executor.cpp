#include "goban/backend/cpu/executor.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "goban/backend/cpu/column_scratch.hpp"
#include "goban/backend/cpu/tiles.hpp"
#include "goban/backend/host/control_group.hpp"
#include "goban/backend/host/fill.hpp"
#include "goban/backend/host/mirrored_memory.hpp"
#include "goban/backend/pass_length.hpp"
#include "goban/backend/sweep_call.hpp"
#include "goban/base/error.hpp"

namespace goban {
namespace {

/// Work below this many cells is not worth waking the team for.
constexpr Index small = 4096;

/// Some results go to lines that have not just been read.
bool writes_anew(const SweepTask& task) {
  const auto& arguments = task.stage->arguments;
  return std::any_of(arguments.begin(), arguments.end(), [](const StageArgument& argument) {
    return argument.field && argument.access == Access::out;
  });
}

}  // namespace

CpuExecutor::CpuExecutor(std::shared_ptr<ThreadTeam> team, bool streaming_stores,
                         double cache_bytes)
    : Executor({.name = "cpu, " + std::to_string(team->size()) +
                        (team->size() == 1 ? " thread" : " threads"),
                .model = "cpu"}),
      team_(std::move(team)),
      streaming_stores_(streaming_stores),
      cache_bytes_(cache_bytes) {
  offer({.temporal_blocking = this});
}

/// Zeroed by the threads that will work on it, so that its pages lie near them.
std::shared_ptr<std::byte> CpuExecutor::allocate(std::size_t bytes) {
  constexpr std::size_t page = 2 << 20;
  const std::size_t alignment = bytes >= page ? page : 128;
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignment, size));
  if (!memory) {
    throw Error(ExitCode::resources, "no memory for a field",
                std::to_string(bytes >> 20) + " MiB were asked for",
                "use a smaller grid or more machines");
  }
  if (bytes >= page) madvise(memory, size, MADV_HUGEPAGE);
  team_->run_split(
      static_cast<Index>(size),
      [&](Index begin, Index end, int) {
        std::memset(memory + begin, 0, static_cast<std::size_t>(end - begin));
      },
      4096);
  return {memory, [](std::byte* p) { std::free(p); }};
}

std::size_t CpuExecutor::bytes_free() const {
  return static_cast<std::size_t>(process_memory().available);
}

std::shared_ptr<std::byte> CpuExecutor::allocate_ring(std::size_t bytes) {
  const auto ring = std::make_shared<MirroredMemory>(static_cast<Index>(bytes));
  return {ring, ring->data()};
}

EventPtr CpuExecutor::sweep(const SweepTask& task, const Submission&) {
  const SweepKernels& kernels = task.stage->kernels;
  SweepCall call = make_call(task);
  const bool is_large = cpu::bytes_touched(task) > cache_bytes_;
  const bool spans_grids = reads_other_grids(task);
  const SweepFunction kernel = spans_grids ? kernels.between_grids
                               : is_large  ? kernels.pack
                                           : kernels.in_cache;
  call.streaming = streaming_stores_ && is_large && !spans_grids && writes_anew(task);
  std::vector<FieldBinding> fields = task.fields;
  for (auto& field : fields) {
    field.from_memory = is_large;
    if (field.places) call.streaming = false;  // lines that are read just before
  }
  call.fields = fields.data();
  if (task.stage->columns) {
    team_->run([&](int thread) {
      SweepCall mine = call;
      mine.box = mine.tile =
          cpu::columns_of_thread(task.box, task.order, call.column_axis, team_->size(), thread);
      if (!mine.box.empty()) kernel(mine);
    });
    return nullptr;
  }
  const Index rows = cpu::rows_per_tile(task);
  if (team_->size() == 1 || task.box.volume() < small) {
    cpu::run_tiles(kernel, call, task, rows);
    return nullptr;
  }
  std::mutex mutex;
  team_->run([&](int thread) {
    SweepCall mine = call;
    mine.box = cpu::thread_part(task.box, task.order, team_->size(), thread, kernels.walks_groups);
    if (mine.box.empty()) return;
    Reducer partial;
    if (task.reducer) {
      partial.kind = task.reducer->kind;
      mine.reducer = &partial;
    }
    cpu::run_tiles(kernel, mine, task, rows);
    if (task.reducer) {
      const std::lock_guard lock(mutex);
      task.reducer->merge(partial);
    }
  });
  return nullptr;
}

EventPtr CpuExecutor::fill(const std::vector<FillTask>& tasks, const Submission&) {
  Index cells = 0;
  for (const auto& task : tasks) cells += task.box.volume();
  if (team_->size() == 1 || cells < small) {
    for (const auto& task : tasks) host::run_fill(task);
    return nullptr;
  }
  team_->run([&](int thread) {
    for (FillTask task : tasks) {
      task.box = cpu::fill_part(task, team_->size(), thread);
      if (!task.box.empty()) host::run_fill(task);
    }
  });
  return nullptr;
}

EventPtr CpuExecutor::copy(const std::vector<CopyTask>& tasks, const Submission&) {
  Index cells = 0;
  for (const auto& task : tasks) cells += task.target_box.volume();
  if (team_->size() == 1 || cells < small) {
    for (const auto& task : tasks) host::run_copy(task);
    return nullptr;
  }
  team_->run([&](int thread) {
    for (CopyTask task : tasks) {
      const Index3 to_source = task.source_box.lower - task.target_box.lower;
      task.target_box = cpu::thread_part(task.target_box, task.order, team_->size(), thread);
      task.source_box = shifted(task.target_box, to_source);
      if (!task.target_box.empty()) host::run_copy(task);
    }
  });
  return nullptr;
}

EventPtr CpuExecutor::pass(const PassTask& task, const Submission&) {
  cpu::run_pass(task, *team_);
  return nullptr;
}

int CpuExecutor::suggested_steps(const Stages& stages, bool is_cached) const {
  return is_cached ? 1 : longest_pass_on_cpus(stages);
}

void CpuExecutor::parallel(Index n, const std::function<void(Index begin, Index end)>& work) {
  team_->run_split(n, [&](Index begin, Index end, int) { work(begin, end); });
}

}  // namespace goban
