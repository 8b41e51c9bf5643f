#pragma once
// Draws everything a case is made of; the same seed draws the same.

#include <array>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "goban/base/mix.hpp"
#include "goban/base/types.hpp"

namespace goban::fuzz {

class Random {
 public:
  /// `stream` tells independent draws of one case apart.
  Random(std::uint64_t seed, std::uint64_t stream) : engine_(mix(mix(seed) ^ stream)) {}

  /// low ... high, both included. The standard's distributions differ between libraries.
  Index between(Index low, Index high) {
    return low + static_cast<Index>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double probability) {
    return static_cast<double>(engine_() >> 11) * 0x1p-53 < probability;
  }
  /// A short number in [low, high]: the text of a case then says it exactly.
  double number(double low, double high) {
    return static_cast<double>(
               between(static_cast<Index>(low * 64), static_cast<Index>(high * 64))) /
           64;
  }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[between(0, static_cast<Index>(choices.size()) - 1)];
  }
  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(between(0, static_cast<Index>(choices.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

/// As short as it can be said.
inline std::string to_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

}  // namespace goban::fuzz
