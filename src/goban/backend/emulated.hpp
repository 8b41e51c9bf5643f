#pragma once
// Devices that are not there, which tests and experiments ask for. They are a module of the tests
// (tests/emulated), loaded when the first one is wanted; packages are without it. The functions
// below throw an Error (ExitCode::resources) if it is not built, or was built from other headers.

#include <cstdint>
#include <memory>

namespace goban {

class Executor;
struct Schedule;
class Slots;

/// Makes a device with memory of its own and two queues served by threads of their own, where every
/// operation is delayed at random by at most so many microseconds: schedules that order their work
/// wrongly show as wrong bits. The seed makes delays repeatable. With a speed operations take
/// 20 us, sweeps 100 ns / speed for each cell besides, and events tell the time by that alone,
/// whatever the machine does meanwhile.
std::shared_ptr<Executor> make_emulated_device(int number, std::uint64_t seed,
                                               int longest_delay_microseconds, double speed = 0);

/// Walks through the operations of a schedule with a stamp per cell, the version it holds; ghost
/// cells start empty. Every read of every sweep must find the version the program means, every copy
/// and fill a source that is valid. Takes 4 bytes and a few operations per cell, field component
/// and read. Throws an Error (ExitCode::usage) naming stage, field, patch and cell of the first
/// stale read.
void check_schedule(const Schedule& schedule, const Slots& slots);

/// What the module defines as `goban_emulated_module`.
struct EmulatedModule {
  /// The interface of the headers that the module was compiled with; see load_own_module().
  const char* interface;
  decltype(&make_emulated_device) make_device;
  decltype(&check_schedule) check;
};

}  // namespace goban
