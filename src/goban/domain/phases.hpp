#pragma once
// The command lists of one schedule: one for each way that names are bound when a cycle begins.

#include <memory>
#include <vector>

#include "goban/domain/command_runner.hpp"

namespace goban {

class Phases {
 public:
  /// For the domain as it is now; made when it is first asked for.
  const std::shared_ptr<Phase>& find(Domain& domain, const Schedule& schedule, const Slots& slots,
                                     int steps_per_pass);
  void forget() { all_.clear(); }

 private:
  std::vector<std::shared_ptr<Phase>> all_;
  std::size_t latest_ = 0;
};

}  // namespace goban
