// expect: goban: an out has no neighbours: a functor writes its own cell alone, next = x
#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next(1, 0, 0) = u(); }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, float>, FieldParameter<Access::out, float>>(Functor{});
