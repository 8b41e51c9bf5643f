#pragma once
// Programs whose fields have no values, and the machine that a prediction is for.

#include "goban/grid/settings.hpp"
#include "goban/performance/model/machine_rates.hpp"

namespace goban {

/// The settings of what is computed by one thread that computes nothing.
Settings settings_on_paper(Settings settings);

/// The machine that the settings name, or this one. Errors (ExitCode::usage): there are settings
/// of which predictions know nothing.
MachineRates predicted_machine(Settings settings);

}  // namespace goban
