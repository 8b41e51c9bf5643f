#include "goban/backend/instruction_set.hpp"

#include <algorithm>
#include <vector>

#include "goban/base/error.hpp"

namespace goban {
namespace {

/// The instruction sets of this architecture, the lowest first.
#if defined(__x86_64__)
constexpr const char* names = "write x86-64, x86-64-v3 (AVX2) or x86-64-v4 (AVX-512)";
const std::vector<InstructionSet>& instruction_sets() {
  static const std::vector<InstructionSet> all{
      {"x86-64", 16}, {"x86-64-v3", 32}, {"x86-64-v4", 64}};
  return all;
}
#elif defined(__aarch64__)
constexpr const char* names = "write armv8-a";
const std::vector<InstructionSet>& instruction_sets() {
  static const std::vector<InstructionSet> all{{"armv8-a", 16}};
  return all;
}
#else
#error "goban runs on x86-64 and on 64-bit ARM"
#endif

InstructionSet& target() {
  static InstructionSet chosen = processor_instructions();
  return chosen;
}

}  // namespace

bool can_run(const InstructionSet& isa) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_level3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  const bool has_level4 = has_level3 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return isa.vector_bytes == 16 || (isa.vector_bytes == 32 ? has_level3 : has_level4);
#else
  return isa.vector_bytes == 16;
#endif
}

const InstructionSet& processor_instructions() {
  const auto& all = instruction_sets();
  static const InstructionSet& own = *std::find_if(all.rbegin(), all.rend(), can_run);
  return own;
}

const InstructionSet& target_instructions() { return target(); }

void compile_for(const std::string& name) {
  for (const InstructionSet& isa : instruction_sets()) {
    if (isa.name != name) continue;
    target() = isa;
    return;
  }
  throw Error(ExitCode::usage, "--isa " + name + " is refused", "kernels are compiled for others",
              names);
}

}  // namespace goban
