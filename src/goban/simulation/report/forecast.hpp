#pragma once
// What a run will take, told before it starts.

#include <string>

#include "goban/simulation/report/run_facts.hpp"

namespace goban {

/// The steps that end the run, or at most will; negative where neither steps nor a time says.
Index steps_to_take(const RunPlan& plan);

/// What files of so many steps take by the machine's path to files, those with a schedule of steps
/// or simulated times; 0 where the machine does not say.
struct FileSeconds {
  double outputs = 0, checkpoints = 0;
};
FileSeconds seconds_of_files(const RunPlan& plan, const Engines& engines, Index steps);

/// Lines as of the banner: time step, number of steps, how long they take at `copy_bandwidth`
/// (bytes/s; 0: unknown), and what outputs and checkpoints take on the disk.
std::string forecast(const RunPlan& plan, Engines& engines, const RunFacts& facts,
                     double copy_bandwidth);

}  // namespace goban
