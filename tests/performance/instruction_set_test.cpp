#include "goban/performance/measure/instruction_set.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace goban::instruction_set_test {
namespace {

/// The words of the first "flags" line of /proc/cpuinfo.
std::set<std::string> kernel_flags() {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; flags.empty() && std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) flags.insert(word);
  }
  return flags;
}

TEST(InstructionSet, HasWhatThisTestWasCompiledFor) {
  EXPECT_EQ(compiled_extensions() & ~available_extensions(), 0u);
  EXPECT_NO_FATAL_FAILURE(check_instruction_set());
#if defined(__AVX2__)
  EXPECT_NE(list_extensions(compiled_extensions()).find("avx2"), std::string::npos);
#endif
#if defined(__AVX512F__)
  EXPECT_EQ(instruction_set_name(compiled_extensions()), "AVX-512");
#endif
}

TEST(InstructionSet, AgreesWithTheKernelOnWhatTheProcessorOffers) {
  const std::set<std::string> flags = kernel_flags();
  if (flags.empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  std::set<std::string> available;
  std::istringstream words(list_extensions(available_extensions()));
  for (std::string word; words >> word;) available.insert(word);
  struct Names {
    const char *ours, *kernel;
  };
  for (const Names& name : {Names{"sse3", "pni"},
                            {"ssse3", "ssse3"},
                            {"sse4.1", "sse4_1"},
                            {"sse4.2", "sse4_2"},
                            {"movbe", "movbe"},
                            {"popcnt", "popcnt"},
                            {"lzcnt", "abm"},
                            {"bmi", "bmi1"},
                            {"bmi2", "bmi2"},
                            {"gfni", "gfni"},
                            {"avx", "avx"},
                            {"f16c", "f16c"},
                            {"fma", "fma"},
                            {"avx2", "avx2"},
                            {"avxvnni", "avx_vnni"},
                            {"avx512f", "avx512f"},
                            {"avx512dq", "avx512dq"},
                            {"avx512ifma", "avx512ifma"},
                            {"avx512cd", "avx512cd"},
                            {"avx512bw", "avx512bw"},
                            {"avx512vl", "avx512vl"},
                            {"avx512vbmi", "avx512vbmi"},
                            {"avx512vbmi2", "avx512_vbmi2"},
                            {"avx512vnni", "avx512_vnni"},
                            {"avx512bitalg", "avx512_bitalg"},
                            {"avx512vpopcntdq", "avx512_vpopcntdq"},
                            {"avx512bf16", "avx512_bf16"}})
    EXPECT_EQ(available.count(name.ours), flags.count(name.kernel)) << name.ours;
}

TEST(InstructionSetDeathTest, EndsWithOneClearLineWhereInstructionsAreMissing) {
  if (compiled_extensions() == 0) GTEST_SKIP() << "compiled for every processor";
  EXPECT_EXIT(check_instruction_set(0), testing::ExitedWithCode(3),
              "^goban was built for another processor \\(this one lacks [a-z0-9. ]+\\); rebuild it "
              "on this machine or with the preset \"portable\"\n$");
}

}  // namespace
}  // namespace goban::instruction_set_test
