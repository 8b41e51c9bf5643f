// expect: goban: the functor's parameters do not match the arguments of apply
#include "goban/stencil/graph/trace.hpp"

using namespace goban;

struct Functor {
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = u(); }
};

constexpr auto footprint =
    trace<FieldParameter<Access::in, float>, FieldParameter<Access::in, float>,
          FieldParameter<Access::out, float>>(Functor{});
