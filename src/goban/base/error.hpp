#pragma once
// Errors a user can cause or must know of. One line: problem (why); suggestion.

#include <stdexcept>
#include <string>

namespace goban {

/// Exit codes of every goban program.
enum class ExitCode {
  done = 0,
  usage = 2,          ///< wrong command line or case file
  resources = 3,      ///< not enough memory, no such device
  files = 4,          ///< a file cannot be read or written
  diverged = 5,       ///< NaN or Inf in the solution
  peer_lost = 6,      ///< another process died
  no_checkpoint = 7,  ///< no usable checkpoint
  corrupted = 8,      ///< values that cannot be: memory or a processor has erred
  resubmit = 75       ///< stopped early with a good checkpoint
};

/// What went wrong, why, and what to do; `what()` is "problem (why); suggestion".
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& problem, const std::string& why = {},
        const std::string& suggestion = {});
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Throws Error(ExitCode::usage, ...) unless `condition` holds.
inline void require(bool condition, const std::string& problem, const std::string& why = {},
                    const std::string& suggestion = {}) {
  if (!condition) throw Error(ExitCode::usage, problem, why, suggestion);
}

}  // namespace goban
