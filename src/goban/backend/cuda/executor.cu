#include "goban/backend/cuda/executor.hpp"

#include <mutex>
#include <utility>

#include "goban/backend/cuda/copy.cuh"
#include "goban/backend/cuda/fill.cuh"
#include "goban/backend/cuda/inspect.cuh"
#include "goban/backend/cuda/march_task.hpp"
#include "goban/backend/cuda/measure.cuh"
#include "goban/backend/cuda/ring.hpp"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/sweep_launcher.hpp"
#include "goban/backend/profiler_range.hpp"

namespace goban::cuda {
namespace {

/// Things that are dear to make and may be used again, by one device.
template <class T>
class Pool {
 public:
  template <class Make>
  T take(Make&& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        T thing = free_.back();
        free_.pop_back();
        return thing;
      }
    }
    return make();
  }
  void give(T thing) {
    const std::lock_guard lock(mutex_);
    free_.push_back(thing);
  }
  template <class Destroy>
  void clear(Destroy&& destroy) {
    for (T& thing : free_) destroy(thing);
    free_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<T> free_;
};

constexpr std::size_t state_integers = ExactSum::limb_count + 3;

/// A reduction's state on the device and where it arrives on the host.
struct ReductionBuffer {
  void* device = nullptr;
  std::int64_t* host = nullptr;
};

/// What the executor and its events share; lives as long as any of them.
struct Device {
  int number;
  Pool<cudaEvent_t> events;
  Pool<ReductionBuffer> reductions;
  cudaEvent_t base = nullptr;  ///< recorded at base_time; null: events keep no times
  std::chrono::steady_clock::time_point base_time;

  explicit Device(int n) : number(n) {}
  ~Device() {
    const OnDevice current(number);
    events.clear([](cudaEvent_t e) { cudaEventDestroy(e); });
    reductions.clear([](ReductionBuffer& b) {
      cudaFree(b.device);
      cudaFreeHost(b.host);
    });
    if (base) cudaEventDestroy(base);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
};

class CudaEvent : public Event {
 public:
  CudaEvent(std::shared_ptr<Device> device, cudaStream_t stream) : device_(std::move(device)) {
    event_ = device_->events.take([&] {
      cudaEvent_t event;
      const unsigned flags = device_->base ? cudaEventDefault : cudaEventDisableTiming;
      check(cudaEventCreateWithFlags(&event, flags), "making an event");
      return event;
    });
    check(cudaEventRecord(event_, stream), "recording an event");
  }
  ~CudaEvent() override { device_->events.give(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  void wait() override { check(cudaEventSynchronize(event_), "computing"); }
  std::chrono::steady_clock::time_point completed() const override {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, device_->base, event_), "being asked for a time");
    const std::chrono::duration<double, std::milli> elapsed(milliseconds);
    return device_->base_time +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(elapsed);
  }
  cudaEvent_t handle() const { return event_; }

 protected:
  std::shared_ptr<Device> device_;

 private:
  cudaEvent_t event_;
};

/// Completion of a reduction: the first who waits hands the result to the reducer.
class ReductionEvent : public CudaEvent {
 public:
  ReductionEvent(std::shared_ptr<Device> device, cudaStream_t stream, ReductionBuffer buffer,
                 Reducer* reducer)
      : CudaEvent(std::move(device), stream), buffer_(buffer), reducer_(reducer) {}
  ~ReductionEvent() override { device_->reductions.give(buffer_); }
  ReductionEvent(const ReductionEvent&) = delete;
  ReductionEvent& operator=(const ReductionEvent&) = delete;

  void wait() override {
    CudaEvent::wait();
    if (!reducer_) return;
    Reducer& reducer = *std::exchange(reducer_, nullptr);
    const std::int64_t* state = buffer_.host;
    if (reducer.kind == Reduction::sum) {
      ExactSum::State sum;
      std::copy(state, state + state_integers, sum.begin());
      reducer.sum.merge(sum);
      return;
    }
    const bool is_minimum = reducer.kind == Reduction::minimum;
    if (*state == unreached(is_minimum)) return;
    const std::int64_t bits = *state >= 0 ? *state : *state ^ 0x7fffffffffffffff;
    const double value = std::bit_cast<double>(bits);
    reducer.add(&value, 1);
  }
  /// The state before anything was added.
  static std::int64_t unreached(bool is_minimum) {
    return is_minimum ? std::numeric_limits<std::int64_t>::max()
                      : std::numeric_limits<std::int64_t>::min();
  }

