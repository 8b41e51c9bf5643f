#pragma once
// What a function of the script returns, as files of a run.

#include <memory>
#include <string>

#include "goban/simulation/output/output.hpp"

namespace goban::python {

/// Where the package puts what the function has returned.
struct ScriptFile;
using FileFunction = std::int64_t (*)(std::int64_t step, double time, double wall, ScriptFile*);

/// Writes <case>_<name>.0000100.npy or .csv. The function is called on every rank; what it returns
/// on the rank that writes is written.
std::unique_ptr<SimulationOutput> script_output(std::string name, FileFunction function, When when);

}  // namespace goban::python
