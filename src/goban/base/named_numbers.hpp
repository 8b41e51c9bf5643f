#pragma once
// Numbers with names on a command line: "flops=13,bytes=32".

#include <map>
#include <string>
#include <vector>

namespace goban {

/// Numbers by name, of those that `text` gives. Errors (ExitCode::usage), which begin with the
/// option and end with the suggestion: a word that is no name=number, a name that is not among
/// `names`, a number that is negative or beyond 1e18.
std::map<std::string, double> named_numbers(const std::string& option, const std::string& text,
                                            const std::vector<std::string>& names,
                                            const std::string& suggestion);

}  // namespace goban