 private:
  ReductionBuffer buffer_;
  Reducer* reducer_;
};

/// A graph of work, perhaps of several devices, submitted to a queue of the first.
class CudaRecording : public Recording {
 public:
  CudaRecording(std::shared_ptr<Device> device, cudaGraphExec_t graph, cudaStream_t stream)
      : device_(std::move(device)), graph_(graph), stream_(stream) {}
  ~CudaRecording() override {
    const OnDevice current(device_->number);
    cudaGraphExecDestroy(graph_);
  }
  CudaRecording(const CudaRecording&) = delete;
  CudaRecording& operator=(const CudaRecording&) = delete;

  void replay() override {
    const ProfilerRange range("recorded cycle");
    const OnDevice current(device_->number);
    check(cudaGraphLaunch(graph_, stream_), "starting recorded work");
  }

 private:
  std::shared_ptr<Device> device_;
  cudaGraphExec_t graph_;
  cudaStream_t stream_;
};

std::string name_of(int number) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, number), "being asked what it is");
  return properties.name;
}

class CudaExecutor : public Executor, private DeviceMemory {
 public:
  CudaExecutor(int number, std::vector<int> peers, HostParallel parallel,
               std::shared_ptr<LaunchPolicy> launches)
      : device_(std::make_shared<Device>(number)),
        peers_(std::move(peers)),
        parallel_(std::move(parallel)),
        launcher_(name_of(number), std::move(launches)) {
    const OnDevice current(number);
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "starting");
    check(cudaStreamCreateWithPriority(&compute_, cudaStreamNonBlocking, least), "starting");
    check(cudaStreamCreateWithPriority(&halo_, cudaStreamNonBlocking, greatest), "starting");
    name_ = "cuda:" + std::to_string(number) + " " + name_of(number);
  }
  ~CudaExecutor() override {
    const OnDevice current(device_->number);
    cudaStreamSynchronize(compute_);
    cudaStreamSynchronize(halo_);
    cudaStreamDestroy(compute_);
    cudaStreamDestroy(halo_);
    if (staging_) cudaFreeHost(staging_);
    if (result_) cudaFree(result_);
  }
  CudaExecutor(const CudaExecutor&) = delete;
  CudaExecutor& operator=(const CudaExecutor&) = delete;

  std::string name() const override { return name_; }
  bool is_asynchronous() const override { return true; }
  Index line() const override { return 128; }

  std::shared_ptr<std::byte> allocate(std::size_t bytes) override {
    const OnDevice current(device_->number);
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) refuse_memory(bytes);
    check(status, "allocating memory");
    clear(memory, bytes);
    const int number = device_->number;
    return {static_cast<std::byte*>(memory), [number](std::byte* p) {
              const OnDevice current_device(number);
              cudaFree(p);
            }};
  }

  std::shared_ptr<std::byte> allocate_ring(std::size_t bytes) override {
    const OnDevice current(device_->number);
    auto memory = cuda::allocate_ring(device_->number, peers_, bytes);
    if (!memory) refuse_memory(bytes);
    clear(memory.get(), bytes);
    return memory;
  }
  Index ring_page() const override { return static_cast<Index>(cuda::ring_page(device_->number)); }

  EventPtr sweep(const SweepTask& task, const Submission& submission) override {
    const ProfilerRange range(task.stage->name);
    const OnDevice current(device_->number);
    const cudaStream_t stream = begin(submission);
    const DeviceKernels& kernels = task.stage->kernels.device;
    if (!kernels.sweeps[0].launch) {
      throw Error(ExitCode::usage, "stage '" + task.stage->name + "' has no kernel for GPUs",
                  "its source was compiled for the host alone",
                  "compile it as CUDA (goban_add_application does)");
    }
    SweepCall sweep;
    sweep.functor = task.stage->functor.get();
    sweep.fields = task.fields.data();
    sweep.values = task.values.data();
    sweep.mask = task.stage->mask ? &task.mask : nullptr;
    sweep.site = task.site;
    sweep.box = task.box;
    sweep.reducer = task.reducer;
    if (task.reducer) return reduce(kernels, sweep, stream);
    launcher_.launch(task, sweep, stream);
    return std::make_shared<CudaEvent>(device_, stream);
  }

  EventPtr fill(const std::vector<FillTask>& tasks, const Submission& submission) override {
    const ProfilerRange range("fill");
    const OnDevice current(device_->number);
    const cudaStream_t stream = begin(submission);
    run_fills(tasks, stream);
    return std::make_shared<CudaEvent>(device_, stream);
  }

  EventPtr copy(const std::vector<CopyTask>& tasks, const Submission& submission) override {
    const ProfilerRange range("copy");
    const OnDevice current(device_->number);
    const cudaStream_t stream = begin(submission);
    copy_pieces(tasks, stream);
    return std::make_shared<CudaEvent>(device_, stream);
  }

  bool runs_passes() const override { return true; }
  EventPtr pass(const PassTask& task, const Submission& submission) override {
    const ProfilerRange range(task.steps.front().sweep.stage->name);
    const OnDevice current(device_->number);
    const cudaStream_t stream = begin(submission);
    run_march(task, stream);
    check(cudaGetLastError(), "starting a pass");
    return std::make_shared<CudaEvent>(device_, stream);
  }

  void keep_times() override {
    const OnDevice current(device_->number);
    if (!device_->base) check(cudaEventCreate(&device_->base), "making an event");
    for (int round = 0; round < 3; ++round) {  // the first ones are slow
      const auto before = std::chrono::steady_clock::now();
      check(cudaEventRecord(device_->base, compute_), "recording an event");
      check(cudaEventSynchronize(device_->base), "computing");
      device_->base_time = before + (std::chrono::steady_clock::now() - before) / 2;
    }
  }
  EventPtr mark(const Submission& submission) override {
    const OnDevice current(device_->number);
    return std::make_shared<CudaEvent>(device_, begin(submission));
  }

  void synchronize() override {
    check(cudaStreamSynchronize(compute_), "computing");
    check(cudaStreamSynchronize(halo_), "exchanging halos");
  }

  bool records() const override { return true; }
  void begin_recording(const std::vector<Executor*>& all) override {
    const OnDevice current(device_->number);
    check(cudaStreamBeginCapture(compute_, cudaStreamCaptureModeRelaxed), "recording");
    const CudaEvent start(device_, compute_);
    for (Executor* executor : all) {
      auto& other = static_cast<CudaExecutor&>(*executor);
      const OnDevice other_device(other.device_->number);
      for (const cudaStream_t stream : {other.compute_, other.halo_}) {
        if (stream != compute_) check(cudaStreamWaitEvent(stream, start.handle(), 0), "recording");
      }
    }
  }
  std::unique_ptr<Recording> end_recording(const std::vector<Executor*>& all) override {
    for (Executor* executor : all) {
      auto& other = static_cast<CudaExecutor&>(*executor);
      const OnDevice other_device(other.device_->number);
      for (const cudaStream_t stream : {other.compute_, other.halo_}) {
        if (stream == compute_) continue;
        const CudaEvent end(other.device_, stream);
        check(cudaStreamWaitEvent(compute_, end.handle(), 0), "recording");
      }
    }
    const OnDevice current(device_->number);
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(compute_, &graph), "recording");
    cudaGraphExec_t executable = nullptr;
    // Work on the halo queues goes first in graphs, too.
    const cudaError_t status =
        cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagUseNodePriority);
    cudaGraphDestroy(graph);
    check(status, "recording");
    return std::make_unique<CudaRecording>(device_, executable, compute_);
  }

  void parallel(Index n, const std::function<void(Index begin, Index end)>& work) override {
    parallel_(n, work);
  }

  DeviceMemory* device_memory() override { return this; }

 private:
  [[noreturn]] void refuse_memory(std::size_t bytes) const {
    cudaGetLastError();
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    throw Error(ExitCode::resources, "no memory for a field on " + name_,
                std::to_string(bytes >> 20) + " MiB were asked for, " + std::to_string(free >> 20) +
                    " MiB are free",
                "use a smaller grid or more devices");
  }
  void clear(void* memory, std::size_t bytes) {
    check(cudaMemsetAsync(memory, 0, bytes, compute_), "clearing memory");
    check(cudaStreamSynchronize(compute_), "clearing memory");
  }

  std::size_t bytes_free() const override {
    const OnDevice current(device_->number);
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "being asked for its memory");
    return free;
  }
  double copy_bandwidth() override {
    const OnDevice current(device_->number);
    return measure_copy(compute_);
  }
  bool is_finite(const DeviceCells& cells) override {
    const OnDevice current(device_->number);
    return cuda::is_finite(cells, result(), compute_);
  }
  std::uint64_t checksum(const DeviceCells& cells) override {
    const OnDevice current(device_->number);
    return cuda::checksum(cells, result(), compute_);
  }
  unsigned long long* result() {
    if (!result_) check(cudaMalloc(&result_, sizeof(*result_)), "allocating memory");
    return result_;
  }
  std::byte* staging(std::size_t bytes) override {
    if (bytes > staging_bytes_) {
      const OnDevice current(device_->number);
      if (staging_) cudaFreeHost(std::exchange(staging_, nullptr));
      void* memory = nullptr;
      check(cudaMallocHost(&memory, bytes), "allocating memory of the host");
      staging_ = static_cast<std::byte*>(memory);
      staging_bytes_ = bytes;
    }
    return staging_;
  }
  void download(std::byte* to, const std::byte* from, std::size_t bytes) override {
    const OnDevice current(device_->number);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, halo_), "reading its memory");
    check(cudaStreamSynchronize(halo_), "reading its memory");
  }
  void upload(std::byte* to, const std::byte* from, std::size_t bytes) override {
    const OnDevice current(device_->number);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, halo_), "writing its memory");
    check(cudaStreamSynchronize(halo_), "writing its memory");
  }

  /// The queue of a submission, which waits for what the submission waits for.
  cudaStream_t begin(const Submission& submission) {
    const cudaStream_t stream = submission.stream == Stream::compute ? compute_ : halo_;
    for (const auto& event : submission.waits) {
      check(cudaStreamWaitEvent(stream, static_cast<const CudaEvent&>(*event).handle(), 0),
            "waiting");
    }
    return stream;
  }

  EventPtr reduce(const DeviceKernels& kernels, const SweepCall& sweep, cudaStream_t stream) {
    constexpr std::size_t bytes = state_integers * sizeof(std::int64_t);
    const ReductionBuffer buffer = device_->reductions.take([] {
      ReductionBuffer b;
      check(cudaMalloc(&b.device, bytes), "allocating memory");
      check(cudaMallocHost(reinterpret_cast<void**>(&b.host), bytes), "allocating memory");
      return b;
    });
    Reducer& reducer = *sweep.reducer;
    std::fill(buffer.host, buffer.host + state_integers, 0);
    if (reducer.kind != Reduction::sum) {
      buffer.host[0] = ReductionEvent::unreached(reducer.kind == Reduction::minimum);
    }
    check(cudaMemcpyAsync(buffer.device, buffer.host, bytes, cudaMemcpyHostToDevice, stream),
          "starting a reduction");
    DeviceCall call;
    call.sweep = &sweep;
    call.stream = stream;
    call.reduction = buffer.device;
    kernels.sweeps[0].launch(call);
    check(cudaGetLastError(), "starting a reduction");
    check(cudaMemcpyAsync(buffer.host, buffer.device, bytes, cudaMemcpyDeviceToHost, stream),
          "finishing a reduction");
    return std::make_shared<ReductionEvent>(device_, stream, buffer, &reducer);
  }

  std::shared_ptr<Device> device_;
  std::vector<int> peers_;
  HostParallel parallel_;
  SweepLauncher launcher_;
  std::string name_;
  cudaStream_t compute_ = nullptr, halo_ = nullptr;
  unsigned long long* result_ = nullptr;  ///< of a look at all values
  std::byte* staging_ = nullptr;
  std::size_t staging_bytes_ = 0;
};

}  // namespace

