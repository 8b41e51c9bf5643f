#pragma once
// What a run says when it is over.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "goban/simulation/report/run_measures.hpp"

namespace goban {

/// A compact table; ends in a newline. Of `results` the numbers, words and small tensors.
std::string end_report(const RunFacts& facts, const RunReport& report, const RunMeasures& measures,
                       const nlohmann::ordered_json& results);

}  // namespace goban
