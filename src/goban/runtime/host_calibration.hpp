#pragma once
// Measures what a process computes with.

#include <string>

#include "goban/grid/settings.hpp"
#include "goban/performance/measure/calibrate.hpp"

namespace goban {

/// Rates of the devices and threads of `settings`, by programs run on them. `folder`: where files
/// are written to measure that; empty: they are not. Error (ExitCode::resources): a device failed.
Calibration calibrate_host(const Settings& settings, const std::string& folder,
                           const CalibrationEffort& effort);

/// The effort for a first run of a host: a second or two, on GPUs as long as some kernels take to
/// be compiled.
CalibrationEffort quick_calibration(Backend backend);

/// What says that it was made under load, by others than this program's `processes`: "repeats lie
/// 40 % apart"; empty: nothing does.
std::string disturbance_of(const Calibration& calibration, int processes);

/// Whether runtimes of this process measure what they compute with, quickly, where nothing is
/// remembered of it. Otherwise, as from the start, they take what is typical of its kind.
void measure_unknown_hosts(bool measure);
bool are_unknown_hosts_measured();

/// Whether this thread measures: its runtimes have the rates of machines of the kind.
bool is_calibrating();

}  // namespace goban
