#pragma once
// Ends a program of several ranks after an error.

#include <functional>
#include <string>

#include "goban/base/error.hpp"

namespace goban {

/// Reports an error with which this rank is about to end the program. If all ranks fail alike the
/// error is printed once. The error of a single rank is printed as "rank 3 (host): ..." and the
/// other processes are ended, whatever they are doing. Returns the exit code with which the process
/// should end. `print` is called for every line of the text. Not collective.
int report_failure(const Error& error, const std::function<void(const std::string& line)>& print);

}  // namespace goban
