#include "goban/backend/cuda/replay_counts.hpp"

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"

namespace goban::cuda {
namespace {

void* page_of(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

ReplayCounts::~ReplayCounts() {
  for (const auto& [address, owner] : pages_) unregister_memory(page_of(address));
  for (const auto& [device, memory] : replays_) {
    free_memory(memory);
  }
}

void ReplayCounts::add(int device) {
  const OnDevice current(device);
  constexpr std::size_t bytes = sizeof(unsigned long long);
  void* const memory = allocate(bytes, "allocating memory");
  replays_[device] = static_cast<unsigned long long*>(memory);
  check(driver().cuMemsetD8(address(memory), 0, bytes), "clearing memory");
  check(driver().cuCtxSynchronize(), "clearing memory");
}

void ReplayCounts::count_replay(int device, CUstream stream) {
  launch(WaitKernels::get().count_replay.here(), {}, stream, "counting replays",
         replays_.at(device));
}

unsigned long long* ReplayCounts::reached(const std::shared_ptr<Counter>& counter) {
  static_assert(sizeof(Counter) == sizeof(unsigned long long));
  constexpr auto bytes = host::CounterPages::page_bytes;
  const auto address = reinterpret_cast<std::uintptr_t>(counter.get()) / bytes * bytes;
  if (pages_.count(address) == 0) {
    register_memory(page_of(address), bytes);
    pages_[address] = counter;
  }
  return reinterpret_cast<unsigned long long*>(counter.get());
}

void ReplayCounts::hold(int device, const std::shared_ptr<Counter>& count, CUstream stream) {
  const unsigned long long* replays = replays_.at(device);
  const unsigned long long* const counter = reached(count);
  launch(WaitKernels::get().hold_replay.here(), {}, stream, "waiting for the host", counter,
         replays);
}

std::shared_ptr<Counter> ReplayCounts::post(int device, CUstream stream) {
  const auto counter = posted_.take();
  const unsigned long long* replays = replays_.at(device);
  unsigned long long* const count = reached(counter);
  launch(WaitKernels::get().post_replay.here(), {}, stream, "telling the host", count, replays);
  return counter;
}

}  // namespace goban::cuda
