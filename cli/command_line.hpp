#pragma once
// The command line of goban and of every program made with goban_add_application().

#include <iosfwd>
#include <string>
#include <vector>

#include "goban/simulation/application/application.hpp"

namespace goban::cli {

/// Runs one command; `arguments` begins with the program's name. Returns the exit code (see
/// ExitCode). Nothing is thrown: errors become lines on `err`.
int command_line(const std::vector<std::string>& arguments,
                 const std::vector<KnownApplication>& applications, std::ostream& out,
                 std::ostream& err);

}  // namespace goban::cli
