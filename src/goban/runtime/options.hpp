#pragma once
// The --goban-* options of every program.

#include <string>

#include "goban/grid/settings.hpp"

namespace goban {

/// Takes the --goban-* options out of the command line, which becomes shorter, and the environment
/// variables of the same names (GOBAN_THREADS, ...), which they override. What --goban-help asks
/// for is printed and ends the program. Errors (ExitCode::usage): an unknown option, a value that
/// is missing or out of range.
Settings settings_from(int& argc, char** argv);

/// What there is, a line or two for each.
std::string options_text();

/// Sets one option by its name without the --goban- prefix. Errors: likewise.
void set_option(Settings& settings, const std::string& name, const std::string& value);

}  // namespace goban
