#include "goban/backend/cpu/executor.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "goban/backend/cpu/column_scratch.hpp"
#include "goban/backend/cpu/stage_kernel.hpp"
#include "goban/backend/cpu/tiles.hpp"
#include "goban/backend/host/control_group.hpp"
#include "goban/backend/host/field_memory.hpp"
#include "goban/backend/host/fill.hpp"
#include "goban/backend/host/mirrored_memory.hpp"
#include "goban/backend/pass_length.hpp"
#include "goban/backend/sweep_call.hpp"

namespace goban {
namespace {

/// Work on fewer cells than this is done by the calling thread alone.
constexpr Index small = 4096;

/// Returns whether another sweep of the bundle reads what this one writes.
bool is_read_again(const SweepTask& task, const std::vector<const SweepTask*>& all) {
  const auto& arguments = task.stage->arguments;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (!arguments[a].field || arguments[a].access != Access::out) continue;
    for (const SweepTask* other : all) {
      const bool reads =
          std::any_of(other->fields.begin(), other->fields.end(), [&](const FieldBinding& field) {
            return other != &task && field.read && field.read == task.fields[a].write;
          });
      if (reads) return true;
    }
  }
  return false;
}

/// Returns how many rows of a plane fit into the second-level cache, so that they stay there from
/// one sweep of a bundle to the next.
Index rows_at_hand(const std::vector<const SweepTask*>& tasks, const cpu::KernelShape& shape) {
  constexpr double cache = 256e3;  // bytes
  double bytes = 0;
  for (const SweepTask* task : tasks) bytes += cpu::bytes_touched(*task);
  const SweepTask& first = *tasks.front();
  const double rows = cache * static_cast<double>(first.box.volume()) /
                      (bytes * static_cast<double>(first.box.extent(first.order[0])));
  return std::clamp<Index>(static_cast<Index>(rows), 4, cpu::rows_per_tile(first, shape));
}

}  // namespace

/// A kernel and its call for a single sweep.
struct CpuExecutor::Call {
  const cpu::StageKernel& kernel;
  bool is_in_cache;
  std::vector<FieldBinding> fields;
  SweepCall call;
};

CpuExecutor::CpuExecutor(std::shared_ptr<ThreadTeam> team, bool streaming_stores,
                         double cache_bytes)
    : Executor({.name = "cpu, " + std::to_string(team->size()) +
                        (team->size() == 1 ? " thread" : " threads"),
                .model = "cpu"}),
      team_(std::move(team)),
      streaming_stores_(streaming_stores),
      cache_bytes_(cache_bytes) {
  offer({.temporal_blocking = this, .bundles = this});
}

/// The threads that will work on the memory zero it, so that its pages lie near them.
std::shared_ptr<std::byte> CpuExecutor::allocate(std::size_t bytes) {
  constexpr std::size_t page = 2 << 20;
  AlignedMemory memory = host::field_memory(bytes, bytes >= page ? page : 128);
  if (bytes >= page) madvise(memory.get(), bytes, MADV_HUGEPAGE);
  team_->run_split(
      static_cast<Index>(bytes),
      [&](Index begin, Index end, int) {
        std::memset(memory.get() + begin, 0, static_cast<std::size_t>(end - begin));
      },
      4096);
  return memory;
}

std::size_t CpuExecutor::bytes_free() const {
  return static_cast<std::size_t>(process_memory().available);
}

std::shared_ptr<std::byte> CpuExecutor::allocate_mirrored(std::size_t bytes) {
  const auto ring = std::make_shared<MirroredMemory>(static_cast<Index>(bytes));
  return {ring, ring->data()};
}

CpuExecutor::Call CpuExecutor::call_of(const SweepTask& task) const {
  const bool is_large = cpu::bytes_touched(task) > cache_bytes_;
  const bool spans_grids = reads_other_grids(task);
  Call made{cpu::kernel_of(task.stage), !is_large, task.fields, make_call(task)};
  made.call.streaming = streaming_stores_ && is_large && !spans_grids && cpu::writes_anew(task);
  for (auto& field : made.fields) {
    field.from_memory = is_large;
    if (field.places) made.call.streaming = false;  // lines that are read just before
  }
  made.call.fields = made.fields.data();
  return made;
}

