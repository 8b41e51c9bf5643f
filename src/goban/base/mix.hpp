#pragma once
// A 64-bit mixing function: a bijection whose every output bit depends on every input bit.

#include <cstdint>

#include "goban/base/macros.hpp"

namespace goban {

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014) after one step of its sequence.
GOBAN_FUNCTION std::uint64_t mix(std::uint64_t v) {
  v += 0x9e3779b97f4a7c15u;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

}  // namespace goban
