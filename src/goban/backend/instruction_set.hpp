#pragma once
// The instruction sets of processors: that of this one, and the one that kernels are compiled for.

#include <string>

namespace goban {

/// What code is compiled for: a level of x86-64, or ARM's 64-bit architecture.
struct InstructionSet {
  std::string name;       ///< the compilers' name, "x86-64-v3", "armv8-a"
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
/// processors in advance; on ARM there is "armv8-a" alone. Must be called before the first kernel.
/// Throws an Error (ExitCode::usage) for any other name.
void compile_for(const std::string& name);

/// The fastest of the versions of the library's own loops (cmake/row_loops.cmake) that this
/// processor can run, in the namespaces `baseline`, `avx2` and `avx512`.
#if defined(__x86_64__)
#define GOBAN_LOOPS_OF_PROCESSOR(loops)                          \
  (processor_instructions().vector_bytes == 64   ? avx512::loops \
   : processor_instructions().vector_bytes == 32 ? avx2::loops   \
                                                 : baseline::loops)
#else
#define GOBAN_LOOPS_OF_PROCESSOR(loops) (baseline::loops)
#endif

}  // namespace goban
