#pragma once
// The function of base/mix.hpp.

#include "goban/backend/kernels/types.hpp"

#if GOBAN_KERNEL
namespace goban::device {

GOBAN_DEVICE uint64 mix(uint64 v) {
  v += 0x9e3779b97f4a7c15ull;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ull;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebull;
  return v ^ (v >> 31);
}

}  // namespace goban::device
#endif
