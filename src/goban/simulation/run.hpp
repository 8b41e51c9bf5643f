#pragma once
// A run of a case as the command line sees it. In most applications it is a simulation, which steps
// a grid through time; others compute something else.

#include <chrono>
#include <limits>
#include <string>

#include "goban/base/error.hpp"
#include "goban/simulation/restart.hpp"

namespace goban {

/// How a run ended. Failures are Errors.
enum class RunStatus {
  finished,  ///< exit code 0
  stopped    ///< early, by a signal, a time limit or a control file, with a good checkpoint: 75
};
ExitCode exit_code(RunStatus status);

/// What a run is asked for beside its case.
struct RunRequest {
  std::string directory = {};  ///< holds all files
  std::string summary = {};    ///< a second place for summary.json; empty: none
  std::string live = {};       ///< where its page is, as of SimulationOptions::live; empty: nowhere
  Restart restart = {};
  bool allow_changes = false;                                 ///< lets a restart change the case
  double max_time = std::numeric_limits<double>::infinity();  ///< seconds from `started`
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

class Run {
 public:
  virtual ~Run();

  /// To be called before all else.
  virtual void set(const RunRequest& request) = 0;
  /// Errors: what cannot be started. Nothing is measured, no file is touched.
  virtual void check() = 0;
  /// Runs to the end, with banner, live line and end report on standard output. May be called once.
  virtual RunStatus execute() = 0;
  /// Checks everything and tells what would be done. Makes no files.
  virtual std::string dry_run() = 0;
  /// How it would be computed and why so.
  virtual std::string describe() = 0;
};

}  // namespace goban
