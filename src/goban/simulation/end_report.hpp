#pragma once
// What a run says when it is over.

#include <string>

#include "goban/simulation/run_measures.hpp"

namespace goban {

/// A compact table; ends in a newline.
std::string end_report(const RunFacts& facts, const RunReport& report, const RunMeasures& measures);

}  // namespace goban
