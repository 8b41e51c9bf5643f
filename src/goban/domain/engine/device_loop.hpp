#pragma once
// Loops that one device repeats by itself. Their numbers lie in its memory, and the host waits once
// for many rounds.

#include <memory>
#include <string>
#include <vector>

#include "goban/domain/engine/device_numbers.hpp"
#include "goban/domain/engine/phases.hpp"

namespace goban {

/// The recording of a loop whose one or two rounds leave the domain in the state in which they
/// found it, or of a single step.
struct DeviceLoop {
  int rounds = 1;        ///< rounds of the program in one body of the recording
  bool is_full = false;  ///< no body can hold more of them
  int state = -1;        ///< Domain::state_number() before it
  /// The domain is in another state afterwards; the loop then has one round.
  bool moves = false;
  /// Values of parameters that no stage computes, for which it is valid.
  std::vector<double> settings;
  bool has_end = false;  ///< the device tests the condition; otherwise the host counts bodies
  Index at_once = 16;    ///< rounds to run without the host, which grow if rounds are short
  /// The number of the first inner loop that a round comes to, and how often a round enters it.
  std::size_t first_within = 0;
  Index entries = 0;
  std::unique_ptr<DeviceNumbers> numbers;
  /// The phases of its rounds, without those of inner loops.
  std::vector<std::shared_ptr<Phase>> phases;
  /// The events of all commands. Reductions keep their memory as long as their events exist.
  std::vector<std::vector<EventPtr>> events;
  std::unique_ptr<Recording> recording;
};

/// Returns why a stage cannot be part of such a loop; empty if it can.
std::string device_loop_refusal(const Stage& stage);
/// Returns why the commands that stages have become cannot be part of such a loop.
std::string device_loop_refusal(const CommandList& list, const Cycle& cycle,
                                const DeviceNumbers& numbers);

}  // namespace goban
