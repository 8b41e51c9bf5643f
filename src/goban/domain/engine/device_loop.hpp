#pragma once
// Loops that one device repeats by itself: their numbers lie in its memory, and the host waits once
// for many rounds.

#include <memory>
#include <string>
#include <vector>

#include "goban/domain/engine/device_numbers.hpp"
#include "goban/domain/engine/phases.hpp"

namespace goban {

/// What was recorded of a loop whose rounds, one or two, end as they began; or of one step.
struct DeviceLoop {
  int rounds = 1;        ///< rounds of the program that are one of the device: in one body
  bool is_full = false;  ///< whether no body holds more of them
  int state = -1;        ///< the number of the domain's state before
  /// After it the domain is in another state: the loop has one round.
  bool moves = false;
  std::vector<double> settings;  ///< values of the parameters that no stage computes
  bool has_end = false;          ///< the device looks whether it is over; else the host counts
  Index at_once = 16;            ///< rounds without the host, more if they are short
  /// The first loop that a round comes to, by its number, and how often.
  std::size_t first_within = 0;
  Index entries = 0;
  std::unique_ptr<DeviceNumbers> numbers;
  /// The phases of a round, without those of loops within it.
  std::vector<std::shared_ptr<Phase>> phases;
  /// The events of all commands: reductions keep their memory as long as their events are there.
  std::vector<std::vector<EventPtr>> events;
  std::unique_ptr<Recording> recording;
};

/// Why a stage cannot be part of one; empty: it can.
std::string device_loop_refusal(const Stage& stage);
/// The same of the commands that stages have become.
std::string device_loop_refusal(const CommandList& list, const Cycle& cycle,
                                const DeviceNumbers& numbers);

}  // namespace goban
