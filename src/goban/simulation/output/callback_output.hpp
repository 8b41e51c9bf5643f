#pragma once
// A function of the user's, called on a schedule.

#include <functional>
#include <utility>

#include "goban/simulation/output/output.hpp"

namespace goban {

class CallbackOutput : public SimulationOutput {
 public:
  CallbackOutput(When when, std::function<void(const Clock&)> function)
      : SimulationOutput("callback", std::move(when)), function_(std::move(function)) {}

  bool reads_anything() const override { return true; }
  bool makes_files() const override { return false; }
  void open(const RunPlace&, std::optional<Index>) override {}
  void write(const Moment& moment) override { function_(moment.clock); }
  std::string describe() const override { return "a function"; }

 private:
  std::function<void(const Clock&)> function_;
};

}  // namespace goban
