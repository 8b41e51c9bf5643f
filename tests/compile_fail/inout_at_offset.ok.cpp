#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto w) const { w += w(); }
};

constexpr auto footprint = trace<FieldParameter<Access::inout, float>>(Functor{});
