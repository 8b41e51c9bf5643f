#pragma once
// What a run says when it starts.

#include <string>

#include "goban/simulation/report/run_facts.hpp"

namespace goban {

/// At most 20 lines: grid, patches, threads, precision, memory, schedule, files. Ends in a newline.
std::string banner(const RunFacts& facts);

}  // namespace goban
