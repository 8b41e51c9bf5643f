#include "goban/backend/cuda/host_waits.hpp"

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"

namespace goban::cuda {

HostWaits::~HostWaits() {
  for (const auto& [cell, owner] : reached_) unregister_memory(owner.get());
}

void HostWaits::hold(const HostCount& count, CUstream stream) {
  if (count.cell->value.load(std::memory_order_acquire) >= count.number) return;
  if (reached_.try_emplace(count.cell.get(), count.cell).second) {
    // Another GPU of the process may have done that.
    register_memory(count.cell.get(), sizeof(HostCount::Cell));
  }
  static_assert(sizeof(count.cell->value) == sizeof(unsigned long long));
  const auto* counter = reinterpret_cast<const unsigned long long*>(&count.cell->value);
  const unsigned long long number = count.number;
  launch(WaitKernels::get().wait_for_host.here(), {}, stream, "waiting for the host", counter,
         number);
}

}  // namespace goban::cuda
