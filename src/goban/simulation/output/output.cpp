#include "goban/simulation/output/output.hpp"

#include <nlohmann/json.hpp>

namespace goban {

SimulationOutput::~SimulationOutput() = default;

nlohmann::ordered_json SimulationOutput::state() const { return nullptr; }

}  // namespace goban
