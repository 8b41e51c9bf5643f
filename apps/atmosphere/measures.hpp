#pragma once
// What is shown and summed up.

#include "goban/stencil/operators.hpp"

namespace goban::atmosphere {

struct Value {
  GOBAN_FUNCTION auto operator()(auto x) const { return x(); }
};

/// In cells: velocity, deviations of theta and pressure from the base state.
struct Show {
  GOBAN_FUNCTION void operator()(auto u, auto v, auto w, auto theta, auto p, auto mass, auto heat,
                                 auto velocity, auto theta_deviation, auto pressure) const {
    velocity[0] = average<Axis::x, Onto::center>(u);
    velocity[1] = average<Axis::y, Onto::center>(v);
    velocity[2] = average<Axis::z, Onto::center>(w);
    theta_deviation = theta() - heat() / mass();
    pressure = p();
  }
};

}  // namespace goban::atmosphere
