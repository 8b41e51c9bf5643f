#pragma once
// A simulation as the performance model sees it.

#include <string>

#include "goban/simulation/predict/predictions.hpp"

namespace goban {

class Simulation;

/// What a simulation would run, whose fields need no values; loops until a condition holds have so
/// many rounds in a step. Error (ExitCode::usage): nothing sweeps over a grid.
PredictedRun predicted_run(const Simulation& simulation, double rounds = 1);

/// Returns a table of what the simulation would take on the numbers of devices that
/// Settings::predict names; empty if it names none. Errors (ExitCode::usage): likewise; none of
/// them fits the grid.
std::string predicted_as_asked(Simulation& simulation);

}  // namespace goban
