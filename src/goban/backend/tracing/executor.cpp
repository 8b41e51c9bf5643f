#include "goban/backend/tracing/executor.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "goban/backend/fourier_task.hpp"

namespace goban {
namespace {

using std::chrono::steady_clock;
using Bar = Timeline::Bar;

/// Clocks of devices and of the host drift apart by some microseconds in this time.
constexpr std::chrono::milliseconds between_alignments{500};

/// Bars whose events are held. Where nobody waits for so long, this executor does.
constexpr std::size_t most_pending = 1 << 16;

Bar bar_of(Timeline::Kind kind, const std::string& name) {
  Bar bar;
  bar.kind = kind;
  bar.name = name;
  return bar;
}

class TracingExecutor : public Executor,
                        private SweepBundles,
                        private TemporalBlocking,
                        private DeviceBarriers,
                        private PeerDevices,
                        private DeviceGrouping,
                        public FourierSolver {
 public:
  TracingExecutor(std::shared_ptr<Executor> executor, Timeline& timeline)
      : Executor(executor->traits()),
        executor_(std::move(executor)),
        timeline_(timeline),
        process_(timeline.add_process(name())) {
    Capabilities all{.compiler = executor_->compiler(),
                     .host_reach = executor_->host_reach(),
                     .memory = executor_->device_memory(),
                     .guests = executor_->guests(),
                     .bodies = executor_->bodies()};
    if (executor_->bundles()) all.bundles = this;
    if (executor_->temporal_blocking()) all.temporal_blocking = this;
    if (executor_->barriers()) all.barriers = this;
    if (executor_->peers()) all.peers = this;
    if (executor_->grouping()) all.group = this;
    offer(all);
    keep_times();
    if (executor_->recorder()) {
      timeline.set_note("every cycle was submitted anew: none was replayed as a recorded graph");
    }
  }

  std::shared_ptr<std::byte> allocate(std::size_t bytes) override {
    return executor_->allocate(bytes);
  }
  std::shared_ptr<std::byte> allocate_mirrored(std::size_t bytes) override {
    return executor_->allocate_mirrored(bytes);
  }
  std::size_t bytes_free() const override { return executor_->bytes_free(); }
  void parallel(Index n, const std::function<void(Index begin, Index end)>& work) override {
    executor_->parallel(n, work);
  }
  EventPtr mark(const Submission& submission) override { return executor_->mark(submission); }

  EventPtr sweep(const SweepTask& task, const Submission& submission) override {
    Bar bar = bar_of(Timeline::Kind::sweep, task.stage->name);
    bar.step = task.site.step;
    bar.box = task.box;
    bar.cells = task.box.volume();
    return traced(std::move(bar), submission,
                  [&](const Submission& s) { return executor_->sweep(task, s); });
  }
  EventPtr fill(const std::vector<FillTask>& tasks, const Submission& submission) override {
    Bar bar = bar_of(Timeline::Kind::fill, "fill");
    for (const auto& task : tasks) bar.cells += task.box.volume();
    if (tasks.size() == 1) bar.box = tasks.front().box;
    return traced(std::move(bar), submission,
                  [&](const Submission& s) { return executor_->fill(tasks, s); });
  }
  EventPtr copy(const std::vector<CopyTask>& tasks, const Submission& submission) override {
    Bar bar = bar_of(Timeline::Kind::copy, "copy");
    for (const auto& task : tasks) bar.cells += task.target_box.volume();
    if (tasks.size() == 1) bar.box = tasks.front().target_box;
    return traced(std::move(bar), submission,
                  [&](const Submission& s) { return executor_->copy(tasks, s); });
  }

  void synchronize() override {
    if (!is_asynchronous()) return executor_->synchronize();
    {
      const HostSpan span(&timeline_, Timeline::Kind::wait, "wait for " + name());
      executor_->synchronize();
    }
    read_times();
    if (steady_clock::now() - aligned_ < between_alignments) return;
    keep_times();
    aligned_ = steady_clock::now();
  }

  std::string transforms_refusal() const override {
    FourierSolver* const solver = fourier_solver(*executor_);
    return solver ? solver->transforms_refusal() : "no GPU computes";
  }
  std::string transforms() const override { return fourier_solver(*executor_)->transforms(); }
  std::shared_ptr<FourierPlan> plan_transforms(ElementType type, Index x, Index y,
                                               Index planes) override {
    return fourier_solver(*executor_)->plan_transforms(type, x, y, planes);
  }
  void solve(const FourierTask& task) override { fourier_solver(*executor_)->solve(task); }

 private:
  EventPtr bundle(const std::vector<const SweepTask*>& tasks,
                  const Submission& submission) override {
    Bar bar = bar_of(Timeline::Kind::sweep, "");
    bar.step = tasks.front()->site.step;
    const std::string* last = nullptr;  // boxes of one stage have one name
    for (const SweepTask* task : tasks) {
      const std::string& name = task->stage->name;
      if (!last || *last != name) bar.name += (last ? " + " : "") + name;
      last = &name;
      bar.cells += task->box.volume();
    }
    return traced(std::move(bar), submission,
                  [&](const Submission& s) { return executor_->bundles()->bundle(tasks, s); });
  }
  EventPtr pass(const PassTask& task, const Submission& submission) override {
    const SweepTask& first = task.steps.front().sweep;
    const SweepTask& last = task.steps.back().sweep;
    Bar bar = bar_of(Timeline::Kind::pass, first.stage->name);
    bar.step = first.site.step;
    bar.steps = static_cast<int>(last.site.step - first.site.step) + 1;
    bar.box = last.box;
    for (const auto& step : task.steps) bar.cells += step.sweep.box.volume();
    return traced(std::move(bar), submission, [&](const Submission& s) {
      return executor_->temporal_blocking()->pass(task, s);
    });
  }
  std::string refusal(const Stages& stages, int steps) const override {
    return executor_->temporal_blocking()->refusal(stages, steps);
  }
  int suggested_steps(const Stages& stages, bool is_cached) const override {
    return executor_->temporal_blocking()->suggested_steps(stages, is_cached);
  }
  bool takes_any_length() const override {
    return executor_->temporal_blocking()->takes_any_length();
  }

  void meet(const std::vector<QueueWait>& all) override {
    std::vector<QueueWait> traced = all;
    for (QueueWait& one : traced) {
      one.executor = static_cast<TracingExecutor*>(one.executor)->executor_.get();
    }
    executor_->barriers()->meet(traced);
  }

  std::unique_ptr<PeerPath> open_path(PeerPath::End end, std::size_t most_bytes) override {
    return executor_->peers()->open_path(end, most_bytes);
  }
  EventPtr exchange(const std::vector<MessageTask>& tasks, const Submission& submission) override {
    Bar bar = bar_of(Timeline::Kind::copy, "message");
    for (const auto& task : tasks) {
      for (const auto& copy : task.copies) bar.cells += copy.target_box.volume();
    }
    return traced(std::move(bar), submission,
                  [&](const Submission& s) { return executor_->peers()->exchange(tasks, s); });
  }
  EventPtr meet_over(const std::vector<PeerPath*>& paths, const Submission& submission) override {
    return traced(bar_of(Timeline::Kind::copy, "barrier"), submission,
                  [&](const Submission& s) { return executor_->peers()->meet_over(paths, s); });
  }
  std::vector<std::byte> share(const std::shared_ptr<std::byte>& memory) override {
    return executor_->peers()->share(memory);
  }
  std::shared_ptr<std::byte> open_shared(std::span<const std::byte> handle) override {
    return executor_->peers()->open_shared(handle);
  }

  GroupCard group_card() const override { return executor_->grouping()->group_card(); }
  std::vector<std::byte> invite_group() override { return executor_->grouping()->invite_group(); }
  std::shared_ptr<DeviceGroup> join_group(std::span<const std::byte> invitation, int member,
                                          int members) override {
    return executor_->grouping()->join_group(invitation, member, members);
  }
  EventPtr transfer(DeviceGroup& group, const std::vector<Transfer>& all,
                    const Submission& submission) override {
    return traced(bar_of(Timeline::Kind::copy, "transfer"), submission, [&](const Submission& s) {
      return executor_->grouping()->transfer(group, all, s);
    });
  }

  void keep_times() {
    if (EventTimes* const times = executor_->event_times()) times->keep_times();
  }

  struct Pending {
    Bar bar;
    EventPtr begin, end;
  };

  template <class Submit>
  EventPtr traced(Bar bar, const Submission& submission, Submit&& submit) {
    if (!timeline_.admit()) return submit(submission);
    const bool is_halo = submission.stream == Stream::halo;
    bar.row = is_halo ? Timeline::Row::halo : Timeline::Row::compute;
    bar.process = process_;
    bar.patch = submission.patch;
    if (bar.step < 0) bar.step = submission.step;
    if (!is_asynchronous()) {
      bar.begin = steady_clock::now();
      const EventPtr event = submit(submission);
      bar.end = steady_clock::now();
      timeline_.add(std::move(bar));
      return event;
    }
    // The queue waits at the mark: the bar begins when it need not wait any more.
    EventPtr begin = executor_->mark(submission);
    const EventPtr end = submit({submission.stream, {}, submission.patch, submission.step});
    pending_.push_back({std::move(bar), std::move(begin), end});
    if (pending_.size() == most_pending) synchronize();
    return end;
  }

  /// When all is done.
  void read_times() {
    for (auto& [bar, begin, end] : pending_) {
      auto& free_from = free_from_[static_cast<std::size_t>(bar.row)];
      // A queue does one thing after the other, though times are rounded.
      bar.begin = std::max(begin->completed(), free_from);
      bar.end = std::max(end->completed(), bar.begin);
      free_from = bar.end;
      timeline_.add(std::move(bar));
    }
    pending_.clear();
  }

  std::shared_ptr<Executor> executor_;
  Timeline& timeline_;
  int process_;
  std::vector<Pending> pending_;
  std::array<Timeline::Time, 2> free_from_{};  ///< per queue
  Timeline::Time aligned_ = steady_clock::now();
};

}  // namespace

std::shared_ptr<Executor> make_tracing_executor(std::shared_ptr<Executor> executor,
                                                Timeline& timeline) {
  return std::make_shared<TracingExecutor>(std::move(executor), timeline);
}

}  // namespace goban
