#include "goban/simulation/run.hpp"

namespace goban {

Run::~Run() = default;

ExitCode exit_code(RunStatus status) {
  return status == RunStatus::finished ? ExitCode::done : ExitCode::resubmit;
}

}  // namespace goban
