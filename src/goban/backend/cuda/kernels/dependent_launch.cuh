#pragma once
// Kernels of one queue, one after the other with little between them: the next one is launched when
// the last block of the one before has started, and waits there for its end.

#include "goban/backend/kernels/types.hpp"

namespace goban::device {

/// Before a kernel touches memory: what the queue got before is done. Every block calls it, or some
/// kernel after this one might start too early.
GOBAN_DEVICE void wait_for_launch_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// The next kernel may be launched, to wait for the end of this one.
GOBAN_DEVICE void let_next_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

}  // namespace goban::device
