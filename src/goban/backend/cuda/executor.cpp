#include "goban/backend/cuda/executor.hpp"

#include <cstring>
#include <utility>

#include "goban/backend/cuda/bodies.hpp"
#include "goban/backend/cuda/compiled/loop_recording.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"
#include "goban/backend/cuda/driver/cufft.hpp"
#include "goban/backend/cuda/driver/measure.hpp"
#include "goban/backend/cuda/driver/mirrored_memory.hpp"
#include "goban/backend/cuda/driver/nccl.hpp"
#include "goban/backend/cuda/events.hpp"
#include "goban/backend/cuda/fill.hpp"
#include "goban/backend/cuda/fourier.hpp"
#include "goban/backend/cuda/host_waits.hpp"
#include "goban/backend/cuda/inspect.hpp"
#include "goban/backend/cuda/kernels/exact_sum.cuh"
#include "goban/backend/cuda/launch/march_launcher.hpp"
#include "goban/backend/cuda/launch/sweep_launcher.hpp"
#include "goban/backend/cuda/recording.hpp"
#include "goban/backend/cuda/transfer/copy.hpp"
#include "goban/backend/cuda/transfer/peer_path.hpp"
#include "goban/backend/cuda/transfer/queue_barriers.hpp"
#include "goban/backend/pass_length.hpp"
#include "goban/backend/profiler_range.hpp"
#include "goban/backend/sweep_call.hpp"

namespace goban::cuda {
namespace {

/// Returns a scalar stage as a sweep over one cell. Numbers that it writes are bound as fields;
/// numbers that it only reads are bound as numbers, because the same number may be passed a second
/// time to be written.
SweepTask as_sweep(const ScalarTask& task) {
  SweepTask sweep;
  sweep.stage = task.stage->as_sweep;
  sweep.box = {{0, 0, 0}, {1, 1, 1}};
  const std::size_t count = task.numbers.size();
  sweep.fields.resize(2 * count);
  sweep.values.resize(2 * count);
  sweep.numbers.resize(2 * count);
  for (std::size_t n = 0; n < count; ++n) {
    sweep.numbers[n] = task.numbers[n];
    FieldBinding& result = sweep.fields[count + n];
    result.write = reinterpret_cast<std::byte*>(task.numbers[n]);
    result.read = result.write;
    if (sweep.stage->arguments[n].access != Access::in) result.clip = sweep.box;
  }
  return sweep;
}

ReductionMemory make_reduction_memory() {
  constexpr std::size_t bytes = device::reduction_words * sizeof(device::uint64);
  ReductionMemory made;
  made.state = cuda::allocate(bytes, "allocating memory");
  // Not in the queue, which may be recorded.
  check(driver().cuMemsetD8Async(address(made.state), 0, bytes, nullptr), "clearing memory");
  check(driver().cuStreamSynchronize(nullptr), "clearing memory");
  made.result = allocate_pinned(sizeof(ExactSum::State));
  std::memset(made.result, 0, sizeof(ExactSum::State));
  return made;
}

class CudaExecutor : public Executor,
                     private Recorder,
                     private DeviceLoops,
                     private KernelCompiler,
                     private SweepBundles,
                     private TemporalBlocking,
                     private EventTimes,
                     private DeviceBarriers,
                     private HostReach,
                     private DeviceMemory,
                     private GuestWork,
                     private PeerDevices,
                     private DeviceGrouping,
                     private BodyKernels,
                     public FourierSolver {
 public:
  CudaExecutor(int number, std::vector<int> peers, HostParallel parallel,
               std::shared_ptr<LaunchPolicy> launches)
      : Executor({.name = "cuda:" + std::to_string(number) + " " + name_of(number),
                  .model = name_of(number),
                  .is_asynchronous = true,
                  .has_own_memory = true,
                  .line = 128,
                  .mirrored_page = static_cast<Index>(cuda::mirrored_page(number))}),
        device_(std::make_shared<Device>(number)),
        peers_(std::move(peers)),
        parallel_(std::move(parallel)),
        launcher_(number, name_of(number), std::move(launches)) {
    const OnDevice current(number);
    int least = 0, greatest = 0;
    check(driver().cuCtxGetStreamPriorityRange(&least, &greatest), "starting");
    const auto start = [](CUstream& stream, int priority) {
      check(driver().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, priority),
            "starting");
    };
    start(compute_, least);
    start(halo_, greatest);
    start(posts_, greatest);
    start(clearing_, least);
    device_->replays = compute_;
    offer_all();
  }
  ~CudaExecutor() override {
    const OnDevice current(device_->number);
    driver().cuStreamSynchronize(compute_);
    driver().cuStreamSynchronize(halo_);
    bodies_.close();
    for (const CUstream stream : {compute_, halo_, posts_, clearing_}) {
      driver().cuStreamDestroy(stream);
    }
    if (staging_) driver().cuMemFreeHost(staging_);
    if (result_) free_memory(result_);
  }
  CudaExecutor(const CudaExecutor&) = delete;
  CudaExecutor& operator=(const CudaExecutor&) = delete;