std::vector<DeviceInfo> devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  std::vector<DeviceInfo> all;
  for (int number = 0; number < count; ++number) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, number), "being asked what it is");
    DeviceInfo info{number, properties.name, properties.multiProcessorCount,
                    properties.totalGlobalMem, 0};
    const OnDevice current(number);
    std::size_t total = 0;
    check(cudaMemGetInfo(&info.free_memory, &total), "being asked for its memory");
    all.push_back(info);
  }
  return all;
}

std::vector<std::shared_ptr<Executor>> make_executors(const std::vector<int>& numbers,
                                                      const HostParallel& parallel,
                                                      const std::string& launches) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    count = 0;
  }
  for (const int number : numbers) {
    if (number < count) continue;
    throw Error(ExitCode::resources, "there is no GPU " + std::to_string(number),
                count == 0 ? "this machine has none, or no driver for them"
                           : "this machine has " + std::to_string(count),
                "`goban doctor` lists them");
  }
  for (const int a : numbers) {
    const OnDevice current(a);
    for (const int b : numbers) {
      int reaches = 0;
      if (a != b) check(cudaDeviceCanAccessPeer(&reaches, a, b), "looking for its neighbours");
      if (reaches == 0) continue;
      if (cudaDeviceEnablePeerAccess(b, 0) != cudaSuccess) cudaGetLastError();
    }
  }
  std::vector<std::shared_ptr<Executor>> executors;
  const auto policy = std::make_shared<LaunchPolicy>(launches);
  for (const int number : numbers)
    executors.push_back(std::make_shared<CudaExecutor>(number, numbers, parallel, policy));
  return executors;
}

}  // namespace goban::cuda
