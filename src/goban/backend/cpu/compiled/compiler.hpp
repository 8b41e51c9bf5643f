#pragma once
// The C++ compiler that compiles kernels while programs run.

#include <string>

#include "goban/backend/cpu/kernel_shape.hpp"

namespace goban::cpu {

/// A compiler, or the reason why there is none.
struct Compiler {
  /// The path of the program and further words of the command; empty if there is none.
  std::string command;
  std::string version;  ///< the first line of its version message
  std::string why_not;  ///< why there is none
};

/// Returns $GOBAN_CXX, which may have several words ("zig c++"), or the first of c++, g++, clang++
/// and zig c++ on the path. It is looked for once.
const Compiler& compiler();

/// Compiles a text that includes nothing and returns the bytes of a shared library. Throws an Error
/// (ExitCode::resources) if there is no compiler or it rejects the text.
std::string compiled(const std::string& text, const InstructionSet& isa);

/// Returns what machine code depends on besides the text. The compiler is not part of it, so that
/// machines without one can use what others have made.
std::string compiler_key(const InstructionSet& isa);

}  // namespace goban::cpu
