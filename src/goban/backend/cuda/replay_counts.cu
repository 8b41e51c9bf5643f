#include "goban/backend/cuda/counters.cuh"
#include "goban/backend/cuda/replay_counts.cuh"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/turn.cuh"

namespace goban::cuda {
namespace {

__global__ void count_replay_kernel(unsigned long long* replays) {
  wait_for_turn();
  ++*replays;
}

/// Lets nothing launch before it is done, like meetings.
__global__ void hold_kernel(const unsigned long long* count, const unsigned long long* replays) {
  wait_for_turn();
  wait_until_counted(count, *replays);
}

/// The counter, in memory of the host, is nobody else's.
__global__ void post_kernel(unsigned long long* count, const unsigned long long* replays) {
  wait_for_turn();
  __threadfence_system();
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(count), "l"(*replays) : "memory");
}

void* page_of(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

ReplayCounts::~ReplayCounts() {
  for (const auto& [address, owner] : pages_) unregister(page_of(address));
  for (const auto& [device, memory] : replays_) {
    const OnDevice current(device);
    cudaFree(memory);
  }
}

void ReplayCounts::add(int device) {
  const OnDevice current(device);
  unsigned long long* memory = nullptr;
  check(cudaMalloc(&memory, sizeof(*memory)), "allocating memory");
  replays_[device] = memory;
  check(cudaMemset(memory, 0, sizeof(*memory)), "clearing memory");
  check(cudaDeviceSynchronize(), "clearing memory");
}

void ReplayCounts::count_replay(int device, cudaStream_t stream) {
  launch_in_turn(&count_replay_kernel, 1, 1, 0, stream, replays_.at(device));
  check(cudaGetLastError(), "counting replays");
}

unsigned long long* ReplayCounts::reached(const std::shared_ptr<Counter>& counter) {
  static_assert(sizeof(Counter) == sizeof(unsigned long long));
  constexpr auto bytes = host::CounterPages::page_bytes;
  const auto address = reinterpret_cast<std::uintptr_t>(counter.get()) / bytes * bytes;
  if (pages_.count(address) == 0) {
    check(cudaHostRegister(page_of(address), bytes, cudaHostRegisterPortable),
          "sharing memory of the host");
    pages_[address] = counter;
  }
  return reinterpret_cast<unsigned long long*>(counter.get());
}

void ReplayCounts::hold(int device, const std::shared_ptr<Counter>& count, cudaStream_t stream) {
  const unsigned long long* replays = replays_.at(device);
  launch_in_turn(&hold_kernel, 1, 1, 0, stream,
                 static_cast<const unsigned long long*>(reached(count)), replays);
  check(cudaGetLastError(), "waiting for the host");
}

std::shared_ptr<Counter> ReplayCounts::post(int device, cudaStream_t stream) {
  const auto counter = posted_.take();
  const unsigned long long* replays = replays_.at(device);
  launch_in_turn(&post_kernel, 1, 1, 0, stream, reached(counter), replays);
  check(cudaGetLastError(), "telling the host");
  return counter;
}

}  // namespace goban::cuda
