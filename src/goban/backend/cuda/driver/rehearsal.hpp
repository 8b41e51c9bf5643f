#pragma once
// GPUs that are not there, to compile the kernels of a program where none are: work is queued,
// recorded and replayed as ever, and nothing is computed.

#include <string_view>

namespace goban::cuda {

/// From now on, for good, the process has no driver but one of its own, with so many GPUs of an
/// architecture (90). Before anything asks for the driver. Their memory holds nothing: what is
/// uploaded is lost, what is downloaded leaves the host's memory as it was. Calls without a current
/// device and launches that no such GPU can do fail.
void rehearse(int capability, int gpus);

/// Kernels that its GPUs were given so far, those of replays left out.
int rehearsed_launches();
/// Recorded launches that were given other arguments.
int rehearsed_changes();
/// How often the host has waited for all that a queue of them was given.
int rehearsed_waits();

/// A function of that driver; null where it has none of this name.
void* rehearsal_symbol(std::string_view name);

}  // namespace goban::cuda