  std::shared_ptr<std::byte> allocate(std::size_t bytes) override {
    const OnDevice current(device_->number);
    void* const memory = allocate_if_free(bytes, "allocating memory");
    if (!memory) refuse_memory(bytes);
    clear(memory, bytes);
    return {static_cast<std::byte*>(memory), [](std::byte* p) { free_memory(p); }};
  }

  std::shared_ptr<std::byte> allocate_mirrored(std::size_t bytes) override {
    const OnDevice current(device_->number);
    auto memory = cuda::allocate_mirrored(device_->number, peers_, bytes);
    if (!memory) refuse_memory(bytes);
    clear(memory.get(), bytes);
    return memory;
  }

  std::unique_ptr<PeerPath> open_path(PeerPath::End end, std::size_t most_bytes) override {
    return open_peer_path(device_->number, end, most_bytes);
  }
  EventPtr exchange(const std::vector<MessageTask>& tasks, const Submission& submission) override {
    const ProfilerRange range("message");
    const OnDevice current(device_->number);
    const CUstream stream = begin(submission);
    const NotesNodes notes(nodes_of(submission));
    exchange_messages(tasks, stream);
    return done(stream);
  }

  EventPtr meet_over(const std::vector<PeerPath*>& paths, const Submission& submission) override {
    const ProfilerRange range("barrier");
    const OnDevice current(device_->number);
    const CUstream stream = begin(submission);
    cuda::meet_over(paths, stream);
    return std::make_shared<CudaEvent>(device_, stream);
  }
  std::vector<std::byte> share(const std::shared_ptr<std::byte>& memory) override {
    return cuda::share(device_->number, memory);
  }
  std::shared_ptr<std::byte> open_shared(std::span<const std::byte> handle) override {
    return cuda::open_shared(device_->number, handle);
  }

  GroupCard group_card() const override { return cuda::group_card(device_->number); }
  std::vector<std::byte> invite_group() override { return cuda::invite_group(); }
  std::shared_ptr<DeviceGroup> join_group(std::span<const std::byte> invitation, int member,
                                          int members) override {
    return cuda::join_group(device_->number, invitation, member, members);
  }
  EventPtr transfer(DeviceGroup& group, const std::vector<Transfer>& all,
                    const Submission& submission) override {
    if (is_changing()) return nullptr;  // its memory is its own
    const ProfilerRange range("transfer");
    const OnDevice current(device_->number);
    const CUstream stream = begin(submission);
    transfer_messages(group, all, stream);
    return std::make_shared<CudaEvent>(device_, stream);
  }

  std::shared_ptr<void> reach(std::byte* memory, std::size_t bytes) override {
    const OnDevice current(device_->number);
    if (!register_memory(memory, bytes)) return nullptr;
    return {memory, [](void* p) { unregister_memory(p); }};
  }

  EventPtr sweep(const SweepTask& task, const Submission& submission) override {
    const ProfilerRange range(task.stage->name);
    const OnDevice current(device_->number);
    const CUstream stream = begin(submission);
    const SweepCall sweep = make_call(task);
    const NotesNodes notes(nodes_of(submission));
    if (task.reducer) return launch({&task}, stream);
    launcher_.launch(task, sweep, stream);
    return done(stream);
  }

