#include "goban/simulation/output.hpp"

namespace goban {

SimulationOutput::~SimulationOutput() = default;

}  // namespace goban
