// A device that is not there; see goban/backend/emulated.hpp.

#include <cstdlib>
#include <cstring>
#include <functional>

#include "goban/backend/api.hpp"
#include "goban/backend/cpu/stage_kernel.hpp"
#include "goban/backend/emulated.hpp"
#include "goban/backend/host/control_group.hpp"
#include "goban/backend/host/field_memory.hpp"
#include "goban/backend/host/fill.hpp"
#include "goban/backend/host/mirrored_memory.hpp"
#include "goban/backend/host/queue_recording.hpp"
#include "goban/backend/sweep_call.hpp"
#include "goban/base/error.hpp"
#include "goban_interface.hpp"
#include "tests/emulated/bodies.hpp"
#include "tests/emulated/delayed_queue.hpp"
#include "tests/emulated/device_group.hpp"
#include "tests/emulated/fourier.hpp"
#include "tests/emulated/peer_path.hpp"
#include "tests/emulated/schedule_check.hpp"

namespace goban {
namespace {

using emulated::DelayedQueue;
using host::QueueRecording;

/// `reducer`: where values that are reduced go.
void run_sweep(const SweepTask& task, const Box& box, Reducer* reducer) {
  SweepCall call = make_call(task);
  call.reducer = reducer;
  call.box = call.tile = box;
  std::vector<double> values = task.values;
  for (std::size_t a = 0; a < task.numbers.size(); ++a) {
    if (task.numbers[a]) values[a] = *task.numbers[a];
  }
  call.values = values.data();
  if (task.site.now) {
    call.site.step = static_cast<Index>(task.site.now[0]);
    call.site.time = task.site.now[1];
  }
  cpu::StageRun(cpu::kernel_of(task.stage), call, false)(call);
}

void run_alone(const SweepTask& task) {
  Reducer reducer;
  reducer.kind = task.stage->reduction;
  run_sweep(task, task.box, task.result ? &reducer : task.reducer);
  if (task.result) *task.result = reducer.value();
}

/// All of them in some cells, then in others: who reads what another makes elsewhere gets it wrong.
void run_bundle(const std::vector<SweepTask>& tasks) {
  constexpr Index3 cells{16, 3, 2};
  Box all = tasks.front().box;
  for (const SweepTask& task : tasks) all = hull(all, task.box);
  std::vector<Reducer> reducers(tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) reducers[t].kind = tasks[t].stage->reduction;
  for (Index k = all.lower[2]; k < all.upper[2]; k += cells[2]) {
    for (Index j = all.lower[1]; j < all.upper[1]; j += cells[1]) {
      for (Index i = all.lower[0]; i < all.upper[0]; i += cells[0]) {
        const Index3 lower{i, j, k};
        for (std::size_t t = 0; t < tasks.size(); ++t) {
          const Box part = intersection(tasks[t].box, {lower, lower + cells});
          if (!part.empty()) run_sweep(tasks[t], part, &reducers[t]);
        }
      }
    }
  }
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (tasks[t].result) {
      *tasks[t].result = reducers[t].value();
    } else if (tasks[t].reducer) {
      tasks[t].reducer->merge(reducers[t]);
    }
    for (const auto& send : tasks[t].sends) host::run_copy(send);
  }
}

void run_scalar(const ScalarTask& task) {
  const auto& parameters = task.stage->parameters;
  for (std::size_t n = 0; n < parameters.size(); ++n) parameters[n]->value = *task.numbers[n];
  task.stage->function();
  for (std::size_t n = 0; n < parameters.size(); ++n) *task.numbers[n] = parameters[n]->value;
}

/// A loop whose body is made of pieces, recorded work and loops, which are waited for one by one.
class LoopRecording : public Recording {
 public:
  LoopRecording(const LoopEnd* end, bool is_inner, Executor& executor)
      : end_(end ? std::optional(*end) : std::nullopt), is_inner_(is_inner), executor_(executor) {}

  void add(std::unique_ptr<Recording> piece) { pieces_.push_back(std::move(piece)); }

  void replay() override {
    if (!end_) return run_body();
    const LoopEnd& end = *end_;
    if (is_inner_) {
      if (*end.missed != 0) return;
      *end.rounds = 0;
      *end.entered += 1;
      if (is_lost()) *end.missed = end.mark;
      if (*end.missed != 0 || is_over()) return;
    }
    do {
      run_body();
      *end.rounds += 1;
      if (is_inner_) *end.all_rounds += 1;
      if (*end.missed != 0 || is_over()) return;
    } while (*end.rounds < *end.most_rounds && !is_lost());
    if (end.mark != 0) *end.missed = end.mark;
  }
  void begin_changes() override { require(false, "bodies of loops are not changed"); }
  void end_changes() override {}

 private:
  void run_body() {
    for (const auto& piece : pieces_) {
      piece->replay();
      executor_.synchronize();
    }
  }
  bool is_lost() const { return end_->number && *end_->number != *end_->number; }
  bool is_over() const {
    if (!end_->number) return false;
    return end_->is_below ? *end_->number < end_->bound : *end_->number > end_->bound;
  }

