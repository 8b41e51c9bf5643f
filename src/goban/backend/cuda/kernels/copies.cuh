#pragma once
// Copies that run by themselves and barriers in shared memory (compute capability 9.0).

#include "arguments.cuh"

namespace goban::device {

/// Counts arrivals and bytes; a phase ends when all that was expected has come.
struct CopyBarrier {
  uint64 state;
};

#if GOBAN_KERNEL

GOBAN_DEVICE unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// To be called by one thread, before fence_barriers and then a block barrier.
GOBAN_DEVICE void initialize(CopyBarrier& barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
               "r"(arrivals)
               : "memory");
}
GOBAN_DEVICE void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

GOBAN_DEVICE void arrive(CopyBarrier& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier))
               : "memory");
}
/// Arrives, and lets the phase last until `bytes` more have been copied.
GOBAN_DEVICE void arrive_and_expect(CopyBarrier& barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
      "r"(bytes)
      : "memory");
}
/// Waits until the phase of this parity is over; phases are numbered from 0.
GOBAN_DEVICE void wait(CopyBarrier& barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}\n" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}

/// True for one lane of a full warp. The compiler then knows that a branch has one thread, which
/// copy_box, whose operands a warp shares, would otherwise find out in a loop.
GOBAN_DEVICE bool is_elected() {
  unsigned elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}\n"
      : "=r"(elected));
  return elected != 0;
}

/// The box that begins at this word, row and plane of the array, to `to` on 128 bytes. Counted by
/// `barrier`, always as a full box.
GOBAN_DEVICE void copy_box(void* to, const BoxMap& map, int word, int row, int plane,
                           CopyBarrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(word), "r"(row), "r"(plane), "r"(shared_address(&barrier))
      : "memory");
}

#endif

}  // namespace goban::device
