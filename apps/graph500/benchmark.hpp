#pragma once
// A run of the benchmark: kernel 1, then search after search, by the rules.

#include <memory>
#include <string>

#include "goban/simulation/run.hpp"
#include "graph500/model.hpp"

namespace goban {
class Runtime;
}

namespace goban::graph500 {

/// `case_text`: the resolved case. Errors (usage): as of make_engine().
std::unique_ptr<Run> benchmark(const Model& model, const std::string& case_text, Runtime& runtime);

}  // namespace goban::graph500
