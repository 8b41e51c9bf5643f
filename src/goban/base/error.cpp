#include "goban/base/error.hpp"

namespace goban {
namespace {

std::string one_line(const std::string& problem, const std::string& why,
                     const std::string& suggestion) {
  std::string line = problem;
  if (!why.empty()) line += " (" + why + ")";
  if (!suggestion.empty()) line += "; " + suggestion;
  return line;
}

}  // namespace

Error::Error(ExitCode code, const std::string& problem, const std::string& why,
             const std::string& suggestion)
    : std::runtime_error(one_line(problem, why, suggestion)), code_(code) {}

}  // namespace goban
