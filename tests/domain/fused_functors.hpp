#pragma once
// Functors that follow each other: the second ones read beside their cell what the first ones make.

#include "goban/base/macros.hpp"

namespace goban::test {

struct Flux {
  float k;
  GOBAN_FUNCTION void operator()(auto u, auto flux) const {
    flux[0] = k * (u() - u(-1, 0, 0));
    flux[1] = k * (u() - u(0, -1, 0));
  }
};
struct Divergence {
  GOBAN_FUNCTION void operator()(auto u, auto flux, auto next) const {
    next = u() + (flux[0](1, 0, 0) - flux[0]() + flux[1](0, 1, 0) - flux[1]());
  }
};

/// Across reads flux along x alone, u is read along all axes.
struct Along {
  GOBAN_FUNCTION void operator()(auto u, auto flux) const {
    flux = u(0, 1, 0) - 0.5f * u() - 0.25f * u(-1, -1, 0) - 0.25f * u(0, 0, 1);
  }
};
struct Across {
  GOBAN_FUNCTION void operator()(auto u, auto flux, auto next, auto total) const {
    next = u() + 0.125f * (flux(1, 0, 0) - flux(-1, 0, 0));
    total += flux();
  }
};

}  // namespace goban::test
