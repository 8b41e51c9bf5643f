// Case files, run as the command line runs them.

#include <iostream>
#include <sstream>
#include <vector>

#include "calls.hpp"
#include "cli/command_line.hpp"

/// The words after "goban". What it says on standard error is the text of the error.
GOBAN_PYTHON_CALL int goban_python_command(const char* const* words, std::int64_t count) {
  using namespace goban;
  std::vector<std::string> arguments = {"goban"};
  arguments.insert(arguments.end(), words, words + count);
  std::ostringstream errors;
  int code = 0;
  const int failed = python::guarded(
      [&] { code = cli::command_line(arguments, applications(), std::cout, errors); });
  if (failed) return failed;
  python::set_text(errors.str());
  return code;
}
