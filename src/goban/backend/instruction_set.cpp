#include "goban/backend/instruction_set.hpp"

namespace goban {

InstructionSet instruction_set() {
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi2");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has_avx512 ? InstructionSet::avx512
         : has_avx2 ? InstructionSet::avx2
                    : InstructionSet::baseline;
}

}  // namespace goban