EventPtr CpuExecutor::sweep(const SweepTask& task, const Submission&) {
  const Call made = call_of(task);
  const cpu::StageKernel& kernel = made.kernel;
  const SweepCall& call = made.call;
  if (task.stage->columns) {
    team_->run([&](int thread) {
      SweepCall mine = call;
      mine.box = mine.tile =
          cpu::columns_of_thread(task.box, task.order, call.column_axis, team_->size(), thread);
      if (!mine.box.empty()) cpu::StageRun(kernel, mine, made.is_in_cache)(mine);
    });
    return nullptr;
  }
  const Index rows = cpu::rows_per_tile(task, kernel.shape());
  if (team_->size() == 1 || task.box.volume() < small) {
    cpu::StageRun run(kernel, call, made.is_in_cache);
    cpu::run_tiles(run, kernel.shape(), call, task, rows);
    return nullptr;
  }
  cpu::SharedTiles tiles(task, kernel.shape(), team_->size(), rows);
  std::mutex mutex;
  team_->run([&](int thread) {
    SweepCall mine = call;
    Reducer partial;
    if (task.reducer) {
      partial.kind = task.reducer->kind;
      mine.reducer = &partial;
    }
    cpu::StageRun run(kernel, mine, made.is_in_cache);
    while (tiles.take(thread, mine)) {
      cpu::run_tiles(run, kernel.shape(), mine, task, mine.box.extent(task.order[1]));
    }
    if (task.reducer) {
      const std::lock_guard lock(mutex);
      task.reducer->merge(partial);
    }
  });
  return nullptr;
}

/// Runs all sweeps of a bundle over some rows of a few planes at a time, so that each finds in
/// cache what the one before has left there.
EventPtr CpuExecutor::bundle(const std::vector<const SweepTask*>& tasks,
                             const Submission& submission) {
  const SweepTask& first = *tasks.front();
  const bool are_alike = std::all_of(tasks.begin(), tasks.end(), [&](const SweepTask* task) {
    return task->box == first.box && task->order == first.order;
  });
  if (!are_alike) {
    for (const SweepTask* task : tasks) sweep(*task, submission);
    return nullptr;
  }
  std::vector<Call> calls;
  calls.reserve(tasks.size());
  for (const SweepTask* task : tasks) {
    Call& one = calls.emplace_back(call_of(*task));
    one.call.streaming = one.call.streaming && !is_read_again(*task, tasks);
  }
  const int middle = first.order[1], slow = first.order[2];
  const cpu::KernelShape& shape = calls.front().kernel.shape();
  const Index rows = rows_at_hand(tasks, shape), planes = shape.planes_together();
  const auto run = [&](const Box& box, std::vector<Reducer>& partials) {
    std::vector<cpu::StageRun> runs;
    for (const Call& one : calls) runs.emplace_back(one.kernel, one.call, one.is_in_cache);
    Box tile = box, part;
    for (Index m = box.lower[middle]; m < box.upper[middle]; m += rows) {
      tile.lower[middle] = m;
      tile.upper[middle] = std::min(m + rows, box.upper[middle]);
      part = tile;
      for (Index s = box.lower[slow]; s < box.upper[slow]; s += planes) {
        part.lower[slow] = s;
        part.upper[slow] = std::min(s + planes, box.upper[slow]);
        for (std::size_t t = 0; t < tasks.size(); ++t) {
          SweepCall call = calls[t].call;
          call.box = part;
          call.tile = tile;
          call.reducer = &partials[t];
          runs[t](call);
        }
      }
    }
  };
  std::mutex mutex;
  team_->run([&](int thread) {
    const Box mine =
        cpu::thread_part(first.box, first.order, team_->size(), thread, shape.walks_groups, true);
    if (mine.empty()) return;
    std::vector<Reducer> partials(tasks.size());
    for (std::size_t t = 0; t < tasks.size(); ++t) partials[t].kind = tasks[t]->stage->reduction;
    run(mine, partials);
    const std::lock_guard lock(mutex);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      if (tasks[t]->reducer) tasks[t]->reducer->merge(partials[t]);
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
      task.target_box =
          cpu::thread_part(task.target_box, task.order, team_->size(), thread, false, true);
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

bool CpuExecutor::is_preparing() const { return cpu::code_statistics().coming > 0; }

void CpuExecutor::parallel(Index n, const std::function<void(Index begin, Index end)>& work) {
  team_->run_split(n, [&](Index begin, Index end, int) { work(begin, end); });
}

}  // namespace goban
