#pragma once
// A device that is not there: memory of its own, two queues served by threads of their own, every
// operation delayed at random. Schedules that order their work wrongly show as wrong bits.

#include <memory>

#include "goban/backend/api.hpp"

namespace goban {

/// Longest delay of an operation in microseconds; the seed makes delays repeatable. With a speed
/// operations take 20 us, sweeps 100 ns / speed for each cell besides, and events tell the time by
/// that alone, whatever the machine does meanwhile.
std::shared_ptr<Executor> make_emulated_device(int number, std::uint64_t seed,
                                               int longest_delay_microseconds, double speed = 0);

}  // namespace goban