  EventPtr bundle(const std::vector<const SweepTask*>& tasks,
                  const Submission& submission) override {
    const ProfilerRange range(tasks.front()->stage->name);
    const OnDevice current(device_->number);
    const CUstream stream = begin(submission);
    const NotesNodes notes(nodes_of(submission));
    return launch(tasks, stream);
  }

  EventPtr fill(const std::vector<FillTask>& tasks, const Submission& submission) override {
    const ProfilerRange range("fill");
    const OnDevice current(device_->number);
    const CUstream stream = begin(submission);
    const NotesNodes notes(nodes_of(submission));
    run_fills(tasks, rules_, stream);
    return done(stream);
  }

  EventPtr copy(const std::vector<CopyTask>& tasks, const Submission& submission) override {
    const ProfilerRange range("copy");
    const OnDevice current(device_->number);
    const CUstream stream = begin(submission);
    const NotesNodes notes(nodes_of(submission));
    copy_pieces(tasks, stream);
    return done(stream);
  }

  std::string refusal(const Stages& stages, int steps) const override {
    return refusal_of_device_passes(stages, steps, has_copy_engine(device_->number));
  }
  int suggested_steps(const Stages& stages, bool /*is_cached*/) const override {
    return longest_pass_on_devices(stages, has_copy_engine(device_->number));
  }
  bool takes_any_length() const override { return false; }
  EventPtr pass(const PassTask& task, const Submission& submission) override {
    const ProfilerRange range(task.steps.front().sweep.stage->name);
    const OnDevice current(device_->number);
    const CUstream stream = begin(submission);
    const NotesNodes notes(nodes_of(submission));
    launcher_.pass(task, stream);
    return done(stream);
  }

  void keep_times() override {
    const OnDevice current(device_->number);
    if (!device_->base) {
      check(driver().cuEventCreate(&device_->base, CU_EVENT_DEFAULT), "making an event");
    }
    for (int round = 0; round < 3; ++round) {  // the first ones are slow
      const auto before = std::chrono::steady_clock::now();
      check(driver().cuEventRecord(device_->base, compute_), "recording an event");
      check(driver().cuEventSynchronize(device_->base), "computing");
      device_->base_time = before + (std::chrono::steady_clock::now() - before) / 2;
    }
  }
  EventPtr mark(const Submission& submission) override {
    const OnDevice current(device_->number);
    return std::make_shared<CudaEvent>(device_, begin(submission));
  }

  void synchronize() override {
    const OnDevice current(device_->number);
    check(driver().cuStreamSynchronize(compute_), "computing");
    check(driver().cuStreamSynchronize(halo_), "exchanging halos");
    rules_.rethrow();
  }

  void meet(const std::vector<QueueWait>& all) override {
    std::vector<QueueBarriers::Wait> waits;
    for (const QueueWait& one : all) {
      const auto& executor = static_cast<const CudaExecutor&>(*one.executor);
      for (const auto& event : one.waits) {
        const auto& work = static_cast<const CudaEvent&>(*event);
        waits.push_back({executor.queue(one.stream), {work.device(), work.stream()}});
      }
    }
    queue_barriers_->hold(waits);
  }

  void begin_recording(const std::vector<Executor*>& all) override {
    made_ = std::make_unique<CudaRecording>([all](CudaRecording* recording) {
      for (Executor* executor : all) static_cast<CudaExecutor&>(*executor).recording_ = recording;
    });
    for (Executor* executor : all) {
      made_->counts().add(static_cast<CudaExecutor&>(*executor).device_->number);
    }
    std::vector<DeviceQueue> queues;
    for (Executor* executor : all) {
      auto& one = static_cast<CudaExecutor&>(*executor);
      one.recording_ = made_.get();
      one.device_->recording = ++one.device_->recordings;
      one.device_->post = [&one](CUevent event) { return one.post(event); };
      const OnDevice current(one.device_->number);
      check(driver().cuStreamBeginCapture(one.compute_, CU_STREAM_CAPTURE_MODE_RELAXED),
            "recording");
      queues.push_back(one.queue(Stream::compute));
    }
    // When this runs again, others may still be at it for the last time.
    if (all.size() > 1) queue_barriers_->hold_all(queues);
    for (Executor* executor : all) static_cast<CudaExecutor&>(*executor).fork();
  }
  std::unique_ptr<Recording> end_recording(const std::vector<Executor*>& all) override {
    for (Executor* executor : all) {
      auto& one = static_cast<CudaExecutor&>(*executor);
      one.recording_ = nullptr;
      one.device_->post = nullptr;
      one.join();
      one.device_->recording = 0;
      made_->add(one.device_->number, one.compute_);
    }
    return std::move(made_);
  }

