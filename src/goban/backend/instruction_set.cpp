#include "goban/backend/instruction_set.hpp"

#include "goban/base/error.hpp"

namespace goban {
namespace {

const InstructionSet baseline{"x86-64", 16}, level3{"x86-64-v3", 32}, level4{"x86-64-v4", 64};

InstructionSet& target() {
  static InstructionSet chosen = processor_instructions();
  return chosen;
}

}  // namespace

bool can_run(const InstructionSet& isa) {
  __builtin_cpu_init();
  const bool has_level3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  const bool has_level4 = has_level3 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return isa.vector_bytes == 16 || (isa.vector_bytes == 32 ? has_level3 : has_level4);
}

const InstructionSet& processor_instructions() {
  static const InstructionSet& own = can_run(level4) ? level4 : can_run(level3) ? level3 : baseline;
  return own;
}

const InstructionSet& target_instructions() { return target(); }

void compile_for(const std::string& name) {
  for (const InstructionSet* isa : {&baseline, &level3, &level4}) {
    if (isa->name != name) continue;
    target() = *isa;
    return;
  }
  throw Error(ExitCode::usage, "--isa " + name + " is refused", "kernels are compiled for others",
              "write x86-64, x86-64-v3 (AVX2) or x86-64-v4 (AVX-512)");
}

}  // namespace goban
