#pragma once
// A run that is started again where it dies.

#include <chrono>
#include <cmath>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace goban::cli {

struct Retries {
  int most = 0;
  std::chrono::milliseconds delay{1000};  ///< before the first; twice as long before each next one
  std::chrono::milliseconds longest_delay{60'000};
  double max_time = HUGE_VAL;  ///< seconds for all together
};

/// The words that run a case in `folder`: at first, and to go on.
struct RunCommands {
  std::vector<std::string> first, again;
};

/// Makes commands from what was typed after "goban", with the words of a launcher such as mpirun
/// before `program`; without a time limit.
RunCommands run_commands(const std::vector<std::string>& arguments, const std::string& program,
                         const std::string& launcher);

/// Starts it and waits for it. One that a signal or an internal error has ended, that has lost a
/// peer, met an error of memory or could not write its files is started again after a while, from
/// its newest checkpoint: so often, and as long as it does not die twice from the same step in the
/// same way. Signals to stop or to save are passed on, the latter once it has begun; a signal to
/// stop between two starts ends it at once (ExitCode::resubmit). Returns its exit code, 128 and
/// more for a signal.
int run_again(const RunCommands& commands, const std::filesystem::path& folder,
              const Retries& retries, std::ostream& err);

}  // namespace goban::cli
