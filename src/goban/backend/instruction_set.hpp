#pragma once
// The instruction sets of processors: that of this one, and the one that kernels are compiled for.

#include <string>

namespace goban {

/// A level of x86-64 that code is compiled for.
struct InstructionSet {
  std::string name;       ///< the compilers' name, "x86-64-v3"
  int vector_bytes = 16;  ///< bytes per vector register
};
/// Returns whether this processor has these instructions.
bool can_run(const InstructionSet& isa);
/// Returns the highest level that this processor has.
const InstructionSet& processor_instructions();

/// Returns the level that kernels of this process are compiled for: the processor's own, unless
/// compile_for() has chosen another.
const InstructionSet& target_instructions();
/// Chooses "x86-64", "x86-64-v3" or "x86-64-v4" for all kernels, to compile kernels for other
/// processors in advance. Must be called before the first kernel. Throws an Error (ExitCode::usage)
/// for any other name.
void compile_for(const std::string& name);

/// Returns the fastest of three versions of the library's own loops (cmake/row_loops.cmake) that
/// this processor can run.
template <class Loops>
const Loops& compiled_for_processor(const Loops& baseline, const Loops& avx2, const Loops& avx512) {
  const int bytes = processor_instructions().vector_bytes;
  return bytes == 64 ? avx512 : bytes == 32 ? avx2 : baseline;
}

}  // namespace goban
