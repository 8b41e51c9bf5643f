#pragma once
// Runs a goban command within the test and keeps what it says.

#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace goban::cli::testing {

struct CommandResult {
  int code = 0;
  std::string out, err;
};

inline CommandResult goban(std::vector<std::string> arguments,
                           const std::vector<KnownApplication>& known = applications()) {
  arguments.insert(arguments.begin(), "/usr/bin/goban");
  std::ostringstream out, err;
  CommandResult result;
  result.code = command_line(arguments, known, out, err);
  result.out = out.str();
  result.err = err.str();
  return result;
}

}  // namespace goban::cli::testing
