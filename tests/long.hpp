#pragma once
// Tests by trial: some for every run, many for `goban test --long`.

#include <cstdlib>

namespace goban::test {

inline bool is_long() { return std::getenv("GOBAN_LONG_TESTS") != nullptr; }

/// How many trials, or at what distance, this time.
inline int in_short_or_long(int when_short, int when_long) {
  return is_long() ? when_long : when_short;
}

}  // namespace goban::test
