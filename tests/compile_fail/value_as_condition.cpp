// expect: goban: a value is not a condition; compare it, as in u() != 0
#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = u() ? 1 : 0; }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, float>, FieldParameter<Access::out, float>>(Functor{});
