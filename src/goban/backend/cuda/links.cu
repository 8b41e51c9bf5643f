#include "goban/backend/cuda/links.hpp"

#include <algorithm>
#include <memory>

#include "goban/backend/cuda/measure.cuh"
#include "goban/backend/cuda/runtime_calls.cuh"

namespace goban::cuda {
namespace {

constexpr const char* doing = "measuring links";
constexpr std::size_t piece = std::size_t{64} << 20;

__global__ void do_nothing() {}

template <class T, class Free>
struct Freed {
  using pointer = T;
  void operator()(T thing) const { Free{}(thing); }
};
struct DestroyStream {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
struct DestroyEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using StreamOwner = std::unique_ptr<cudaStream_t, Freed<cudaStream_t, DestroyStream>>;
using EventOwner = std::unique_ptr<cudaEvent_t, Freed<cudaEvent_t, DestroyEvent>>;
using Memory = std::unique_ptr<void, cudaError_t (*)(void*)>;

StreamOwner make_stream() {
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), doing);
  return StreamOwner(stream);
}
EventOwner make_event() {
  cudaEvent_t event;
  check(cudaEventCreate(&event), doing);
  return EventOwner(event);
}

/// Null where there is no memory left.
Memory allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
  } else {
    check(status, doing);
  }
  return Memory(memory, cudaFree);
}
Memory allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "allocating memory of the host");
  return Memory(memory, cudaFreeHost);
}

/// Seconds that `work`, which submits to the stream of the current device, takes at best.
template <class Work>
double seconds(cudaStream_t stream, const Work& work) {
  const EventOwner start = make_event(), end = make_event();
  constexpr int repetitions = 5;
  float best = 0;
  for (int n = -1; n < repetitions; ++n) {  // the first one warms up
    check(cudaEventRecord(start.get(), stream), doing);
    work();
    check(cudaEventRecord(end.get(), stream), doing);
    check(cudaEventSynchronize(end.get()), doing);
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start.get(), end.get()), doing);
    if (n >= 0) best = n == 0 ? milliseconds : std::min(best, milliseconds);
  }
  return best * 1e-3;
}

void enable_access(int from, int to) {
  const OnDevice current(from);
  if (cudaDeviceEnablePeerAccess(to, 0) != cudaSuccess) cudaGetLastError();  // enabled already
}

}  // namespace

DeviceSpeed measure_device(int number) {
  const OnDevice current(number);
  const StreamOwner stream = make_stream();
  DeviceSpeed speed;
  speed.copy_bandwidth = measure_copy(stream.get());
  if (const Memory here = allocate(piece)) {
    const Memory host = allocate_pinned(piece);
    const auto bandwidth = [&](void* to, const void* from, cudaMemcpyKind kind) {
      const double time = seconds(stream.get(), [&] {
        check(cudaMemcpyAsync(to, from, piece, kind, stream.get()), doing);
      });
      return static_cast<double>(piece) / time;
    };
    speed.from_host = bandwidth(here.get(), host.get(), cudaMemcpyHostToDevice);
    speed.to_host = bandwidth(host.get(), here.get(), cudaMemcpyDeviceToHost);
  }
  constexpr int launches = 500;
  speed.launch = seconds(stream.get(),
                         [&] {
                           for (int n = 0; n < launches; ++n) {
                             do_nothing<<<1, 32, 0, stream.get()>>>();
                           }
                           check(cudaGetLastError(), "starting a kernel");
                         }) /
                 launches;
  return speed;
}

Link measure_link(int from, int to) {
  Link link;
  int reaches = 0, is_reached = 0;
  check(cudaDeviceCanAccessPeer(&reaches, from, to), doing);
  check(cudaDeviceCanAccessPeer(&is_reached, to, from), doing);
  link.is_direct = reaches != 0 && is_reached != 0;
  if (link.is_direct) {
    enable_access(from, to);
    enable_access(to, from);
  }
  const auto allocate_on = [](int number) {
    const OnDevice current(number);
    return allocate(piece);
  };
  const Memory source = allocate_on(from), target = allocate_on(to);
  if (!source || !target) return link;
  const OnDevice current(from);
  const StreamOwner stream = make_stream();
  const auto copies = [&](std::size_t bytes, int count) {
    return seconds(stream.get(),
                   [&] {
                     for (int n = 0; n < count; ++n) {
                       check(cudaMemcpyPeerAsync(target.get(), to, source.get(), from, bytes,
                                                 stream.get()),
                             "copying to another GPU");
                     }
                   }) /
           count;
  };
  link.bandwidth = static_cast<double>(piece) / copies(piece, 4);
  link.latency = copies(8, 50);
  return link;
}

}  // namespace goban::cuda
