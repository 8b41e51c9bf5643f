#include "goban/backend/cuda/counters.cuh"
#include "goban/backend/cuda/host_waits.cuh"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/turn.cuh"

namespace goban::cuda {
namespace {

/// Lets nothing launch before it is done, like meetings.
__global__ void host_wait_kernel(const unsigned long long* count, unsigned long long number) {
  wait_for_turn();
  wait_until_counted(count, number);
}

}  // namespace

HostWaits::~HostWaits() {
  for (const auto& [cell, owner] : reached_) unregister(owner.get());
}

void HostWaits::hold(const HostCount& count, cudaStream_t stream) {
  if (count.cell->value.load(std::memory_order_acquire) >= count.number) return;
  if (reached_.try_emplace(count.cell.get(), count.cell).second) {
    const cudaError_t status =
        cudaHostRegister(count.cell.get(), sizeof(HostCount::Cell), cudaHostRegisterPortable);
    // Another GPU of the process may have done that.
    if (status == cudaErrorHostMemoryAlreadyRegistered) {
      cudaGetLastError();
    } else {
      check(status, "sharing memory of the host");
    }
  }
  static_assert(sizeof(count.cell->value) == sizeof(unsigned long long));
  launch_in_turn(&host_wait_kernel, 1, 1, 0, stream,
                 reinterpret_cast<const unsigned long long*>(&count.cell->value), count.number);
  check(cudaGetLastError(), "waiting for the host");
}

}  // namespace goban::cuda
