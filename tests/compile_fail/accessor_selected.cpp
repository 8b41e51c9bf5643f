// expect: goban: an accessor inside an expression; write u() to read its value
#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = select(u() > 0, u, 0); }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, float>, FieldParameter<Access::out, float>>(Functor{});
