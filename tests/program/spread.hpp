#pragma once
// A functor that reads all six neighbours.

#include "goban/goban.hpp"

namespace goban::test {

struct Spread {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + 0.1f * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                         u(0, 0, -1) - 6.0f * u());
  }
};

}  // namespace goban::test
