#pragma once
// The C++ compiler that makes machine code of kernels while programs run.

#include <string>

#include "goban/backend/cpu/kernel_shape.hpp"

namespace goban::cpu {

struct Compiler {
  std::string command;  ///< with its path, and words that it begins with; empty: there is none
  std::string version;  ///< its first line about itself
  std::string why_not;  ///< why there is none
};

/// $GOBAN_CXX, which may have several words ("zig c++"), or the first of c++, g++, clang++ and
/// zig c++ on the path; looked for once.
const Compiler& compiler();

/// The bytes of a shared library, of a text that includes nothing. Error (ExitCode::resources):
/// there is no compiler, or it refuses the text.
std::string compiled(const std::string& text, const InstructionSet& isa);

/// What decides about machine code beside the text. The compiler does not: machines without one use
/// what others have made.
std::string compiler_key(const InstructionSet& isa);

}  // namespace goban::cpu