  EventPtr compute(const ScalarTask& task, const Submission& submission) override {
    const ProfilerRange range(task.stage->name);
    const OnDevice current(device_->number);
    const CUstream stream = begin(submission);
    const SweepTask sweep = as_sweep(task);
    launcher_.launch(sweep, make_call(sweep), stream);
    return done(stream);
  }
  void compile(const std::vector<TaskAhead>& tasks) override {
    const OnDevice current(device_->number);
    std::vector<KernelSource> sources;
    const auto add = [&](const auto& task) {
      using Task = std::decay_t<decltype(task)>;
      if constexpr (std::is_same_v<Task, std::vector<FillTask>>) {
        add_fill_sources(task, sources);
      } else if constexpr (std::is_same_v<Task, std::vector<CopyTask>>) {
        add_copy_sources(task, sources);
      } else if constexpr (std::is_same_v<Task, ScalarTask>) {
        launcher_.add_sources(as_sweep(task), sources);
        sources.push_back(end_round_kernel().source());
        sources.push_back(enter_loop_kernel().source());
      } else {
        launcher_.add_sources(task, sources);
      }
    };
    for (const TaskAhead& one : tasks) std::visit([&](const auto* task) { add(*task); }, one);
    prepare_on(device_->number, sources);
  }
  /// The driver has taken bytes of pageable memory when its call returns.
  void upload_numbers(const std::shared_ptr<std::byte>& to, const std::byte* from,
                      std::size_t bytes) override {
    const OnDevice current(device_->number);
    check(driver().cuMemcpyHtoDAsync(address(to.get()), from, bytes, compute_),
          "writing its memory");
  }
  /// Copies into pageable memory are done when the driver's call returns.
  void download_numbers(std::byte* to, const std::shared_ptr<std::byte>& from,
                        std::size_t bytes) override {
    const OnDevice current(device_->number);
    check(driver().cuMemcpyDtoHAsync(to, address(from.get()), bytes, compute_),
          "reading its memory");
    check(driver().cuStreamSynchronize(compute_), "computing");
  }
  /// Each part of a body counts as a recording of its own, so that no event of one part is waited
  /// for in another.
  void begin_loop(const LoopEnd* end) override {
    const OnDevice current(device_->number);
    if (loop_) {
      join();
    } else {
      loop_ = std::make_unique<LoopRecording>(device_->number, compute_);
    }
    loop_->begin(end);
    device_->recording = ++device_->recordings;
    fork();
  }
  std::unique_ptr<Recording> end_loop() override {
    const OnDevice current(device_->number);
    join();
    loop_->end();
    const bool is_complete = loop_->is_complete();
    device_->recording = is_complete ? 0 : ++device_->recordings;
    if (is_complete) return std::exchange(loop_, nullptr);
    fork();
    return nullptr;
  }

  void abandon_loops() override {
    const OnDevice current(device_->number);
    loop_ = nullptr;
    device_->recording = 0;
  }

  void parallel(Index n, const std::function<void(Index begin, Index end)>& work) override {
    parallel_(n, work);
  }

  DeviceQueue queue(Stream stream) const {
    return {device_->number, stream == Stream::compute ? compute_ : halo_};
  }
  void set_barriers(std::shared_ptr<QueueBarriers> barriers) {
    queue_barriers_ = std::move(barriers);
    offer_all();
  }

