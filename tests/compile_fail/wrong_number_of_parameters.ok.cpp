#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto u, auto k, auto v) const { v = k() * u(); }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, float>, FieldParameter<Access::in, float>,
          FieldParameter<Access::out, float>>(Functor{});
