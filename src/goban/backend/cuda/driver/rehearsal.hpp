#pragma once
// A stand-in for the driver that pretends to have GPUs, to compile a program's kernels and to test
// the host's part on machines without GPUs. Work is queued, recorded and replayed as usual, and
// nothing is computed.

#include <string_view>

namespace goban::cuda {

/// Replaces the driver for the rest of the process by a stand-in with `gpus` GPUs of an
/// architecture (90, say). Must be called before anything asks for the driver. Their memory holds
/// nothing: what is uploaded is lost, and downloads leave the host's memory as it was. Calls
/// without a current device fail, and so do launches that no such GPU could run.
void rehearse(int capability, int gpus);

/// Returns the number of kernels launched so far, without those of replays.
int rehearsed_launches();
/// Returns the number of recorded launches whose arguments were changed.
int rehearsed_changes();
/// Returns how often the host has waited for a whole queue.
int rehearsed_waits();

/// Returns a function of the stand-in; null if it has none of this name.
void* rehearsal_symbol(std::string_view name);

}  // namespace goban::cuda
