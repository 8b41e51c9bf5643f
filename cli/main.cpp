#include <algorithm>
#include <iostream>
#include <string_view>

#include "cli/command_line.hpp"
#include "goban/simulation/run/signals.hpp"

int main(int argc, char** argv) {
  const auto is_given = [&](std::string_view word) {
    return std::find(argv + 1, argv + argc, word) != argv + argc;
  };
  const bool is_run = argc > 1 && std::string_view(argv[1]) == "run";
  if (is_run && !is_given("--dry-run") && !is_given("--print-config")) {
    goban::SignalWatch::begin_for_process();
  }
  return goban::cli::command_line({argv, argv + argc}, goban::applications(), std::cout, std::cerr);
}