  std::vector<std::unique_ptr<Recording>> pieces_;
  std::optional<LoopEnd> end_;
  bool is_inner_;
  Executor& executor_;
};

class EmulatedDevice : public Executor,
                       private Recorder,
                       private DeviceLoops,
                       private KernelCompiler,
                       private SweepBundles,
                       private PeerDevices,
                       private DeviceGrouping,
                       private BodyKernels,
                       public FourierSolver {
 public:
  EmulatedDevice(int number, std::uint64_t seed, int longest_delay, double speed)
      : Executor({.name = "emulated device " + std::to_string(number),
                  .model = "emulated device " + std::to_string(speed),
                  .is_asynchronous = true,
                  .has_own_memory = true}),
        speed_(speed),
        compute_(mix(seed) + 1000003u * static_cast<std::uint64_t>(number), longest_delay, clock()),
        halo_(mix(seed + 1) + 1000003u * static_cast<std::uint64_t>(number), longest_delay,
              clock()) {
    offer({.recorder = this,
           .loops = this,
           .compiler = this,
           .peers = this,
           .group = this,
           .bundles = this,
           .bodies = this});
  }

  std::shared_ptr<std::byte> allocate(std::size_t bytes) override {
    AlignedMemory memory = host::field_memory(bytes, 128);
    std::memset(memory.get(), 0, bytes);
    return memory;
  }

  std::size_t bytes_free() const override {
    return static_cast<std::size_t>(process_memory().available);
  }
  std::shared_ptr<std::byte> allocate_mirrored(std::size_t bytes) override {
    const auto ring = std::make_shared<MirroredMemory>(static_cast<Index>(bytes));
    return {ring, ring->data()};
  }

  EventPtr sweep(const SweepTask& task, const Submission& submission) override {
    const auto work = [task] {
      run_alone(task);
      for (const auto& send : task.sends) host::run_copy(send);
    };
    return submit(submission, work, time_of(task.box.volume()));
  }
  EventPtr fill(const std::vector<FillTask>& tasks, const Submission& submission) override {
    const auto work = [tasks] {
      for (const auto& task : tasks) host::run_fill(task);
    };
    return submit(submission, work, time_of(0));
  }
  EventPtr copy(const std::vector<CopyTask>& tasks, const Submission& submission) override {
    const auto work = [tasks] {
      for (const auto& task : tasks) host::run_copy(task);
    };
    return submit(submission, work, time_of(0));
  }
  EventPtr mark(const Submission& submission) override {
    return submit(submission, [] {}, {});
  }
  void synchronize() override {
    compute_.drain();
    halo_.drain();
  }
  void parallel(Index n, const std::function<void(Index, Index)>& work) override {
    synchronize();
    work(0, n);
  }

 private:
  EventPtr bundle(const std::vector<const SweepTask*>& tasks,
                  const Submission& submission) override {
    std::vector<SweepTask> all;
    Index cells = 0;
    for (const SweepTask* task : tasks) {
      all.push_back(*task);
      cells += task->box.volume();
    }
    return submit(
        submission, [all = std::move(all)] { run_bundle(all); }, time_of(cells));
  }
  /// There are none, but lists are made ahead as for devices that have kernels.
  void compile(const std::vector<TaskAhead>& /*tasks*/) override {}
  void run(BodyWork work, const BodyTask& task) override {
    const auto run = [work, task] { emulated::run_bodies(work, task); };
    if (work == BodyWork::repel) {
      halo_.push({}, run, {});
      return;
    }
    const EventPtr halos = work == BodyWork::sum ? halo_.push({}, [] {}, {}) : nullptr;
    const EventPtr done = compute_.push(halos ? std::vector{halos} : std::vector<EventPtr>{}, run);
    if (work == BodyWork::move) moved_ = done;
    if (work == BodyWork::push) halo_.push({done}, [] {}, {});
  }
  bool has_failed(const BodyTask& task) override {
    moved_->wait();
    return *task.step.has_failed != 0;
  }
  void put(void* to, const void* from, std::size_t bytes) override {
    halo_.drain();
    std::memcpy(to, from, bytes);
  }
  void take(void* to, const void* from, std::size_t bytes) override {
    synchronize();
    std::memcpy(to, from, bytes);
  }
  BodyTimes times() const override { return {}; }
  std::string transforms_refusal() const override { return ""; }
  std::string transforms() const override { return "their definition"; }
  std::shared_ptr<FourierPlan> plan_transforms(ElementType, Index, Index, Index) override {
    return nullptr;
  }
  void solve(const FourierTask& task) override { emulated::solve_by_waves(task); }
  std::unique_ptr<PeerPath> open_path(PeerPath::End end, std::size_t most_bytes) override {
    return emulated::open_peer_path(end, most_bytes);
  }
  EventPtr exchange(const std::vector<MessageTask>& tasks, const Submission& submission) override {
    const auto work = [tasks] { emulated::exchange_messages(tasks); };
    return submit(submission, work, time_of(0));
  }
  EventPtr meet_over(const std::vector<PeerPath*>& paths, const Submission& submission) override {
    const auto work = [paths] { emulated::meet_over(paths); };
    return submit(submission, work, time_of(0));
  }
  std::vector<std::byte> share(const std::shared_ptr<std::byte>& memory) override {
    return emulated::share(memory);
  }
  std::shared_ptr<std::byte> open_shared(std::span<const std::byte> handle) override {
    return emulated::open_shared(handle);
  }
  GroupCard group_card() const override { return emulated::group_card(this); }
  std::vector<std::byte> invite_group() override {
    hall_ = emulated::make_hall();
    return emulated::invitation_to(hall_);
  }
  std::shared_ptr<DeviceGroup> join_group(std::span<const std::byte> invitation, int member,
                                          int /*members*/) override {
    return emulated::join_group(invitation, member);
  }
  EventPtr transfer(DeviceGroup& group, const std::vector<Transfer>& all,
                    const Submission& submission) override {
    const auto work = [&group, all] { emulated::transfer_messages(group, all); };
    return submit(submission, work, time_of(0));
  }
  void begin_recording(const std::vector<Executor*>& all) override {
    std::vector<host::Queue*> queues;
    for (Executor* executor : all) {
      auto& one = static_cast<EmulatedDevice&>(*executor);
      queues.insert(queues.end(), {&one.compute_, &one.halo_});
    }
    made_ = std::make_unique<QueueRecording>(std::move(queues), [all](QueueRecording* recording) {
      for (Executor* executor : all) static_cast<EmulatedDevice&>(*executor).recording_ = recording;
    });
  }
  std::unique_ptr<Recording> end_recording(const std::vector<Executor*>&) override {
    made_->end();
    return std::move(made_);
  }

  EventPtr compute(const ScalarTask& task, const Submission& submission) override {
    return submit(
        submission, [task] { run_scalar(task); }, time_of(0));
  }
  void upload_numbers(const std::shared_ptr<std::byte>& to, const std::byte* from,
                      std::size_t bytes) override {
    const EventPtr read = halo_.push({}, [] {}, {});
    const EventPtr written = compute_.push({read},
                                           [to, all = std::vector<std::byte>(from, from + bytes)] {
                                             std::memcpy(to.get(), all.data(), all.size());
                                           },
                                           {});
    halo_.push({written}, [] {}, {});
  }
  void download_numbers(std::byte* to, const std::shared_ptr<std::byte>& from,
                        std::size_t bytes) override {
    synchronize();
    std::memcpy(to, from.get(), bytes);
  }
  void begin_loop(const LoopEnd* end) override {
    if (!loops_.empty()) loops_.back()->add(end_recording({this}));
    loops_.push_back(std::make_unique<LoopRecording>(end, !loops_.empty(), *this));
    begin_recording({this});
  }
  std::unique_ptr<Recording> end_loop() override {
    std::unique_ptr<LoopRecording> loop = std::move(loops_.back());
    loops_.pop_back();
    loop->add(end_recording({this}));
    if (loops_.empty()) return loop;
    loops_.back()->add(std::move(loop));
    begin_recording({this});
    return nullptr;
  }
  void abandon_loops() override {
    end_recording({this});
    loops_.clear();
  }

  EventPtr submit(const Submission& submission, std::function<void()> work,
                  std::chrono::nanoseconds takes) {
    DelayedQueue& queue = this->queue(submission.stream);
    return recording_ ? recording_->add(queue, submission, std::move(work), takes)
                      : queue.push(submission.waits, std::move(work), takes);
  }
  DelayedQueue& queue(Stream stream) { return stream == Stream::compute ? compute_ : halo_; }
  host::Clock clock() const { return speed_ > 0 ? host::Clock::queue : host::Clock::host; }

  /// The time that one operation on so many cells takes; none without a speed.
  std::chrono::nanoseconds time_of(Index cells) const {
    constexpr double start = 20e3, per_cell = 100;  // nanoseconds
    if (speed_ <= 0) return {};
    return std::chrono::nanoseconds(
        static_cast<std::int64_t>(start + per_cell / speed_ * static_cast<double>(cells)));
  }

  double speed_;
  std::shared_ptr<emulated::Hall> hall_;  ///< the hall of the group that it last invited to
  DelayedQueue compute_;
  DelayedQueue halo_;
  EventPtr moved_;                       ///< the latest move of bodies
  QueueRecording* recording_ = nullptr;  ///< what it is given goes there
  /// The recording, if this device was asked to make it.
  std::unique_ptr<QueueRecording> made_;
  std::vector<std::unique_ptr<LoopRecording>> loops_;  ///< being recorded, each within the last
};

std::shared_ptr<Executor> make(int number, std::uint64_t seed, int longest_delay_microseconds,
                               double speed) {
  return std::make_shared<EmulatedDevice>(number, seed, longest_delay_microseconds, speed);
}

}  // namespace
}  // namespace goban

extern "C" {
extern const goban::EmulatedModule goban_emulated_module;
const goban::EmulatedModule goban_emulated_module = {GOBAN_INTERFACE, goban::make,
                                                     goban::emulated::check_schedule};
}