 private:
  /// Offers its capabilities. Several GPUs can record only if they wait for each other by barriers,
  /// because each becomes a graph of its own and events do not cross graphs.
  void offer_all() {
    offer({.recorder = peers_.size() == 1 || queue_barriers_ ? this : nullptr,
           .loops = has_device_loops() ? this : nullptr,
           .compiler = this,
           .temporal_blocking = this,
           .event_times = this,
           .barriers = queue_barriers_ ? this : nullptr,
           .host_reach = this,
           .memory = this,
           .guests = this,
           .peers = this,
           .group = this,
           .bundles = this,
           .bodies = this});
  }

  /// Lets the halo queue start, within a recording, with the compute queue.
  void fork() {
    const OnDevice current(device_->number);
    wait_for(compute_, halo_);
  }
  void join() {
    const OnDevice current(device_->number);
    wait_for(halo_, compute_);
    if (std::exchange(counts_replays_, false)) wait_for(posts_, compute_);
  }
  /// Lets everything that a queue gets from now on wait for what another queue has got.
  void wait_for(CUstream other, CUstream stream) {
    const CudaEvent event(device_, other);
    check(driver().cuStreamWaitEvent(stream, event.handle(), 0), "recording");
  }

  /// Returns the counters of this recording, and makes the recording count its replays.
  ReplayCounts& counts() {
    if (!std::exchange(counts_replays_, true)) {
      recording_->counts().count_replay(device_->number, compute_);
      for (const CUstream stream : {halo_, posts_}) wait_for(compute_, stream);
    }
    return recording_->counts();
  }
  /// Records that the host is told when an event is reached. This happens on a queue of its own, so
  /// that nothing else waits for it.
  std::shared_ptr<Counter> post(CUevent event) {
    const OnDevice current(device_->number);
    ReplayCounts& counts = this->counts();
    check(driver().cuStreamWaitEvent(posts_, event, 0), "recording");
    return counts.post(device_->number, posts_);
  }

  [[noreturn]] void refuse_memory(std::size_t bytes) const {
    std::size_t free = 0, total = 0;
    driver().cuMemGetInfo(&free, &total);
    throw Error(ExitCode::resources, "no memory for a field on " + name(),
                std::to_string(bytes >> 20) + " MiB were asked for, " + std::to_string(free >> 20) +
                    " MiB are free",
                "use a smaller grid or more devices");
  }
  /// Clears memory that no work uses, on a queue of its own, because the other queues may be
  /// recording.
  void clear(void* memory, std::size_t bytes) {
    check(driver().cuMemsetD8Async(address(memory), 0, bytes, clearing_), "clearing memory");
    check(driver().cuStreamSynchronize(clearing_), "clearing memory");
  }

  int device_number() const override { return device_->number; }
  void* stream() const override { return compute_; }
  void begin_guest_work() override {
    const OnDevice current(device_->number);
    wait_for(halo_, compute_);
  }
  void end_guest_work() override {
    const OnDevice current(device_->number);
    wait_for(compute_, halo_);
  }
  void run_guest(const std::function<void()>& work) override {
    const OnDevice current(device_->number);
    work();
  }
  void let_wait(void* stream) override {
    const OnDevice current(device_->number);
    wait_for(compute_, static_cast<CUstream>(stream));
  }
  void await_guests() override {
    const OnDevice current(device_->number);
    check(driver().cuCtxSynchronize(), "computing");
  }

