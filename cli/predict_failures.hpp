#pragma once
// goban predict --failures: what becomes of a run where nodes fail.

#include <ostream>
#include <string>

#include "goban/performance/model/machine_rates.hpp"

namespace goban::cli {

/// Prints, for each level of checkpoints, how long saving takes, how often it pays, and the chance
/// to lose the run. `text`: "nodes=384,mtbf=43200,bytes=1e9,local=4e8[,group=8,lost=2,repair=600,
/// run=86400]", seconds and bytes. Errors (ExitCode::usage): what is missing or cannot be.
void print_failures(std::ostream& out, const std::string& text, const MachineRates& machine);

}  // namespace goban::cli
