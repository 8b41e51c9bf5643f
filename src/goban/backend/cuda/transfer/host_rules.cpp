#include "goban/backend/cuda/transfer/host_rules.hpp"

#include "goban/backend/cuda/compiled/kernel_launch.hpp"

#include <algorithm>
#include <utility>

#include "goban/backend/cuda/compiled/recorded_nodes.hpp"
#include "goban/backend/cuda/transfer/copy.hpp"
#include "goban/backend/host/fill.hpp"

namespace goban::cuda {
namespace {

/// Returns the box of the ghosts of a task and of the inner cells that its rule may see.
Box box_of(const FillTask& task) {
  Box box = task.box;
  const Index reach = box.extent(task.axis) + GhostCell::most + 1;
  if (task.side == Side::low) {
    box.upper[task.axis] = std::min(box.upper[task.axis] + reach, task.cells + 1);
  } else {
    box.lower[task.axis] = std::max<Index>(box.lower[task.axis] - reach, 0);
  }
  return box;
}

/// Returns the binding of a dense array over the box.
FieldBinding dense(std::byte* memory, const FillTask& task, const Box& box) {
  const auto [fast, middle, slow] = task.order;
  FieldBinding binding;
  binding.stride[static_cast<std::size_t>(fast)] = 1;
  binding.stride[static_cast<std::size_t>(middle)] = box.extent(fast);
  binding.stride[static_cast<std::size_t>(slow)] = box.extent(fast) * box.extent(middle);
  Index origin = 0;
  for (int a = 0; a < 3; ++a) origin += box.lower[a] * binding.stride[static_cast<std::size_t>(a)];
  binding.write = memory - origin * static_cast<Index>(size_of(task.type));
  binding.read = binding.write;
  return binding;
}

CopyTask copy_of(const FillTask& task, const Box& box, const FieldBinding& source,
                 const FieldBinding& target) {
  CopyTask copy;
  copy.type = task.type;
  copy.order = task.order;
  copy.source_box = copy.target_box = box;
  copy.source = source;
  copy.target = target;
  return copy;
}

}  // namespace

/// The host's part of a custom fill. It evaluates the next task that was given or, if there is
/// none, the latest one again, as in replays.
class RuleOnHost {
 public:
  RuleOnHost(HostRules& rules, std::byte* memory) : memory(memory), rules_(rules) {}

  /// The host's memory for the cells.
  std::byte* const memory;

  void give(FillTask task) {
    const std::lock_guard lock(mutex_);
    given_.push_back(std::move(task));
  }
  void run() {
    try {
      host::run_fill(take());
    } catch (...) {
      const std::lock_guard lock(rules_.mutex_);
      if (!rules_.failure_) rules_.failure_ = std::current_exception();
    }
  }

 private:
  FillTask take() {
    const std::lock_guard lock(mutex_);
    if (!given_.empty()) {
      latest_ = std::move(given_.front());
      given_.pop_front();
    }
    return latest_;
  }

  HostRules& rules_;
  std::mutex mutex_;
  std::deque<FillTask> given_;
  FillTask latest_;
};

namespace {

void run_again(void* rule) { static_cast<RuleOnHost*>(rule)->run(); }
void run_once(void* rule) {
  run_again(rule);
  delete static_cast<RuleOnHost*>(rule);
}

}  // namespace

HostRules::~HostRules() {
  for (std::byte* memory : all_) driver().cuMemFreeHost(memory);
}

/// Returns pinned memory of the host for fills that are not recorded. One piece per queue is
/// enough, as its work runs in order.
std::byte* HostRules::scratch(CUstream stream, std::size_t bytes) {
  Scratch& scratch = scratch_[stream];
  if (scratch.bytes < bytes) {
    scratch = {static_cast<std::byte*>(allocate_pinned(2 * bytes)), 2 * bytes};
    all_.push_back(scratch.memory);
  }
  return scratch.memory;
}

void HostRules::run(const FillTask& task, CUstream stream) {
  const Box box = box_of(task);
  const bool changes = changes_recorded_nodes();
  std::shared_ptr<RuleOnHost> recorded;
  std::unique_ptr<RuleOnHost> once;
  if (changes) {
    recorded = RecordedNodes::next(recorded_nodes->rules, recorded_nodes->next_rule);
  } else {
    const std::size_t bytes = static_cast<std::size_t>(box.volume()) * size_of(task.type);
    once = std::make_unique<RuleOnHost>(*this, scratch(stream, bytes));
    if (recorded_nodes) recorded = std::move(once);
    require(recorded || !is_capturing(stream), "a rule was recorded without a number");
  }
  RuleOnHost& rule = recorded ? *recorded : *once;
  FillTask on_host = task;
  on_host.field = dense(rule.memory, task, box);
  rule.give(on_host);
  copy_pieces({copy_of(task, box, task.field, on_host.field)}, stream);
  if (!changes) {
    check(driver().cuLaunchHostFunc(stream, recorded ? run_again : run_once, &rule),
          "filling ghost cells");
    static_cast<void>(once.release());  // it goes when it has run
    if (recorded) recorded_nodes->rules.push_back(std::move(recorded));
  }
  copy_pieces({copy_of(task, task.box, on_host.field, task.field)}, stream, Before::host_work);
}

void HostRules::rethrow() {
  std::exception_ptr failure;
  {
    const std::lock_guard lock(mutex_);
    failure = std::exchange(failure_, nullptr);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace goban::cuda