  std::size_t bytes_free() const override {
    const OnDevice current(device_->number);
    std::size_t free = 0, total = 0;
    check(driver().cuMemGetInfo(&free, &total), "being asked for its memory");
    return free;
  }
  double copy_bandwidth() override {
    const OnDevice current(device_->number);
    return measure_copy(compute_);
  }
  void look_for_nonfinite(const std::vector<DeviceCells>& all) override {
    const OnDevice current(device_->number);
    if (!nonfinite_) nonfinite_ = allocate(sizeof(std::uint64_t));
    wait_for(halo_, compute_);
    cuda::look_for_nonfinite(all, reinterpret_cast<unsigned long long*>(nonfinite_.get()),
                             compute_);
    wait_for(compute_, halo_);
  }
  std::uint64_t first_nonfinite() override {
    if (!nonfinite_) return ~std::uint64_t{0};
    std::uint64_t found = 0;
    const OnDevice current(device_->number);
    check(driver().cuMemcpyDtoHAsync(&found, address(nonfinite_.get()), sizeof(found), compute_),
          "looking at its values");
    check(driver().cuStreamSynchronize(compute_), "looking at its values");
    if (found != 0) clear(nonfinite_.get(), sizeof(found));
    return ~found;
  }
  std::uint64_t checksum(const DeviceCells& cells) override {
    const OnDevice current(device_->number);
    return cuda::checksum(cells, result(), compute_);
  }
  void reduce(const DeviceCells& cells, Reducer& reducer) override {
    const OnDevice current(device_->number);
    cuda::reduce(cells, reducer, result(), compute_);
  }
  unsigned long long* result() {
    if (!result_) {
      result_ = static_cast<unsigned long long*>(
          cuda::allocate(sizeof(ExactSum::State), "allocating memory"));
    }
    return result_;
  }
  void run(BodyWork work, const BodyTask& task) override {
    const OnDevice current(device_->number);
    if (work == BodyWork::repel) return bodies_.run(work, task, halo_);
    if (work == BodyWork::sum) {
      bodies_.begin_step(compute_);
      wait_for(halo_, compute_);
    }
    bodies_.run(work, task, compute_);
    if (work == BodyWork::push) wait_for(compute_, halo_);
  }
  bool has_failed(const BodyTask&) override {
    const OnDevice current(device_->number);
    return bodies_.has_failed();
  }
  BodyTimes times() const override { return bodies_.times(); }
  std::string transforms_refusal() const override { return cufft_refusal(); }
  std::string transforms() const override { return cufft_version(); }
  std::shared_ptr<FourierPlan> plan_transforms(ElementType type, Index x, Index y,
                                               Index planes) override {
    const OnDevice current(device_->number);
    return std::make_shared<CufftPlan>(type, x, y, planes);
  }
  void solve(const FourierTask& task) override {
    const OnDevice current(device_->number);
    solve_by_waves(task, compute_);
  }
  void put(void* to, const void* from, std::size_t bytes) override {
    upload(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
  }
  void take(void* to, const void* from, std::size_t bytes) override {
    {
      const OnDevice current(device_->number);
      wait_for(compute_, halo_);
    }
    download(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
  }
  std::byte* staging(std::size_t bytes) override {
    if (bytes > staging_bytes_) {
      const OnDevice current(device_->number);
      staging_bytes_ = 0;
      if (staging_) driver().cuMemFreeHost(std::exchange(staging_, nullptr));
      staging_ = static_cast<std::byte*>(allocate_pinned(bytes));
      staging_bytes_ = bytes;
    }
    return staging_;
  }
  void download(std::byte* to, const std::byte* from, std::size_t bytes) override {
    const OnDevice current(device_->number);
    check(driver().cuMemcpyDtoHAsync(to, address(from), bytes, halo_), "reading its memory");
    check(driver().cuStreamSynchronize(halo_), "reading its memory");
  }
  void upload(std::byte* to, const std::byte* from, std::size_t bytes) override {
    const OnDevice current(device_->number);
    check(driver().cuMemcpyHtoDAsync(address(to), from, bytes, halo_), "writing its memory");
    check(driver().cuStreamSynchronize(halo_), "writing its memory");
  }

  bool is_changing() const { return recording_ && recording_->is_complete(); }
  RecordedNodes* nodes_of(const Submission& submission) {
    if (!recording_ || submission.recorded_as < 0) return nullptr;
    return &recording_->nodes(device_->number, submission.recorded_as);
  }
  /// Returns the event of everything the queue has got so far; null while recorded work is changed,
  /// as the queue then gets nothing.
  EventPtr done(CUstream stream) const {
    return is_changing() ? nullptr : std::make_shared<CudaEvent>(device_, stream);
  }

  /// Returns the queue of a submission and lets it wait for what the submission waits for.
  CUstream begin(const Submission& submission) {
    const CUstream stream = submission.stream == Stream::compute ? compute_ : halo_;
    if (is_changing()) return stream;
    for (const auto& event : submission.waits) {
      if (const auto* own = dynamic_cast<const CudaEvent*>(event.get())) {
        if (own->is_over()) continue;
        check(driver().cuStreamWaitEvent(stream, own->handle(), 0), "waiting");
      } else if (recording_) {
        if (auto count = event->replay_count()) counts().hold(device_->number, count, stream);
      } else {
        host_waits_.hold(event->host_count().value(), stream);
      }
    }
    return stream;
  }

  /// Launches sweeps and reductions and returns their event.
  EventPtr launch(const std::vector<const SweepTask*>& tasks, CUstream stream) {
    if (is_changing()) {
      launcher_.launch(tasks, recorded_nodes->reductions, stream);
      return nullptr;
    }
    std::vector<ReductionMemory> memories;
    std::vector<ReductionEvent::Part> parts;
    for (const SweepTask* task : tasks) {
      if (!task->reducer) continue;
      memories.push_back(device_->reductions.take(make_reduction_memory));
      parts.push_back({memories.back(), task->result ? nullptr : task->reducer});
    }
    if (recorded_nodes) recorded_nodes->reductions = memories;
    launcher_.launch(tasks, memories, stream);
    if (parts.empty()) return done(stream);
    return std::make_shared<ReductionEvent>(device_, stream, std::move(parts));
  }

  std::shared_ptr<Device> device_;
  std::vector<int> peers_;
  std::shared_ptr<QueueBarriers> queue_barriers_;
  HostWaits host_waits_;
  HostParallel parallel_;
  SweepLauncher launcher_;
  HostRules rules_;
  BodyLauncher bodies_;
  CUstream compute_ = nullptr, halo_ = nullptr, posts_ = nullptr, clearing_ = nullptr;
  bool counts_replays_ = false;           ///< whether replays are counted in the recording
  CudaRecording* recording_ = nullptr;    ///< the recording that its work goes to; null: none
  std::unique_ptr<CudaRecording> made_;   ///< the recording, if this device was asked to make it
  std::unique_ptr<LoopRecording> loop_;   ///< the loop, while its body is recorded
  unsigned long long* result_ = nullptr;  ///< where inspections of fields leave their result
  /// The inverse of the least number of a value that is not finite, found so far.
  std::shared_ptr<std::byte> nonfinite_;
  std::byte* staging_ = nullptr;
  std::size_t staging_bytes_ = 0;
};

}  // namespace

std::vector<std::shared_ptr<Executor>> make_executors(const std::vector<int>& numbers,
                                                      const HostParallel& parallel,
                                                      const std::string& launches) {
  const int count = device_count();
  for (const int number : numbers) {
    if (number < count) continue;
    throw Error(
        ExitCode::resources, "there is no GPU " + std::to_string(number),
        !driver_refusal().empty() ? driver_refusal() : "this machine has " + std::to_string(count),
        "`goban doctor` lists them");
  }
  // An MPI that takes memory of GPUs works with the one that is current when it is called.
  check(driver().cuCtxSetCurrent(context_of(numbers.front())), "selecting a device");
  for (const int a : numbers) {
    const OnDevice current(a);
    for (const int b : numbers) {
      int reaches = 0;
      if (a != b) {
        check(driver().cuDeviceCanAccessPeer(&reaches, a, b), "looking for its neighbours");
      }
      if (reaches != 0) driver().cuCtxEnablePeerAccess(context_of(b), 0);  // may be already
    }
  }
  std::vector<std::shared_ptr<CudaExecutor>> executors;
  std::vector<DeviceQueue> queues;
  const auto policy = std::make_shared<LaunchPolicy>(launches);
  for (const int number : numbers) {
    executors.push_back(std::make_shared<CudaExecutor>(number, numbers, parallel, policy));
    for (const Stream stream : {Stream::compute, Stream::halo}) {
      queues.push_back(executors.back()->queue(stream));
    }
  }
  if (numbers.size() > 1 && QueueBarriers::are_possible(numbers)) {
    const auto barriers = std::make_shared<QueueBarriers>(queues);
    for (const auto& executor : executors) executor->set_barriers(barriers);
  }
  return {executors.begin(), executors.end()};
}

}  // namespace goban::cuda
