#pragma once
// Tests by trial: some for every run, many for `goban test --long`.

#include <cstdlib>
#include <string>

namespace goban::test {

inline bool is_long() { return std::getenv("GOBAN_LONG_TESTS") != nullptr; }

/// Returns how many random inputs a test draws; GOBAN_FUZZ_CASES has the last word.
inline int fuzz_cases(int unless_told) {
  const char* const text = std::getenv("GOBAN_FUZZ_CASES");
  return text ? std::stoi(text) : unless_told;
}
inline unsigned fuzz_seed(unsigned unless_told) {
  const char* const text = std::getenv("GOBAN_FUZZ_SEED");
  return text ? static_cast<unsigned>(std::stoul(text)) : unless_told;
}

/// How many trials, or at what distance, this time.
inline int in_short_or_long(int when_short, int when_long) {
  return is_long() ? when_long : when_short;
}

}  // namespace goban::test
