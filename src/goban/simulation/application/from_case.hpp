#pragma once
// The sections every case shares, handed to the simulation.

#include <string>
#include <vector>

#include "goban/simulation/application/common_keys.hpp"
#include "goban/simulation/run/simulation.hpp"

namespace goban {

/// [time], title, name, units and the text of the case. A case without time.dt leaves dt at 1 for
/// the application to set. Where files go, restart and time limit come from the command line.
SimulationOptions simulation_options(const Case& values);

/// time.dt, or scheme.stability of `largest`, the largest stable step, shortened so that a whole
/// number of steps reaches time.end. Error (usage): time.dt is larger.
double stable_time_step(const Case& values, double largest);

/// When something happens, from the keys of declare_schedule(): `section` is "output.series", or ""
/// for a table of a list.
When schedule_of(const Case& values, const std::string& section);

/// [output.*] and [checkpoint]. `fields` are those a case may name, `columns` the numbers of
/// [output.series]; both before the first run.
/// Errors (usage), saying where: unknown fields and components, points and planes outside the grid.
void add_outputs(Simulation& simulation, const Case& values, const std::vector<AnyField>& fields,
                 std::vector<Column> columns = {});

/// Numbers that are results of the run, too, with their units.
void add_results(Simulation& simulation, const std::vector<Column>& columns);

}  // namespace goban
