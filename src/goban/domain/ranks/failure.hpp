#pragma once
// How an error ends a program of several ranks.

#include <functional>
#include <string>

#include "goban/base/error.hpp"

namespace goban {

/// This rank is about to end the program with this error. Where all ranks fail alike it is printed
/// once; that of one rank alone as "rank 3 (host): ...", and the other processes are ended,
/// whatever they are doing. Returns the exit code the process should end with. `print` is called
/// for every line of the text. Not collective.
int report_failure(const Error& error, const std::function<void(const std::string& line)>& print);

}  // namespace goban
