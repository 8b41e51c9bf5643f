#include <iostream>

#include "cli/command_line.hpp"

int main(int argc, char** argv) {
  return goban::cli::command_line({argv, argv + argc}, goban::applications(), std::cout, std::cerr);
}
