#pragma once
#include "goban/program/program.hpp"

using namespace goban;

struct Flux {
  GOBAN_FUNCTION void operator()(auto u, auto flux) const { flux = u() - u(-1, 0, 0); }
};
struct Divergence {
  GOBAN_FUNCTION void operator()(auto flux, auto next) const { next = flux(1, 0, 0) - flux(); }
};
