#pragma once
// Machines that tests predict for: those that are shipped.

#include <map>
#include <string>

#include "goban/performance/machine/machine_file.hpp"

namespace goban::test {

inline const MachineRates& shipped_machine(const std::string& name) {
  static std::map<std::string, MachineRates> machines;
  if (!machines.contains(name)) machines[name] = machine_named(name);
  return machines[name];
}

}  // namespace goban::test
