#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto f, auto v) const { v = f[0](); }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, float, 3>, FieldParameter<Access::out, float>>(Functor{});
