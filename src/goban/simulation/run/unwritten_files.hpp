#pragma once
// What a run does about files that it cannot write.

#include <optional>
#include <string>
#include <vector>

#include "goban/base/agreement.hpp"
#include "goban/base/communicator.hpp"
#include "goban/base/error.hpp"
#include "goban/simulation/options.hpp"
#include "goban/simulation/report/run_log.hpp"
#include "goban/simulation/run_report.hpp"

namespace goban {

/// Counts them in the report and says so, or ends the run. Same on every rank.
class UnwrittenFiles {
 public:
  UnwrittenFiles(Communicator& ranks, RunLog& log, RunReport& report)
      : ranks_(ranks), log_(log), report_(report) {}

  /// Does what writes files. Collective.
  template <class F>
  void attempt(F&& write, FileTrouble trouble) {
    try {
      agree(ranks_, write);
    } catch (const Error& error) {
      go_without(error, trouble);
    }
  }
  void go_without(const Error& error, FileTrouble trouble) {
    if (error.code() != ExitCode::files || trouble == FileTrouble::stop) throw error;
    ++report_.unwritten;
    lost_ = error;
    log_.say(std::string("warning: ") + error.what());
  }
  void go_without(const std::vector<Error>& errors, FileTrouble trouble) {
    for (const Error& error : errors) go_without(error, trouble);
  }
  /// The last that the run has gone without.
  const std::optional<Error>& lost() const { return lost_; }

 private:
  std::optional<Error> lost_;
  Communicator& ranks_;
  RunLog& log_;
  RunReport& report_;
};

}  // namespace goban
